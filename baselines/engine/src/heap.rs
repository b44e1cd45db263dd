//! The contract of a heap (allocator).

use std::ptr::NonNull;

use crate::{Environment, OpenError};

/// A named setting with its current value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, as spelled in its own documentation.
    pub name: String,
    /// Its value as text.
    pub value: String,
}

impl Setting {
    /// Pairs a name with a printed value.
    #[must_use]
    pub fn new(name: &str, value: impl std::fmt::Display) -> Self {
        Self { name: name.to_owned(), value: value.to_string() }
    }
}

/// A configuration of a heap. `default` always exists; `fast` and `small` exist if the allocator has
/// settings that its authors name for more speed or for less memory. Each variant has its own rows.
#[derive(Clone, Copy, Debug)]
pub struct HeapVariant {
    /// Its name: `default`, `fast`, `small`.
    pub name: &'static str,
    /// What it changes, in one line.
    pub description: &'static str,
    /// Environment variables that the process needs at start, *in addition to*
    /// [`HeapTraits::environment`].
    pub environment: Environment,
    /// The document of its authors that names these settings.
    pub source: &'static str,
}

/// The variant that every heap has: nothing is changed.
pub const DEFAULT_VARIANT: HeapVariant = HeapVariant {
    name: "default",
    description: "as its authors ship it",
    environment: &[],
    source: "none needed",
};

/// Constant properties of a heap.
#[derive(Clone, Copy, Debug)]
pub struct HeapTraits {
    /// The name under which it is registered.
    pub name: &'static str,
    /// Its design, in one line.
    pub description: &'static str,
    /// Environment variables that every variant needs at process start.
    pub environment: Environment,
    /// Its variants, [`DEFAULT_VARIANT`] first.
    pub variants: &'static [HeapVariant],
    /// Whether it hands out real, distinct memory. The null heap does not: it measures the cost of
    /// the harness.
    pub keeps_values: bool,
    /// Whether it exists only for tests of the harness.
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

/// A heap's own statistics, in bytes; `None` if it keeps no such number. The kernel's numbers are
/// the reference; these are shown beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapStatistics {
    /// Bytes handed out and not yet freed, as the allocator counts them (often rounded to size
    /// classes).
    pub allocated_bytes: Option<u64>,
    /// Bytes mapped from the system, or resident from the allocator's point of view.
    pub mapped_bytes: Option<u64>,
}

/// An allocator, called through its own entry points.
///
/// There is one instance per process, reached as `&'static dyn Heap`.
pub trait Heap: Sync + std::fmt::Debug {
    /// Its constant properties.
    fn traits(&self) -> &'static HeapTraits;

    /// Prepares the process: loads the library and checks that the environment took effect. Called
    /// once before anything else; later calls do nothing.
    ///
    /// # Errors
    /// [`OpenError`] says what is missing and how to get it.
    fn open(&self) -> Result<(), OpenError>;

    /// The library that this machine lacks for it, and how to get it: an [`OpenError::Missing`].
    /// Heaps that are linked in lack nothing.
    fn lacking(&self) -> Option<OpenError> {
        None
    }

    /// Memory, in bytes, that the heap made resident before its first use (in a constructor of the
    /// program). It belongs to the heap, so the harness excludes it from the baseline. Called first
    /// in a fresh process, before anything else is mapped.
    fn resident_before_open_bytes(&self) -> u64 {
        0
    }

    /// Called by each thread before it uses the heap, for allocators that need to know.
    fn thread_start(&self) {}

    /// Called by each thread after its last use.
    fn thread_end(&self) {}

    /// Allocates at least `bytes` bytes, aligned to 16 (8 for requests of at most 8). Returns
    /// `None` when the heap is exhausted. A request of 0 bytes may be treated as 1.
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Frees a block. Any thread may free it.
    ///
    /// # Safety
    /// `block` came from [`allocate`](Self::allocate) of this heap with this `bytes` and was not
    /// freed since.
    #[expect(
        unsafe_code,
        reason = "a declaration: the callers' obligation is part of the contract"
    )]
    unsafe fn free(&self, block: NonNull<u8>, bytes: usize);

    /// Resizes a block from `old_bytes` to `bytes` bytes, in place or by moving it, like C's
    /// `realloc`. The contents are kept up to the smaller size. If another address is returned, the
    /// given block is gone; `None` leaves it as it was. A request of 0 bytes may be treated as 1.
    /// The result is freed with [`release`](Self::release).
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

    /// Allocates at least `bytes` bytes at a multiple of `alignment`, a power of two. Returns
    /// `None` when the heap is exhausted or does not support the alignment. Alignments below 16 may
    /// be treated as 16, and a request of 0 bytes as 1. The result is freed with
    /// [`release`](Self::release).
    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Frees a block like C's `free`: through the entry point that is not told the size, if there
    /// is one. `alignment` is 0 if none was requested. Any thread may free it.
    ///
    /// The default suits heaps whose [`free`](Self::free) does not rely on the size.
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

    /// Bytes of the block that the caller may use, if the allocator tells.
    ///
    /// # Safety
    /// `block` is live and came from this heap.
    #[expect(
        unsafe_code,
        reason = "a declaration: the callers' obligation is part of the contract"
    )]
    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize>;

    /// Returns as much memory to the system as it can. Called on every thread that used the heap
    /// (for thread caches), and its effect is then measured.
    fn purge(&self);

    /// The version in use, as the heap reports it if it can.
    fn version(&self) -> String;

    /// The version, if it is known without [`open`](Self::open) and without starting anything.
    fn version_unopened(&self) -> Option<String> {
        None
    }

    /// The current settings.
    fn settings(&self) -> Vec<Setting>;

    /// The heap's own statistics.
    fn statistics(&self) -> HeapStatistics;
}

/// [`Heap::reallocate`] for heaps without such an entry point: always a new block and a copy.
///
/// # Safety
/// As for [`Heap::reallocate`], for a heap whose [`Heap::free`] does not rely on the size.
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
