//! One thread's replay of its events on an allocator.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::Heap;
use platform::clock::monotonic_ns;

use super::block;
use super::compiled_trace::{Action, Event};
use super::place::Place;
use super::target::CHECK_EVERY;
use record::Verification;

/// Largest request to a heap that hands out no memory of its own: it prices the harness, and has no more
/// than that to write to.
const ALIASED_BYTES_MAX: usize = 1 << 20;
const ALIASED_ALIGNMENT_MAX: usize = 4096;

/// State shared by all threads of a replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<'a> {
    pub(super) heap: &'static dyn Heap,
    pub(super) places: &'a [Place],
    /// Raised by a thread that cannot go on; otherwise others would wait for its events.
    pub(super) given_up: &'a AtomicBool,
}

/// One thread's replay.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    shared: Shared<'a>,
    /// Counter of live bytes that the parent reads.
    counter: &'a AtomicU64,
    bytes_max: usize,
    alignment_max: usize,
    ran: Ran,
    events_to_check: u64,
}

/// A thread's results since the replay began; only the times are those of the last segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ran {
    /// When the thread's last segment began and ended.
    pub(super) started_ns: u64,
    pub(super) ended_ns: u64,
    pub(super) operations: u64,
    /// Bytes and objects allocated less those freed by this thread; wraps if it freed more.
    pub(super) live_bytes: u64,
    pub(super) live_objects: u64,
    pub(super) verification: Verification,
    /// Bytes of the refused object.
    pub(super) refused_bytes: Option<u64>,
}

impl<'a> Replay<'a> {
    /// Prepares the calling thread.
    pub(super) fn new(shared: Shared<'a>, counter: &'a AtomicU64) -> Self {
        shared.heap.thread_start();
        let real = shared.heap.traits().keeps_values;
        Self {
            shared,
            counter,
            bytes_max: if real { usize::MAX } else { ALIASED_BYTES_MAX },
            alignment_max: if real { usize::MAX } else { ALIASED_ALIGNMENT_MAX },
            ran: Ran::default(),
            events_to_check: CHECK_EVERY,
        }
    }

    /// Replays `events`, which follow those replayed before.
    pub(super) fn run(&mut self, events: &[Event]) -> Ran {
        self.ran.started_ns = monotonic_ns();
        for event in events {
            if !self.replay(*event) {
                // Relaxed: polled by waiting threads; nothing is published with it.
                self.shared.given_up.store(true, Ordering::Relaxed);
                break;
            }
            self.ran.operations += 1;
            // Relaxed: a sample for the parent's curve.
            self.counter.store(self.ran.live_bytes, Ordering::Relaxed);
        }
        self.ran.ended_ns = monotonic_ns();
        self.ran
    }

    /// Checks every `stride`-th place from `first` on. No thread is replaying meanwhile.
    pub(super) fn verify(&mut self, first: usize, stride: usize) -> Ran {
        for number in (first..self.shared.places.len()).step_by(stride) {
            let (block, bytes) = self.shared.places[number].block();
            if let Some(block) = block {
                // SAFETY: it holds a live object of this size, and no thread changes it during the check.
                let good = unsafe { block::has_stamp(block, bytes, stamp(number as u32, bytes)) };
                self.count(good);
            }
        }
        self.ran
    }

    /// Purges the memory that this thread can give back.
    pub(super) fn trim(&self) -> Ran {
        self.shared.heap.purge();
        self.ran
    }

    /// Replays one event; `false` if the replay cannot go on.
    fn replay(&mut self, event: Event) -> bool {
        let places = self.shared.places;
        let place = &places[event.place as usize];
        if event.waits() && !place.wait_for(event.turn, self.shared.given_up) {
            return false;
        }
        let bytes = event.bytes();
        // The block left in the place, if none was refused, and the change in objects and bytes.
        let (left, objects, grown) = match (event.action(), place.block()) {
            (Action::Allocate, _) => (self.allocate(event).map(Some), 1, bytes),
            (Action::Reallocate, (Some(old), old_bytes)) => {
                let made = self.reallocate(event, old, old_bytes);
                (made.map(Some), 0, bytes.wrapping_sub(old_bytes))
            }
            (Action::Free, (Some(block), _)) => {
                self.free(event, block);
                (Some(None), 1_u64.wrapping_neg(), bytes.wrapping_neg())
            }
            // `CompiledTrace` refuses such a trace.
            (_, (None, _)) => unreachable!("an event on an object that is not live"),
        };
        let Some(block) = left else {
            self.ran.refused_bytes = Some(bytes as u64);
            return false;
        };
        self.ran.live_objects = self.ran.live_objects.wrapping_add(objects);
        self.ran.live_bytes = self.ran.live_bytes.wrapping_add(grown as u64);
        place.leave(event.turn, block, bytes);
        true
    }

