//! The null heap: addresses one may write to, of any size it promises, and nothing else.

use engine::Heap;

const RING_BYTES: usize = 2 << 20;

fn null() -> &'static dyn Heap {
    let heap = heaps::by_name("null").expect("registered");
    heap.open().expect("nothing to miss");
    heap
}

#[test]
fn blocks_lie_inside_one_ring_and_alias() {
    let heap = null();
    assert!(!heap.traits().keeps_values);
    let mut lowest = usize::MAX;
    let mut highest = 0;
    for number in 0..100_000_usize {
        let bytes = number.wrapping_mul(7919) % ((1 << 20) + 1);
        let block = heap.allocate(bytes).expect("up to 1 MiB");
        assert!(block.addr().get().is_multiple_of(16), "{block:?}");
        if number % 100 == 0 {
            // SAFETY: the block has `bytes` bytes, and no other thread has this thread's ring.
            unsafe { block.as_ptr().write_bytes(1, bytes) };
        }
        lowest = lowest.min(block.addr().get());
        highest = highest.max(block.addr().get() + bytes);
        // SAFETY: a block of this heap; freeing does nothing.
        unsafe { heap.free(block, bytes) };
    }
    assert!(highest - lowest <= RING_BYTES, "{lowest:x}..{highest:x}");
}

#[test]
fn requests_beyond_the_ring_are_refused() {
    let heap = null();
    assert!(heap.allocate(RING_BYTES).is_some());
    assert!(heap.allocate(RING_BYTES + 1).is_none());
    assert!(heap.allocate(usize::MAX).is_none());
}

#[test]
fn alignments_up_to_a_page_are_met_inside_the_ring() {
    let heap = null();
    for alignment in (4..=12).map(|log| 1_usize << log) {
        for bytes in [0, 1, 100, RING_BYTES - 4096 - 16] {
            let block = heap.allocate_aligned(bytes, alignment).expect("it fits into the ring");
            assert!(block.addr().get().is_multiple_of(alignment), "{block:?}");
            // SAFETY: the block has `bytes` bytes, and no other thread has this thread's ring.
            unsafe { block.as_ptr().write_bytes(1, bytes) };
        }
    }
    assert!(heap.allocate_aligned(1, 8192).is_none());
    assert!(heap.allocate_aligned(RING_BYTES, 4096).is_none());
    assert!(heap.allocate_aligned(usize::MAX, 16).is_none());
}

#[test]
fn threads_do_not_share_a_ring() {
    let heap = null();
    let here = heap.allocate(1).expect("1 byte").addr().get();
    let there = std::thread::spawn(|| null().allocate(1).expect("1 byte").addr().get());
    let there = there.join().expect("a thread");
    assert!(here.abs_diff(there) >= RING_BYTES / 2, "{here:x} and {there:x}");
}
