//! Objects allocated directly; a handle is the block's address.

use std::ptr::NonNull;

use super::target::{CHECK_EVERY, Refused, Target, Values};
use engine::Heap;
use record::Verification;

/// One thread's access to an allocator.
#[derive(Debug)]
pub(super) struct HeapTarget {
    heap: &'static dyn Heap,
    /// The whole set is kept, the buffer included: memory that was resident at the baseline stays
    /// resident.
    values: Values,
    destroyed: u64,
    verification: Verification,
}

impl HeapTarget {
    /// Prepares the calling thread.
    pub(super) fn new(heap: &'static dyn Heap, values: Values) -> Self {
        heap.thread_start();
        Self { heap, values, destroyed: 0, verification: Verification::default() }
    }
}

impl Drop for HeapTarget {
    fn drop(&mut self) {
        self.heap.thread_end();
    }
}

impl Target for HeapTarget {
    fn create(&mut self, bytes: usize) -> Result<u64, Refused> {
        let block = self.heap.allocate(bytes).ok_or(Refused::Full)?;
        let handle = block.as_ptr().expose_provenance() as u64;
        let value = self.values.writer.value(handle, bytes);
        // SAFETY: the heap just returned `bytes` bytes at `block` to this caller alone; the writer's
        // buffer is not in this heap's free memory, so the two do not overlap.
        unsafe { block.as_ptr().copy_from_nonoverlapping(value.as_ptr(), bytes) };
        Ok(handle)
    }

    fn destroy(&mut self, handle: u64, bytes: usize) {
        self.destroyed += 1;
        if self.destroyed.is_multiple_of(CHECK_EVERY) {
            self.verify(handle, bytes);
        }
        let block = block_at(handle);
        // SAFETY: the handle came from `create` with this size, and the workload destroys each
        // object once: it leaves the table of live objects before it comes here.
        unsafe { self.heap.free(block, bytes) };
    }

    fn verify(&mut self, handle: u64, bytes: usize) {
        if !self.heap.traits().keeps_values {
            return;
        }
        let block = block_at(handle);
        // SAFETY: the object is live, so its `bytes` bytes are ours and were all written by
        // `create`; a hand-over to this thread ordered those writes before.
        let value = unsafe { std::slice::from_raw_parts(block.as_ptr(), bytes) };
        self.verification.checked += 1;
        if !self.values.checker.check(handle, value).is_good() {
            self.verification.wrong += 1;
        }
    }

    fn verification(&self) -> Verification {
        self.verification
    }

    fn trim(&mut self) {
        self.heap.purge();
    }
}

fn block_at(handle: u64) -> NonNull<u8> {
    NonNull::new(std::ptr::with_exposed_provenance_mut(handle as usize))
        .expect("a handle is the address of a block")
}
