//! The crate's only unsafe code: objects on a heap, and tables of slots in mappings.
//!
//! No address leaves this module. An [`Object`] owns one block of its heap and frees it when
//! dropped; a slot of a [`Slots`] array owns its object in the same way.
//!
//! Layout of an object in its block, unaligned:
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | length of the value |
//! | 4..12 | key |
//! | 12.. | value |

use std::io;
use std::ptr::NonNull;
use std::slice;

use engine::Heap;
use platform::{Mapping, Pages};

/// Bytes of an object before its value.
pub(crate) const HEADER_BYTES: usize = 12;

/// A block of a heap that contains a length, a key and a value.
#[derive(Debug)]
pub(crate) struct Object {
    start: NonNull<u8>,
    heap: &'static dyn Heap,
}

impl Object {
    /// Allocates and writes an object; `None` when the heap is exhausted.
    ///
    /// # Panics
    /// If the value's length does not fit into the header.
    pub(crate) fn new(heap: &'static dyn Heap, key: u64, value: &[u8]) -> Option<Self> {
        let value_bytes = u32::try_from(value.len()).expect("the store checks lengths");
        let start = heap.allocate(HEADER_BYTES + value.len())?;
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&value_bytes.to_le_bytes());
        header[4..].copy_from_slice(&key.to_le_bytes());
        // SAFETY: the block is new, so nobody else uses it, and has room for the header.
        unsafe { start.copy_from_nonoverlapping(NonNull::from(&header).cast(), HEADER_BYTES) };
        // SAFETY: the block has room for the value behind the header.
        let behind = unsafe { start.add(HEADER_BYTES) };
        // SAFETY: as above; the value lies elsewhere, for the block is new.
        unsafe { behind.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len()) };
        Some(Self { start, heap })
    }

    pub(crate) fn key(&self) -> u64 {
        view(&self.start).key()
    }

    pub(crate) fn value_bytes(&self) -> usize {
        view(&self.start).value().len()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let bytes = HEADER_BYTES + self.value_bytes();
        // SAFETY: `start` came from this heap, asked for `bytes`; this value owned it alone.
        unsafe { self.heap.free(self.start, bytes) };
    }
}

/// A view of an object in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectView<'a> {
    bytes: &'a [u8],
}

impl<'a> ObjectView<'a> {
    pub(crate) fn key(self) -> u64 {
        u64::from_le_bytes(self.bytes[4..HEADER_BYTES].try_into().expect("eight bytes"))
    }

    pub(crate) fn value(self) -> &'a [u8] {
        &self.bytes[HEADER_BYTES..]
    }

    /// Size of header, key and value.
    pub(crate) fn bytes(self) -> usize {
        self.bytes.len()
    }
}

/// Reads the object at `start`, which is the address of a live [`Object`] or of a slot's: no
/// other addresses leave this module, and the borrow keeps the owner from dropping it.
fn view(start: &NonNull<u8>) -> ObjectView<'_> {
    // SAFETY: a live object begins with its header, which is never written again.
    let length = unsafe { start.cast::<[u8; 4]>().read() };
    let bytes = HEADER_BYTES + u32::from_le_bytes(length) as usize;
    // SAFETY: the object has that many bytes, all written before its address was known.
    ObjectView { bytes: unsafe { slice::from_raw_parts(start.as_ptr(), bytes) } }
}

/// A slot as stored in the mapping; all zeros is an empty slot.
#[derive(Debug)]
#[repr(C)]
struct Slot {
    key: u64,
    object: Option<NonNull<u8>>,
}

/// An array of slots, each empty or holding a key and an object. It has its own pages, so that it
/// does not burden the heap under test. It drops the objects it holds.
#[derive(Debug)]
pub(crate) struct Slots {
    mapping: Mapping,
    heap: &'static dyn Heap,
}

// SAFETY: slots own their objects, which are plain memory that any thread may read and, by the
// heap's contract, free. `&Slots` only reads.
unsafe impl Send for Slots {}

impl Slots {
    /// `count` empty slots, rounded up to whole pages.
    ///
    /// # Errors
    /// The system's error if it refuses memory.
    pub(crate) fn new(heap: &'static dyn Heap, count: usize) -> io::Result<Self> {
        Ok(Self { mapping: Mapping::anonymous(count * size_of::<Slot>(), Pages::Small)?, heap })
    }

    pub(crate) fn count(&self) -> usize {
        self.mapping.bytes() / size_of::<Slot>()
    }

    /// Size of the mapping.
    pub(crate) fn bytes(&self) -> usize {
        self.mapping.bytes()
    }

    /// The key in a slot; `None` if it is empty.
    pub(crate) fn key(&self, index: usize) -> Option<u64> {
        let slot = &self.all()[index];
        slot.object.map(|_| slot.key)
    }

    /// The object in a slot.
    pub(crate) fn object(&self, index: usize) -> Option<ObjectView<'_>> {
        self.all()[index].object.as_ref().map(view)
    }

    /// Bytes that the heap provides for the object of a slot, if it tells.
    pub(crate) fn usable_bytes(&self, index: usize) -> Option<usize> {
        let object = self.all()[index].object?;
        // SAFETY: a slot's object is live and came from this heap.
        unsafe { self.heap.usable_bytes(object) }
    }

    /// Puts an object into a slot and returns the old one.
    pub(crate) fn replace(&mut self, index: usize, object: Object) -> Option<Object> {
        // Both are copies of the reference that the store was opened with, including the vtable; a
        // slot returns its object to the heap of the array.
        let same_heap = std::ptr::eq(self.heap, object.heap);
        assert!(same_heap, "objects of a store come from its heap");
        let key = object.key();
        let start = object.start;
        std::mem::forget(object);
        let old = std::mem::replace(&mut self.all_mut()[index], Slot { key, object: Some(start) });
        old.object.map(|start| Object { start, heap: self.heap })
    }

    /// Takes the object out of a slot.
    pub(crate) fn take(&mut self, index: usize) -> Option<Object> {
        let start = self.all_mut()[index].object.take()?;
        Some(Object { start, heap: self.heap })
    }

    /// Moves the contents of slot `from` to the empty slot `to`.
    pub(crate) fn shift(&mut self, from: usize, to: usize) {
        debug_assert!(self.key(to).is_none(), "a slot in use is not overwritten");
        self.all_mut().swap(from, to);
    }

    fn all(&self) -> &[Slot] {
        // SAFETY: the mapping is page-aligned, zeroed and `count` slots long; all zeros is an
        // empty slot, and slots are written through `all_mut` only.
        unsafe { slice::from_raw_parts(self.mapping.start().cast().as_ptr(), self.count()) }
    }

    fn all_mut(&mut self) -> &mut [Slot] {
        // SAFETY: as in `all`; the mapping is ours and `&mut self` makes the borrow unique.
        unsafe { slice::from_raw_parts_mut(self.mapping.start().cast().as_ptr(), self.count()) }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for index in 0..self.count() {
            drop(self.take(index));
        }
    }
}
