//! The crate's only unsafe code: rows on a heap, the cells of the skip list, the words of the radix
//! tree, the calls of oneTBB.
//!
//! No address leaves this module. A [`Row`] owns one block of its heap and frees it when dropped,
//! on any thread.
//!
//! Layout of a row in its block, which is aligned to at least 8:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | address of the ledger, which knows the heap: maps drop rows without being told |
//! | 8..12 | length of the value |
//! | 12.. | value |
//!
//! The key is stored in the map. So a row takes one word in the map, and on the heap as much as an
//! object that contains its key.

mod cell;
#[cfg(onetbb)]
pub(crate) mod onetbb;
mod tree;

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::slice;

use crossbeam_epoch::Guard;
use engine::Heap;

pub(crate) use cell::{List, RowCell, put, remove, view};
pub(crate) use tree::Tree;

use crate::ledger::Ledger;

/// Bytes of a row before its value.
pub(crate) const HEADER_BYTES: usize = LENGTH_OFFSET + size_of::<u32>();
const LENGTH_OFFSET: usize = size_of::<NonNull<Ledger>>();
/// Epoch steps after which rows retired by one thread are free, if no other thread holds a guard.
pub(crate) const EPOCHS_TO_FREE: usize = 3;

/// Makes the rows of one store and owns their ledger.
#[derive(Debug)]
pub(crate) struct Rows {
    ledger: NonNull<Ledger>,
}

// SAFETY: the ledger may be used and dropped by any thread.
unsafe impl Send for Rows {}
// SAFETY: `&Rows` gives out `&Ledger` only, which is `Sync`.
unsafe impl Sync for Rows {}

impl Rows {
    pub(crate) fn new(heap: &'static dyn Heap) -> Self {
        Self { ledger: NonNull::from(Box::leak(Box::new(Ledger::new(heap)))) }
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        // SAFETY: the ledger lives until this value is dropped, and is only shared until then.
        unsafe { self.ledger.as_ref() }
    }

    /// Allocates and writes a row; `None` when the heap is exhausted.
    ///
    /// # Panics
    /// If the value's length does not fit into the header.
    #[inline]
    pub(crate) fn row(&self, value: &[u8]) -> Option<Row> {
        let value_bytes = u32::try_from(value.len()).expect("the store checks lengths");
        let ledger = self.ledger();
        let start = ledger.heap().allocate(HEADER_BYTES + value.len())?;
        debug_assert!(start.cast::<NonNull<Ledger>>().is_aligned(), "a heap aligns its blocks");
        // SAFETY: the block is new, so nobody else uses it, and aligned for a pointer.
        unsafe { start.cast().write(self.ledger) };
        // SAFETY: the block is longer than the ledger's address.
        let length = unsafe { start.add(LENGTH_OFFSET) };
        // SAFETY: the block has room for the length there, and four divides the offset.
        unsafe { length.cast().write(value_bytes) };
        // SAFETY: the block has room for the value behind the header.
        let behind = unsafe { start.add(HEADER_BYTES) };
        // SAFETY: as above; the value lies elsewhere, for the block is new.
        unsafe { behind.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len()) };
        ledger.count_allocated(HEADER_BYTES + value.len());
        Some(Row { start })
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // If a session was leaked, rows may remain; then the ledger stays with them.
        let totals = self.ledger().totals();
        if totals.rows_freed == totals.rows_allocated {
            // SAFETY: made by `Box::leak`. No row is left to point to it: rows are made by this
            // value only, and counting its end was the last thing each did with the ledger.
            drop(unsafe { Box::from_raw(self.ledger.as_ptr()) });
        }
    }
}

/// A block of a heap that contains a value.
#[derive(Debug)]
pub struct Row {
    start: NonNull<u8>,
}

// SAFETY: a row is plain memory that any thread may, by the heap's contract, free.
unsafe impl Send for Row {}
// SAFETY: `&Row` only reads.
unsafe impl Sync for Row {}

impl Row {
    #[inline]
    pub(crate) fn view(&self) -> RowRef<'_> {
        RowRef { start: self.start, row: PhantomData }
    }

    #[inline]
    pub(crate) fn value_bytes(&self) -> usize {
        self.view().value_bytes()
    }

    /// The row's block, to be passed to [`from_block`](Self::from_block).
    fn into_block(self) -> NonNull<u8> {
        ManuallyDrop::new(self).start
    }

    /// # Safety
    /// `start` came from [`into_block`](Self::into_block) and becomes a row once.
    unsafe fn from_block(start: NonNull<u8>) -> Self {
        Self { start }
    }
}

impl Drop for Row {
    #[inline]
    fn drop(&mut self) {
        let row = self.view();
        let (ledger, bytes) = (row.ledger(), row.bytes());
        // SAFETY: `start` came from this heap, asked for `bytes`; this value owned it alone.
        unsafe { ledger.heap().free(self.start, bytes) };
        ledger.count_freed(bytes);
    }
}

/// Frees a row that this thread, and no other, has taken out of its map.
fn free_after_readers(start: NonNull<u8>, guard: &Guard) {
    // SAFETY: one thread takes it out, so the block becomes a row once.
    let free = move || drop(unsafe { Row::from_block(start) });
    // SAFETY: no guard that begins now finds the row; a row may be dropped by any thread at any
    // later time, because its ledger stays as long as it.
    unsafe { guard.defer_unchecked(free) };
}

/// A view of a row in place.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'a> {
    /// The address of a live row: no other addresses get here, and the borrow keeps it alive.
    start: NonNull<u8>,
    row: PhantomData<&'a Row>,
}

impl<'a> RowRef<'a> {
    #[inline]
    pub(crate) fn value_bytes(self) -> usize {
        // SAFETY: a live row has a length there.
        let length = unsafe { self.start.add(LENGTH_OFFSET) };
        // SAFETY: it was written before the row's address was known, and never since.
        (unsafe { length.cast::<u32>().read() }) as usize
    }

    #[inline]
    pub(crate) fn value(self) -> &'a [u8] {
        // SAFETY: a live row has a value there.
        let behind = unsafe { self.start.add(HEADER_BYTES) };
        // SAFETY: of that length, written before the row's address was known, and never since.
        unsafe { slice::from_raw_parts(behind.as_ptr(), self.value_bytes()) }
    }

    /// Size of header and value.
    #[inline]
    pub(crate) fn bytes(self) -> usize {
        HEADER_BYTES + self.value_bytes()
    }

    /// Bytes that the heap provides for the row, if it tells.
    pub(crate) fn usable_bytes(self) -> Option<usize> {
        // SAFETY: the row is live and came from this heap.
        unsafe { self.ledger().heap().usable_bytes(self.start) }
    }

    #[inline]
    fn ledger(self) -> &'a Ledger {
        // SAFETY: a live row begins with its ledger's address, which is never written again.
        let ledger = unsafe { self.start.cast::<NonNull<Ledger>>().read() };
        // SAFETY: the ledger stays as long as a row of it is not counted as freed.
        unsafe { ledger.as_ref() }
    }
}
