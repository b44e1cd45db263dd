//! A heap over the system's allocator that counts, and refuses or hides what it is told to.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use engine::{Heap, HeapStatistics, HeapTraits, OpenError, Setting, reallocate_elsewhere};

static TRAITS: HeapTraits = HeapTraits { name: "test", ..HeapTraits::BASE };
static VALUELESS_TRAITS: HeapTraits =
    HeapTraits { name: "valueless", keeps_values: false, ..HeapTraits::BASE };

/// See the module. Its blocks remember the length they were asked for, and every call checks that
/// its thread has started.
#[derive(Debug)]
pub struct TestHeap {
    /// Bytes above which it is exhausted.
    pub limit_bytes: u64,
    /// Whether it tells how much of a block may be used.
    pub tells: bool,
    /// Whether its traits say that it hands out distinct memory.
    pub keeps_values: bool,
    allocated_bytes: AtomicU64,
    purges: AtomicU64,
    /// Starts minus ends of each thread.
    threads: Mutex<HashMap<ThreadId, i64>>,
}

impl TestHeap {
    /// One that is never dropped, as stores want their heaps.
    #[must_use]
    pub fn leaked() -> &'static mut Self {
        Box::leak(Box::new(Self {
            limit_bytes: u64::MAX,
            tells: true,
            keeps_values: true,
            allocated_bytes: AtomicU64::new(0),
            purges: AtomicU64::new(0),
            threads: Mutex::default(),
        }))
    }

    /// Bytes asked for and not freed.
    pub fn allocated_bytes(&self) -> u64 {
        self.allocated_bytes.load(Ordering::Relaxed)
    }

    /// How often it was told to purge.
    pub fn purges(&self) -> u64 {
        self.purges.load(Ordering::Relaxed)
    }

    /// Threads that have started and not ended.
    pub fn threads(&self) -> usize {
        self.threads.lock().unwrap().values().filter(|&&uses| uses != 0).count()
    }

    fn block(bytes: usize) -> Layout {
        Layout::from_size_align(usable(bytes), 16).unwrap()
    }

    fn assert_started(&self) {
        let threads = self.threads.lock().unwrap();
        assert_eq!(threads.get(&thread::current().id()), Some(&1), "a thread that has started");
    }
}

/// What the heap gives for a request: a header of 16 bytes to remember it by, and rounding.
fn usable(bytes: usize) -> usize {
    16 + bytes.next_multiple_of(16)
}

impl Heap for TestHeap {
    fn traits(&self) -> &'static HeapTraits {
        if self.keeps_values { &TRAITS } else { &VALUELESS_TRAITS }
    }

    fn open(&self) -> Result<(), OpenError> {
        Ok(())
    }

    fn thread_start(&self) {
        let mut threads = self.threads.lock().unwrap();
        let uses = threads.entry(thread::current().id()).or_default();
        *uses += 1;
        assert_eq!(*uses, 1, "a thread starts once");
    }

    fn thread_end(&self) {
        let mut threads = self.threads.lock().unwrap();
        *threads.get_mut(&thread::current().id()).expect("a thread that has started") -= 1;
    }

    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        self.assert_started();
        let before = self.allocated_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if before + bytes as u64 > self.limit_bytes {
            self.allocated_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
            return None;
        }
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { System.alloc(Self::block(bytes)) })?;
        // SAFETY: the block begins with 16 bytes that are ours.
        unsafe { start.cast::<u64>().write(bytes as u64) };
        // SAFETY: the block is longer than its header.
        Some(unsafe { start.add(16) })
    }

    unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        self.assert_started();
        // SAFETY: blocks lie behind a header of 16 bytes.
        let start = unsafe { block.sub(16) };
        // SAFETY: the header holds the length asked for.
        let asked_bytes = unsafe { start.cast::<u64>().read() };
        assert_eq!(asked_bytes, bytes as u64, "freed with the length it was asked for");
        // Values of freed blocks must not look live.
        // SAFETY: the block is the caller's no longer.
        unsafe { block.write_bytes(0xdd, bytes) };
        self.allocated_bytes.fetch_sub(asked_bytes, Ordering::Relaxed);
        // SAFETY: allocated above with this layout.
        unsafe { System.dealloc(start.as_ptr(), Self::block(bytes)) };
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old_bytes: usize,
        bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's obligation is the same.
        unsafe { reallocate_elsewhere(self, block, old_bytes, bytes) }
    }

    /// Blocks lie behind a header, so it knows no alignment but its own.
    fn allocate_aligned(&self, bytes: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment <= 16 { self.allocate(bytes) } else { None }
    }

    unsafe fn usable_bytes(&self, block: NonNull<u8>) -> Option<usize> {
        // SAFETY: blocks lie behind a header of 16 bytes.
        let start = unsafe { block.sub(16) };
        // SAFETY: the header holds the length asked for.
        let asked_bytes = unsafe { start.cast::<u64>().read() };
        self.tells.then_some(usable(asked_bytes as usize) - 16)
    }

    fn purge(&self) {
        self.assert_started();
        self.purges.fetch_add(1, Ordering::Relaxed);
    }

    fn version(&self) -> String {
        "1".to_owned()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![Setting::new("limit_bytes", self.limit_bytes)]
    }

    fn statistics(&self) -> HeapStatistics {
        HeapStatistics { allocated_bytes: Some(self.allocated_bytes()), mapped_bytes: None }
    }
}
