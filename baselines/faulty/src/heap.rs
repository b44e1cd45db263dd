//! The C library's allocator with a planted fault.

use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{DEFAULT_VARIANT, Heap, HeapStatistics, HeapTraits, HeapVariant, OpenError, Setting};

use crate::Fault;

/// Extra bytes that each allocation leaks, for [`Fault::Leak`].
const LEAK_BYTES: usize = 64 << 10;

/// The variable that names the fault to plant when the heap is opened, and the number of good
/// allocations before it.
const VARIABLE: &str = "FAULTY_HEAP";

static TRAITS: HeapTraits = HeapTraits {
    name: "faulty",
    description: "the C library's malloc; crashes, panics, hangs or leaks on purpose",
    variants: &[
        DEFAULT_VARIANT,
        HeapVariant {
            name: "crash",
            description: "aborts the process after 1000 allocations",
            environment: &[(VARIABLE, "crash 1000")],
            ..DEFAULT_VARIANT
        },
        HeapVariant {
            name: "panic",
            description: "panics after 1000 allocations",
            environment: &[(VARIABLE, "panic 1000")],
            ..DEFAULT_VARIANT
        },
        HeapVariant {
            name: "hang",
            description: "hangs after 1000 allocations",
            environment: &[(VARIABLE, "hang 1000")],
            ..DEFAULT_VARIANT
        },
        HeapVariant {
            name: "leak",
            description: "leaks 64 KiB with each allocation after 1000",
            environment: &[(VARIABLE, "leak 1000")],
            ..DEFAULT_VARIANT
        },
    ],
    test_only: true,
    ..HeapTraits::BASE
};

static PLANTED: OnceLock<Planted> = OnceLock::new();
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Planted {
    fault: Fault,
    after_allocations: u64,
}

const NOTHING: Planted = Planted { fault: Fault::None, after_allocations: u64::MAX };

/// A heap that behaves until a fault is planted, by [`plant_in_heap`] or by opening one of its
/// variants.
#[derive(Debug)]
pub struct FaultyHeap;

impl FaultyHeap {
    fn planted() -> Planted {
        PLANTED.get().copied().unwrap_or(NOTHING)
    }

    /// Counts an allocation, and commits the fault when it is due.
    fn count() {
        let Planted { fault, after_allocations } = Self::planted();
        // Relaxed: a count orders nothing.
        if ALLOCATIONS.fetch_add(1, Ordering::Relaxed) >= after_allocations {
            fault.strike();
            if fault == Fault::Leak {
                crate::fault::leak(LEAK_BYTES);
            }
        }
    }
}

/// The faulty heap of the process.
#[must_use]
pub fn faulty_heap() -> &'static dyn Heap {
    &FaultyHeap
}

/// Makes the faulty heap misbehave after `after_allocations` allocations.
///
/// # Errors
/// [`OpenError::BadSetting`] for faults of stores, and if another fault is already planted: a
/// process has one heap of each kind.
pub fn plant_in_heap(fault: Fault, after_allocations: u64) -> Result<(), OpenError> {
    if !Fault::OF_HEAPS.contains(&fault) {
        return Err(refused(fault.name(), &Fault::OF_HEAPS.map(Fault::name).join(", ")));
    }
    let planted = Planted { fault, after_allocations };
    if *PLANTED.get_or_init(|| planted) != planted {
        return Err(refused(fault.name(), "the fault that is planted already"));
    }
    Ok(())
}

fn refused(value: &str, accepted: &str) -> OpenError {
    OpenError::BadSetting {
        setting: "fault".to_owned(),
        value: value.to_owned(),
        accepted: accepted.to_owned(),
    }
}

impl Heap for FaultyHeap {
    fn traits(&self) -> &'static HeapTraits {
        &TRAITS
    }

    fn open(&self) -> Result<(), OpenError> {
        let Ok(wish) = std::env::var(VARIABLE) else { return Ok(()) };
        let number = |after: &str| after.parse().ok();
        let parsed = wish.split_once(' ').and_then(|(name, after)| Some((name, number(after)?)));
        let Some((name, after_allocations)) = parsed else {
            return Err(refused(
                &wish,
                "a fault and a number of allocations, such as `crash 1000`",
            ));
        };
        plant_in_heap(name.parse()?, after_allocations)
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        Self::count();
        // SAFETY: malloc has no preconditions.
        NonNull::new(unsafe { libc::malloc(bytes.max(1)) }.cast())
    }

    unsafe fn free(&self, block: NonNull<u8>, _bytes: usize) {
        // SAFETY: by contract a live block of `allocate`, which is malloc's.
        unsafe { libc::free(block.as_ptr().cast()) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        _old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        Self::count();
        // SAFETY: by contract a live block of `allocate`, which is malloc's; the size is not 0.
        NonNull::new(unsafe { libc::realloc(block.as_ptr().cast(), bytes.max(1)) }.cast())
    }

    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        Self::count();
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { libc::memalign(alignment, bytes.max(1)) }.cast())
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: by contract a live block of `allocate`, which is malloc's.
        Some(unsafe { libc::malloc_usable_size(block.as_ptr().cast()) })
    }

    fn purge(&self) {
        // SAFETY: malloc_trim has no preconditions.
        unsafe { libc::malloc_trim(0) };
    }

    fn version(&self) -> String {
        "the C library's".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        let Planted { fault, after_allocations } = Self::planted();
        vec![Setting::new("fault", fault), Setting::new("after_allocations", after_allocations)]
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics::default()
    }
}
