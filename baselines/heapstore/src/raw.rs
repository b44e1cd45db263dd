//! The crate's only unsafe code: objects on a heap, and tables of slots in mappings.
//!
//! No address leaves this module. An [`Object`] owns one block of its heap and frees it when
//! dropped; a slot of a [`Slots`] array owns its object in the same way.

use std::io;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;

use engine::Heap;
use platform::{Mapping, Pages};

use crate::layout::{LENGTH_BYTES, Layout};

/// A block of a heap that contains lengths, a key and a value.
#[derive(Debug)]
pub(crate) struct Object<K: Layout> {
    start: NonNull<u8>,
    heap: &'static dyn Heap,
    key: PhantomData<K>,
}

impl<K: Layout> Object<K> {
    /// Allocates and writes an object; `None` when the heap is exhausted.
    ///
    /// # Panics
    /// If the value's length does not fit into the header.
    pub(crate) fn new(heap: &'static dyn Heap, key: K::Asked<'_>, value: &[u8]) -> Option<Self> {
        let value_bytes = u32::try_from(value.len()).expect("the store checks lengths");
        let (header, behind) = (K::header(key, value_bytes), K::behind(&key));
        let header_bytes = size_of::<K::Header>();
        let start = heap.allocate(header_bytes + behind.len() + value.len())?;
        // SAFETY: the block is new, so nobody else uses it, and has room for the header.
        unsafe { start.cast().write_unaligned(header) };
        // SAFETY: the block has room for the rest of the key behind the header.
        let key_start = unsafe { start.add(header_bytes) };
        // SAFETY: as above; the key lies elsewhere, for the block is new.
        unsafe { key_start.copy_from_nonoverlapping(NonNull::from(behind).cast(), behind.len()) };
        // SAFETY: the block has room for the value behind the key.
        let value_start = unsafe { key_start.add(behind.len()) };
        // SAFETY: as above; the value lies elsewhere, for the block is new.
        unsafe { value_start.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len()) };
        Some(Self { start, heap, key: PhantomData })
    }

    pub(crate) fn key(&self) -> K::Asked<'_> {
        view::<K>(&self.start).key()
    }

    pub(crate) fn value_bytes(&self) -> usize {
        view::<K>(&self.start).value().len()
    }
}

impl<K: Layout> Drop for Object<K> {
    fn drop(&mut self) {
        let bytes = view::<K>(&self.start).bytes();
        // SAFETY: `start` came from this heap, asked for `bytes`; this value owned it alone.
        unsafe { self.heap.free(self.start, bytes) };
    }
}

/// A view of an object in place.
#[derive(Debug)]
pub(crate) struct ObjectView<'a, K: Layout> {
    header: K::Header,
    /// The rest of the key, and the value.
    rest: &'a [u8],
}

impl<K: Layout> Clone for ObjectView<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Layout> Copy for ObjectView<'_, K> {}

impl<'a, K: Layout> ObjectView<'a, K> {
    pub(crate) fn key(self) -> K::Asked<'a> {
        K::key_of(&self.header, &self.rest[..K::bytes_behind(&self.header)])
    }

    pub(crate) fn value(self) -> &'a [u8] {
        &self.rest[K::bytes_behind(&self.header)..]
    }

    /// Size of lengths, key and value.
    pub(crate) fn bytes(self) -> usize {
        size_of::<K::Header>() + self.rest.len()
    }
}

/// Reads the object at `start`, which is the address of a live [`Object`] or of a slot's: no
/// other addresses leave this module, and the borrow keeps the owner from dropping it.
fn view<K: Layout>(start: &NonNull<u8>) -> ObjectView<'_, K> {
    // SAFETY: a live object begins with its header, which is never written again.
    let header = unsafe { start.cast::<K::Header>().read_unaligned() };
    let length = header.as_ref().first_chunk::<LENGTH_BYTES>().expect("a header has a length");
    let bytes = K::bytes_behind(&header) + u32::from_le_bytes(*length) as usize;
    // SAFETY: the object has its header.
    let behind = unsafe { start.add(size_of::<K::Header>()) };
    // SAFETY: behind its header it has that many bytes, all written before its address was known.
    ObjectView { header, rest: unsafe { slice::from_raw_parts(behind.as_ptr(), bytes) } }
}

