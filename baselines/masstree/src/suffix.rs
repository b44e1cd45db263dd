//! Suffixes: the rests of a border node's keys after their slices, all in one block.
//!
//! Bytes are appended and never change while the block is linked. When the block is full, the
//! suffixes still in use move to a larger block and the old one is retired. So readers need no
//! copy.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | bytes of the block |
//! | 4..8 | bytes in use |
//! | 8..128 | 15 words: where a slot's suffix begins, and its length in the low half |
//! | 128.. | suffixes |

use std::marker::PhantomData;
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::epoch::Guard;
use crate::memory::{Block, prefetch};
use crate::node::WIDTH;

#[repr(C)]
struct BagHead {
    bytes: u32,
    used: AtomicU32,
    places: [AtomicU64; WIDTH],
}

const HEAD_BYTES: usize = size_of::<BagHead>();
const GRAIN_BYTES: usize = 64;

const _: () = {
    assert!(HEAD_BYTES == 128);
    assert!(offset_of!(BagHead, places) == 8);
    assert!(align_of::<BagHead>() <= 16, "the heap's alignment suffices");
};

/// The suffixes of one border node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bag<'g> {
    start: NonNull<BagHead>,
    guard: PhantomData<&'g ()>,
}

impl<'g> Bag<'g> {
    /// An empty bag with room for `suffix_bytes` bytes; `None` if the heap is exhausted.
    pub(crate) fn new(guard: Guard<'g>, suffix_bytes: usize) -> Option<Self> {
        let bytes = (HEAD_BYTES + suffix_bytes).next_multiple_of(GRAIN_BYTES);
        let head = BagHead {
            bytes: u32::try_from(bytes).ok()?,
            used: AtomicU32::new(HEAD_BYTES as u32),
            places: Default::default(),
        };
        let (start, _) = guard.memory().allocate(bytes)?;
        let start = start.cast();
        // SAFETY: the block is new and longer than a head.
        unsafe { start.write(head) };
        guard.count_node(bytes);
        Some(Self { start, guard: PhantomData })
    }

    /// Prefetches the places of all suffixes, and the suffixes that come first.
    #[inline]
    pub(crate) fn prefetch(self) {
        prefetch(self.start.as_ptr().cast(), 2 * HEAD_BYTES);
    }

    fn head(self) -> &'g BagHead {
        // SAFETY: written by `new`; the guard keeps the block.
        unsafe { self.start.as_ref() }
    }

    /// The suffix last appended for a slot.
    pub(crate) fn suffix(self, slot: usize) -> &'g [u8] {
        // Acquire: pairs with the release in `append`.
        let place = self.head().places[slot].load(Ordering::Acquire);
        let (from, bytes) = ((place >> 32) as usize, place as u32 as usize);
        let start = self.start.as_ptr().cast::<u8>().wrapping_add(from);
        // SAFETY: `append` wrote these bytes of the block before the word, and they never change.
        unsafe { slice::from_raw_parts(start, bytes) }
    }

    /// Appends a slot's suffix. Returns `false`, and changes nothing, if there is no room. The
    /// caller must hold the node's lock, or nobody else knows the node.
    pub(crate) fn append(self, slot: usize, suffix: &[u8]) -> bool {
        let head = self.head();
        // Relaxed: guarded by the node's lock.
        let used = head.used.load(Ordering::Relaxed) as usize;
        if suffix.len() > head.bytes as usize - used {
            return false;
        }
        let start = self.start.as_ptr().cast::<u8>().wrapping_add(used);
        // SAFETY: there is room, and no word names these bytes yet, so nobody reads them.
        unsafe { start.copy_from_nonoverlapping(suffix.as_ptr(), suffix.len()) };
        head.used.store((used + suffix.len()) as u32, Ordering::Relaxed);
        // Release: pairs with the acquire in `suffix`.
        head.places[slot].store((used as u64) << 32 | suffix.len() as u64, Ordering::Release);
        true
    }

    /// Its block on the heap.
    pub(crate) fn block(self) -> Block {
        Block::at(self.start.as_ptr().cast(), self.head().bytes as usize)
    }
}

/// A border node's link to its suffixes.
#[derive(Debug, Default)]
pub(crate) struct BagLink(AtomicPtr<BagHead>);

impl std::fmt::Debug for BagHead {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BagHead").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl BagLink {
    #[inline]
    pub(crate) fn load<'g>(&self, _guard: Guard<'g>) -> Option<Bag<'g>> {
        // Acquire: pairs with the release in `store`.
        let start = NonNull::new(self.0.load(Ordering::Acquire))?;
        Some(Bag { start, guard: PhantomData })
    }

    pub(crate) fn store(&self, bag: Option<Bag<'_>>) {
        let start = bag.map_or(ptr::null_mut(), |bag| bag.start.as_ptr());
        // Release: pairs with the acquire in `load`, which then sees the suffixes.
        self.0.store(start, Ordering::Release);
    }
}
