//! The heap that allocates nothing. It hands out addresses from a small, touched ring, so every
//! block aliases others. A run with it costs what the harness and the workload cost.

use std::cell::{Cell, UnsafeCell};
use std::ptr::NonNull;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting};

static TRAITS: HeapTraits = HeapTraits {
    name: "null",
    description: "no allocator: addresses from a 2 MiB ring, blocks alias each other",
    keeps_values: false,
    ..HeapTraits::BASE
};

/// Size of a ring: twice the largest request, and small enough to stay in the second-level cache.
const RING_BYTES: usize = 2 << 20;

/// More threads than this share rings.
const RINGS: usize = 16;

const ALIGNMENT_BYTES: usize = 16;
const PAGE_BYTES: usize = 4096;

/// One thread's memory. Each thread has its own ring, so that two cores contending for a cache line
/// do not add to the cost of the harness.
#[repr(C, align(4096))]
struct Ring(UnsafeCell<[u8; RING_BYTES]>);

const _: () = assert!(size_of::<Ring>() == RING_BYTES);
const _: () = assert!(RING_BYTES.is_multiple_of(ALIGNMENT_BYTES));

// SAFETY: this crate never reads through it, and writes only zeroes to a ring nobody has been
// given a block of yet. Those who are given blocks were told (`keeps_values`) that they alias.
unsafe impl Sync for Ring {}

/// In .bss: not resident until the heap is opened.
static MEMORY: [Ring; RINGS] = [const { Ring(UnsafeCell::new([0; RING_BYTES])) }; RINGS];

static TOUCHED: Once = Once::new();

/// How many threads have taken a ring.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// A thread's position: the start of its ring (null before it has one) and the next offset.
#[derive(Clone, Copy)]
struct Cursor {
    ring: *mut u8,
    next: usize,
}

thread_local! {
    static CURSOR: Cell<Cursor> =
        const { Cell::new(Cursor { ring: std::ptr::null_mut(), next: 0 }) };
}

/// The heap that allocates nothing.
#[derive(Debug)]
pub(crate) struct Null;

impl Heap for Null {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    /// Touches every ring, so that the heap takes no memory afterwards.
    fn open(&self) -> Result<(), OpenError> {
        TOUCHED.call_once(touch_rings);
        Ok(())
    }

    fn thread_start(&self) {
        if CURSOR.get().ring.is_null() {
            CURSOR.set(Cursor { ring: take_ring(), next: 0 });
        }
    }

    /// `None` for more than a whole ring.
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        if bytes > RING_BYTES {
            return None;
        }
        let Cursor { mut ring, next } = CURSOR.get();
        if ring.is_null() {
            ring = take_ring();
        }
        // Rounding cannot overflow: `bytes` is at most a ring.
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT_BYTES);
        let start = if next + bytes <= RING_BYTES { next } else { 0 };
        CURSOR.set(Cursor { ring, next: start + bytes });
        NonNull::new(ring.wrapping_add(start))
    }

    unsafe fn free(&self, _block: NonNull<u8>, _bytes: usize) {}

    /// Returns the same or another address; copies nothing.
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        if bytes <= old_bytes { Some(block) } else { self.allocate(bytes) }
    }

    /// `None` if the alignment exceeds a page, which is the rings' own alignment, or if rounding up
    /// exceeds a ring.
    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment > PAGE_BYTES || bytes > RING_BYTES {
            return None;
        }
        // Skips as much of the ring as the alignment needs.
        let block = self.allocate(bytes.max(1).next_multiple_of(ALIGNMENT_BYTES) + alignment)?;
        let surplus = block.addr().get().next_multiple_of(alignment) - block.addr().get();
        NonNull::new(block.as_ptr().wrapping_add(surplus))
    }

    unsafe fn usable_bytes(&self, _block: NonNull<u8>) -> Option<usize> {
        None
    }

    fn purge(&self) {}

    fn version(&self) -> String {
        concat!("null ", env!("CARGO_PKG_VERSION")).to_owned()
    }

    fn version_unopened(&self) -> Option<String> {
        Some(self.version())
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("ring_bytes", RING_BYTES),
            Setting::new("rings", RINGS),
            Setting::new("free", "none"),
            Setting::new("purge", "none"),
        ]
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics::default()
    }
}

/// The next ring; the 17th thread gets the first one again.
fn take_ring() -> *mut u8 {
    // Relaxed: only the number matters; nothing is published with it.
    let number = TAKEN.fetch_add(1, Ordering::Relaxed);
    MEMORY[number % RINGS].0.get().cast()
}

fn touch_rings() {
    for ring in &MEMORY {
        let start: *mut u8 = ring.0.get().cast();
        for page in (0..RING_BYTES).step_by(PAGE_BYTES) {
            // SAFETY: inside the ring, of which nobody has been given a block: the heap is not
            // open yet. Volatile, or the store of a zero to zeroed memory could be dropped.
            unsafe { start.wrapping_add(page).write_volatile(0) };
        }
    }
}
