//! Rows: values on the heap, immutable once linked.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | length of the value |
//! | 4.. | value |
//!
//! A border node holds a [`Link`] to a row: its address, with the length in the upper bits. So a
//! put need not touch the row it replaces, and a batch can prefetch all lines of a row at once.

use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;
use std::slice;

use crate::epoch::Guard;
use crate::memory::{Block, Memory, prefetch};

/// Bytes of a row before its value.
pub(crate) const HEADER_BYTES: usize = 4;
/// Lines beyond this are left to the processor's own prefetchers.
const PREFETCH_BYTES_MAX: usize = 1024;

/// The link of a row.
///
/// ```text
///  63              48 47                      0
/// ┌──────────────────┬─────────────────────────┐
/// │ length of value, │  address of the row     │
/// │ or all ones      │                         │
/// └──────────────────┴─────────────────────────┘
/// ```
///
/// A length of all ones stands for lengths that do not fit; the row's header has those. Linux user
/// addresses are shorter than 48 bits unless a mapping asks for more; a row with a longer address
/// is treated as if the heap had refused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link(*mut u8);

const ADDRESS_BITS: u32 = 48;
const LONG: usize = (1 << (usize::BITS - ADDRESS_BITS)) - 1;

const _: () = assert!(usize::BITS == 64, "addresses leave room for a length");

impl Link {
    pub(crate) fn from_bits(bits: *mut u8) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> *mut u8 {
        self.0
    }

    fn start(self) -> *mut u8 {
        self.0.map_addr(|address| address & ((1 << ADDRESS_BITS) - 1))
    }

    /// Prefetches the row's first line.
    #[inline]
    pub(crate) fn prefetch_first(self) {
        prefetch(self.start(), 1);
    }

    /// Prefetches all of the row's lines; needs to know nothing about the row.
    #[inline]
    pub(crate) fn prefetch_all(self) {
        let value_bytes = self.0.addr() >> ADDRESS_BITS;
        prefetch(self.start(), (HEADER_BYTES + value_bytes).min(PREFETCH_BYTES_MAX));
    }

    /// The row. The link must lead to one: it was read under this guard, in a consistent state of
    /// its node, from a slot that holds a row.
    #[inline]
    pub(crate) fn row(self, _guard: Guard<'_>) -> Row<'_> {
        Row { link: self, guard: PhantomData }
    }
}

/// A row that is linked, or was linked when the guard's session began its operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'g> {
    link: Link,
    guard: PhantomData<&'g ()>,
}

impl<'g> Row<'g> {
    #[inline]
    pub(crate) fn value_bytes(self) -> usize {
        match self.link.0.addr() >> ADDRESS_BITS {
            LONG => {
                // SAFETY: the guard keeps the row; its header was written before it was linked.
                let header = unsafe { self.link.start().cast::<[u8; HEADER_BYTES]>().read() };
                u32::from_le_bytes(header) as usize
            }
            value_bytes => value_bytes,
        }
    }

    #[inline]
    pub(crate) fn value(self) -> &'g [u8] {
        let value = self.link.start().wrapping_add(HEADER_BYTES);
        // SAFETY: the guard keeps the row; its bytes were written before it was linked.
        unsafe { slice::from_raw_parts(value, self.value_bytes()) }
    }

    /// The row's block on the heap.
    pub(crate) fn block(self) -> Block {
        block(self.link, self.value_bytes())
    }

    /// Whether header and link agree; for checks.
    pub(crate) fn is_whole(self) -> bool {
        // SAFETY: the guard keeps the row; its header was written before it was linked.
        let header = unsafe { self.link.start().cast::<[u8; HEADER_BYTES]>().read() };
        u32::from_le_bytes(header) as usize == self.value_bytes()
    }

    /// Bytes that the heap lets the row use, if it tells.
    pub(crate) fn usable_bytes(self, memory: &Memory) -> Option<usize> {
        // SAFETY: the guard keeps the row.
        unsafe { memory.usable_bytes(self.block()) }
    }
}

/// A row that is not linked yet. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct NewRow<'m> {
    memory: &'m Memory,
    link: Link,
    value_bytes: usize,
}

impl<'m> NewRow<'m> {
    /// Allocates and writes a row; `None` when the heap is exhausted.
    ///
    /// # Panics
    /// If the value's length does not fit into the header.
    #[inline]
    pub(crate) fn new(memory: &'m Memory, value: &[u8]) -> Option<Self> {
        let header = u32::try_from(value.len()).expect("the tree checks lengths").to_le_bytes();
        let (start, block) = memory.allocate(HEADER_BYTES + value.len())?;
        if start.addr().get() >> ADDRESS_BITS != 0 {
            // SAFETY: allocated above, and known to nobody.
            unsafe { memory.free(block) };
            return None;
        }
        // SAFETY: the block is new and has room for the header.
        unsafe { start.copy_from_nonoverlapping(NonNull::from(&header).cast(), HEADER_BYTES) };
        // SAFETY: the block is longer than its header, or as long.
        let behind = unsafe { start.add(HEADER_BYTES) };
        // SAFETY: the block has room for the value; the value lies elsewhere, for it is new.
        unsafe { behind.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len()) };
        let length = value.len().min(LONG) << ADDRESS_BITS;
        let link = Link(start.as_ptr().map_addr(|address| address | length));
        Some(Self { memory, link, value_bytes: value.len() })
    }

    pub(crate) fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// The link that it will have; the slot owns it after `into_link`.
    pub(crate) fn link(&self) -> Link {
        self.link
    }

    /// Hands the row over to the slot it is stored in.
    pub(crate) fn into_link(self) -> Link {
        let link = self.link;
        mem::forget(self);
        link
    }
}

impl Drop for NewRow<'_> {
    fn drop(&mut self) {
        // SAFETY: the row is not linked: `into_link` forgets it.
        unsafe { self.memory.free(block(self.link, self.value_bytes)) };
    }
}

fn block(link: Link, value_bytes: usize) -> Block {
    Block::at(link.start(), HEADER_BYTES + value_bytes)
}