    fn allocate(&self, event: Event) -> Option<NonNull<u8>> {
        let bytes = event.bytes().min(self.bytes_max);
        let block = match event.alignment() {
            0 => self.shared.heap.allocate(bytes)?,
            alignment => {
                self.shared.heap.allocate_aligned(bytes, alignment.min(self.alignment_max))?
            }
        };
        // SAFETY: the heap has just handed out that many bytes, for this caller alone.
        unsafe { block::write(block, 0, bytes, stamp(event.place, bytes)) };
        Some(block)
    }

    fn reallocate(
        &mut self,
        event: Event,
        old: NonNull<u8>,
        old_bytes: usize,
    ) -> Option<NonNull<u8>> {
        let bytes = event.bytes().min(self.bytes_max);
        let old_bytes = old_bytes.min(self.bytes_max);
        let block = match event.alignment() {
            // SAFETY: the place held a live block of this size, for which no alignment was asked.
            0 => unsafe { self.shared.heap.reallocate(old, old_bytes, bytes) }?,
            alignment => {
                let alignment = alignment.min(self.alignment_max);
                // SAFETY: the place held a live block of this size and alignment.
                unsafe { move_aligned(self.shared.heap, old, old_bytes, bytes, alignment) }?
            }
        };
        if self.is_to_check() {
            let stamp = stamp(event.place, old_bytes);
            // SAFETY: the smaller of the two sizes was written and kept; the block is ours.
            let good = unsafe { block::kept_stamp(block, old_bytes, bytes, stamp) };
            self.count(good);
        }
        // SAFETY: the block has that many bytes now, and is ours alone.
        unsafe { block::write(block, old_bytes, bytes, stamp(event.place, bytes)) };
        Some(block)
    }

    fn free(&mut self, event: Event, block: NonNull<u8>) {
        let bytes = event.bytes().min(self.bytes_max);
        if self.is_to_check() {
            // SAFETY: the object is live, and its ends were written when it got this size.
            let good = unsafe { block::has_stamp(block, bytes, stamp(event.place, bytes)) };
            self.count(good);
        }
        let alignment = event.alignment().min(self.alignment_max);
        // SAFETY: the place held a live block that was last asked for with this size and
        // alignment; the place is left empty.
        unsafe { self.shared.heap.release(block, bytes, alignment) };
    }

    /// Whether this event belongs to the checked sample.
    fn is_to_check(&mut self) -> bool {
        self.events_to_check -= 1;
        if self.events_to_check > 0 {
            return false;
        }
        self.events_to_check = CHECK_EVERY;
        true
    }

    fn count(&mut self, good: bool) {
        if self.shared.heap.traits().keeps_values {
            self.ran.verification.checked += 1;
            self.ran.verification.wrong += u64::from(!good);
        }
    }
}

impl Drop for Replay<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Relaxed: polled by waiting threads; nothing is published with it.
            self.shared.given_up.store(true, Ordering::Relaxed);
        }
        self.shared.heap.thread_end();
    }
}

/// An object's stamp. Live objects have different places, so they rarely share a stamp.
fn stamp(place: u32, bytes: usize) -> u64 {
    let marked = (u64::from(place) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    marked ^ (bytes as u64).rotate_left(32)
}

/// Reallocates a block that has an alignment to one without.
///
/// # Safety
/// `block` is a live block of `heap`, made with `old_bytes` and `alignment`.
unsafe fn move_aligned(
    heap: &dyn Heap,
    block: NonNull<u8>,
    old_bytes: usize,
    bytes: usize,
    alignment: usize,
) -> Option<NonNull<u8>> {
    let moved = heap.allocate(bytes)?;
    // SAFETY: both are live and at least as long; only a heap that keeps no values lets them overlap.
    unsafe { moved.copy_from(block, old_bytes.min(bytes)) };
    // SAFETY: the caller's block, which is not used any more.
    unsafe { heap.release(block, old_bytes, alignment) };
    Some(moved)
}
