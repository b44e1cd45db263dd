//! The contract of a heap (allocator).

use std::ptr::NonNull;

use crate::{Environment, OpenError};

/// A named setting and its value in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The setting's name, as its own documentation spells it.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// Pairs a name with a printed value.
    #[must_use]
    pub fn new(name: &str, value: impl std::fmt::Display) -> Self {
        Self { name: name.to_owned(), value: value.to_string() }
    }
}

/// One configuration of a heap: `default` always exists, `tuned` where the allocator has settings
/// that trade throughput for memory. Variants are rows of their own.
#[derive(Clone, Copy, Debug)]
pub struct HeapVariant {
    /// `default`, `tuned`, …
    pub name: &'static str,
    /// One line: what it changes.
    pub description: &'static str,
    /// Environment variables the process needs at start, *beside* [`HeapTraits::environment`].
    pub environment: Environment,
}

/// The variant every heap has: nothing is changed.
pub const DEFAULT_VARIANT: HeapVariant =
    HeapVariant { name: "default", description: "as its authors ship it", environment: &[] };

/// What a heap is.
#[derive(Clone, Copy, Debug)]
pub struct HeapTraits {
    /// The name it is registered under.
    pub name: &'static str,
    /// One line: the design.
    pub description: &'static str,
    /// Environment every variant needs at process start.
    pub environment: Environment,
    /// Configurations, [`DEFAULT_VARIANT`] first.
    pub variants: &'static [HeapVariant],
    /// Whether it hands out real, distinct memory. The null heap does not: it prices the harness.
    pub keeps_values: bool,
    /// Only for tests of the harness.
    pub test_only: bool,
}

impl HeapTraits {
    /// The traits most heaps share.
    pub const BASE: Self = Self {
        name: "",
        description: "",
        environment: &[],
        variants: &[DEFAULT_VARIANT],
        keeps_values: true,
        test_only: false,
    };
}

/// A heap's statistics of itself, in bytes; `None` where it keeps no such figure. The kernel's
/// figures are the reference, these stand beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapStatistics {
    /// Handed out and not yet freed, as the allocator counts (often rounded to size classes).
    pub allocated_bytes: Option<u64>,
    /// Mapped from the system, or resident as the allocator sees it.
    pub mapped_bytes: Option<u64>,
}

/// An allocator, called by its own entry points.
///
/// One instance per process; reached as `&'static dyn Heap`.
pub trait Heap: Sync + std::fmt::Debug {
    /// What it is.
    fn traits(&self) -> &'static HeapTraits;

    /// Prepares the process: loads the library, checks that the environment took effect. Called
    /// once before anything else; later calls do nothing.
    ///
    /// # Errors
    /// [`OpenError`] names what is missing and how to get it.
    fn open(&self) -> Result<(), OpenError>;

    /// Memory, in bytes, that the heap made resident before anything was asked of it (in a
    /// constructor of the program). It belongs to the heap, so the harness leaves it out of the
    /// baseline. Called first thing in a fresh process, before anything else is mapped.
    fn resident_before_open_bytes(&self) -> u64 {
        0
    }

    /// Called by each thread before it uses the heap, for allocators that need to know.
    fn thread_start(&self) {}

    /// Called by each thread after its last use.
    fn thread_end(&self) {}

    /// At least `bytes` bytes, aligned to 16 (8 for requests of at most 8); `None` when the
    /// heap is exhausted. A request of 0 bytes may be treated as 1.
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Returns a block. Any thread may.
    ///
    /// # Safety
    /// `block` came from [`allocate`](Self::allocate) of this heap with this `bytes` and was not
    /// freed since.
    #[expect(
        unsafe_code,
        reason = "a declaration: the callers' obligation is part of the contract"
    )]
    unsafe fn free(&self, block: NonNull<u8>, bytes: usize);

    /// Gives the block `bytes` bytes instead of `old_bytes`, in place or elsewhere, as C's
    /// `realloc` does. The contents stay up to the smaller size; the block that was given is gone
    /// where another address comes back. `None` leaves it as it was. A request of 0 bytes may be
    /// treated as 1. What comes back is returned by [`release`](Self::release).
    ///
    /// # Safety
    /// `block` is live and came from [`allocate`](Self::allocate) or `reallocate` of this heap, the
    /// last of which was asked for `old_bytes` bytes.
    #[expect(
        unsafe_code,
        reason = "a declaration: the callers' obligation is part of the contract"
    )]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>>;

    /// At least `bytes` bytes at a multiple of `alignment`, a power of two; `None` when the heap is
    /// exhausted or knows no such alignment. Alignments below 16 may be treated as 16, and a request
    /// of 0 bytes as 1. What comes back is returned by [`release`](Self::release).
    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Returns a block as C's `free` does: by the entry point that is not told the size, where
    /// there is one. `alignment` is 0 where none was asked for. Any thread may.
    ///
    /// The default is for heaps whose [`free`](Self::free) does not rely on the size.
    ///
    /// # Safety
    /// `block` is live and came from this heap: from `allocate` or `reallocate` with this `bytes`,
    /// or from [`allocate_aligned`](Self::allocate_aligned) with this `bytes` and `alignment`.
    #[expect(
        unsafe_code,
        reason = "the callers' obligation is part of the contract, and passed on"
    )]
    unsafe fn release(&self, block: NonNull<u8>, bytes: usize, _alignment: usize) {
        // SAFETY: the caller's block; this heap's `free` does not rely on the size.
        unsafe { self.free(block, bytes) }
    }

    /// Bytes the caller may use of the block, where the allocator tells.
    ///
    /// # Safety
    /// `block` is live and came from this heap.
    #[expect(
        unsafe_code,
        reason = "a declaration: the callers' obligation is part of the contract"
    )]
    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize>;

    /// Gives what memory it can back to the system. Called on every thread that used the heap
    /// (thread caches), then counted.
    fn purge(&self);

    /// The version in use, as it reports itself where it can.
    fn version(&self) -> String;

    /// The version where it is known without [`open`](Self::open), and asking starts nothing.
    fn version_unopened(&self) -> Option<String> {
        None
    }

    /// Settings in force.
    fn settings(&self) -> Vec<Setting>;

    /// Its statistics of itself.
    fn statistics(&self) -> HeapStatistics;
}

/// [`Heap::reallocate`] of heaps that have no such entry point: always a new block and a copy.
///
/// # Safety
/// As for [`Heap::reallocate`], of a heap whose [`Heap::free`] does not rely on the size.
#[expect(unsafe_code, reason = "the callers' obligation is that of the contract")]
pub unsafe fn reallocate_elsewhere(
    heap: &dyn Heap,
    block: NonNull<u8>,
    old_bytes: usize,
    bytes: usize,
) -> Option<NonNull<u8>> {
    let moved = heap.allocate(bytes)?;
    // SAFETY: both blocks are live and as long as that, and distinct.
    unsafe { moved.copy_from_nonoverlapping(block, old_bytes.min(bytes)) };
    // SAFETY: the caller gave up the block, which has this size.
    unsafe { heap.free(block, old_bytes) };
    Some(moved)
}