/// A slot as stored in the mapping; all zeros is an empty slot.
#[derive(Debug)]
#[repr(C)]
struct Slot {
    /// What [`Layout::slot_of`] makes of the key.
    word: u64,
    object: Option<NonNull<u8>>,
}

/// An array of slots, each empty or holding a word of a key and an object. It has its own pages, so that it
/// does not burden the heap under test. It drops the objects it holds.
#[derive(Debug)]
pub(crate) struct Slots<K: Layout> {
    mapping: Mapping,
    heap: &'static dyn Heap,
    key: PhantomData<K>,
}

// SAFETY: slots own their objects, which are plain memory that any thread may read and, by the
// heap's contract, free. `&Slots` only reads.
unsafe impl<K: Layout> Send for Slots<K> {}

impl<K: Layout> Slots<K> {
    /// `count` empty slots, rounded up to whole pages.
    ///
    /// # Errors
    /// The system's error if it refuses memory.
    pub(crate) fn new(heap: &'static dyn Heap, count: usize) -> io::Result<Self> {
        let mapping = Mapping::anonymous(count * size_of::<Slot>(), Pages::Small)?;
        Ok(Self { mapping, heap, key: PhantomData })
    }

    pub(crate) fn count(&self) -> usize {
        self.mapping.bytes() / size_of::<Slot>()
    }

    /// Size of the mapping.
    pub(crate) fn bytes(&self) -> usize {
        self.mapping.bytes()
    }

    /// The word in a slot; `None` if it is empty.
    pub(crate) fn word(&self, index: usize) -> Option<u64> {
        let slot = &self.all()[index];
        slot.object.map(|_| slot.word)
    }

    /// The object in a slot.
    pub(crate) fn object(&self, index: usize) -> Option<ObjectView<'_, K>> {
        self.all()[index].object.as_ref().map(view::<K>)
    }

    /// Bytes that the heap provides for the object of a slot, if it tells.
    pub(crate) fn usable_bytes(&self, index: usize) -> Option<usize> {
        let object = self.all()[index].object?;
        // SAFETY: a slot's object is live and came from this heap.
        unsafe { self.heap.usable_bytes(object) }
    }

    /// Puts an object into a slot and returns the old one.
    pub(crate) fn replace(&mut self, index: usize, object: Object<K>) -> Option<Object<K>> {
        // Both are copies of the reference that the store was opened with, including the vtable; a
        // slot returns its object to the heap of the array.
        let same_heap = std::ptr::eq(self.heap, object.heap);
        assert!(same_heap, "objects of a store come from its heap");
        let word = K::slot_of(object.key());
        let start = object.start;
        std::mem::forget(object);
        let new = Slot { word, object: Some(start) };
        let old = std::mem::replace(&mut self.all_mut()[index], new);
        old.object.map(|start| Object { start, heap: self.heap, key: PhantomData })
    }

    /// Takes the object out of a slot.
    pub(crate) fn take(&mut self, index: usize) -> Option<Object<K>> {
        let start = self.all_mut()[index].object.take()?;
        Some(Object { start, heap: self.heap, key: PhantomData })
    }

    /// Moves the contents of slot `from` to the empty slot `to`.
    pub(crate) fn shift(&mut self, from: usize, to: usize) {
        debug_assert!(self.word(to).is_none(), "a slot in use is not overwritten");
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

impl<K: Layout> Drop for Slots<K> {
    fn drop(&mut self) {
        for index in 0..self.count() {
            drop(self.take(index));
        }
    }
}
