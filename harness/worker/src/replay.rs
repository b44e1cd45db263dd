//! One thread's replay of its events on an allocator.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::Heap;
use platform::clock::monotonic_ns;

use super::block;
use super::place::Place;
use super::staging::{Action, Event};
use super::target::CHECK_EVERY;
use record::Verification;

/// What a heap is asked for that hands out no memory of its own, at most: it prices the harness,
/// and has no more than that to write to.
const ALIASED_BYTES_MAX: usize = 1 << 20;
const ALIASED_ALIGNMENT_MAX: usize = 4096;

/// What all threads of a replay share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage<'a> {
    pub(super) heap: &'static dyn Heap,
    pub(super) places: &'a [Place],
    /// Raised by a thread that cannot go on; others would wait for its events.
    pub(super) given_up: &'a AtomicBool,
}

/// One thread's replay.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    stage: Stage<'a>,
    /// Where the parent reads the live bytes.
    counter: &'a AtomicU64,
    bytes_max: usize,
    alignment_max: usize,
    ran: Ran,
    events_to_check: u64,
}

/// A thread's account, since the replay began but for the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ran {
    /// When the thread's last segment began and ended.
    pub(super) started_ns: u64,
    pub(super) ended_ns: u64,
    pub(super) operations: u64,
    /// Bytes and objects it made less those it freed: wrapped where it freed more.
    pub(super) live_bytes: u64,
    pub(super) live_objects: u64,
    pub(super) verification: Verification,
    /// Bytes of the object that was refused.
    pub(super) refused_bytes: Option<u64>,
}

impl<'a> Replay<'a> {
    /// Prepares the calling thread.
    pub(super) fn new(stage: Stage<'a>, counter: &'a AtomicU64) -> Self {
        stage.heap.thread_start();
        let real = stage.heap.traits().keeps_values;
        Self {
            stage,
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
                // Relaxed: polled by those who wait; nothing is published with it.
                self.stage.given_up.store(true, Ordering::Relaxed);
                break;
            }
            self.ran.operations += 1;
            // Relaxed: a sample for the parent's curve.
            self.counter.store(self.ran.live_bytes, Ordering::Relaxed);
        }
        self.ran.ended_ns = monotonic_ns();
        self.ran
    }

    /// Checks every so many of the places from `first` on. All threads stand still.
    pub(super) fn verify(&mut self, first: usize, stride: usize) -> Ran {
        for number in (first..self.stage.places.len()).step_by(stride) {
            let (block, bytes) = self.stage.places[number].block();
            if let Some(block) = block {
                // SAFETY: it holds a live object of this size, which nobody changes meanwhile.
                let good = unsafe { block::has_stamp(block, bytes, stamp(number as u32, bytes)) };
                self.count(good);
            }
        }
        self.ran
    }

    /// Gives back what this thread can.
    pub(super) fn trim(&self) -> Ran {
        self.stage.heap.purge();
        self.ran
    }

    /// `false` where the replay cannot go on.
    fn replay(&mut self, event: Event) -> bool {
        let places = self.stage.places;
        let place = &places[event.place as usize];
        if event.waits() && !place.wait_for(event.turn, self.stage.given_up) {
            return false;
        }
        let bytes = event.bytes();
        // The block that is left, if none was refused, and what objects and bytes grow by.
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
            // Staging lets no such event through.
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
            0 => self.stage.heap.allocate(bytes)?,
            alignment => {
                self.stage.heap.allocate_aligned(bytes, alignment.min(self.alignment_max))?
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
            0 => unsafe { self.stage.heap.reallocate(old, old_bytes, bytes) }?,
            alignment => {
                let alignment = alignment.min(self.alignment_max);
                // SAFETY: the place held a live block of this size and alignment.
                unsafe { move_aligned(self.stage.heap, old, old_bytes, bytes, alignment) }?
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
        unsafe { self.stage.heap.release(block, bytes, alignment) };
    }

    /// Whether this event is one of the sample that is checked.
    fn is_to_check(&mut self) -> bool {
        self.events_to_check -= 1;
        if self.events_to_check > 0 {
            return false;
        }
        self.events_to_check = CHECK_EVERY;
        true
    }

    fn count(&mut self, good: bool) {
        if self.stage.heap.traits().keeps_values {
            self.ran.verification.checked += 1;
            self.ran.verification.wrong += u64::from(!good);
        }
    }
}

impl Drop for Replay<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Relaxed: polled by those who wait; nothing is published with it.
            self.stage.given_up.store(true, Ordering::Relaxed);
        }
        self.stage.heap.thread_end();
    }
}

/// What an object is marked with. Live objects have places of their own, and hardly share a mark.
fn stamp(place: u32, bytes: usize) -> u64 {
    let marked = (u64::from(place) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    marked ^ (bytes as u64).rotate_left(32)
}

/// Reallocates a block for which an alignment was asked, and of which none is asked any more.
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
    // SAFETY: both are live and at least as long; only a heap without values lets them overlap.
    unsafe { moved.copy_from(block, old_bytes.min(bytes)) };
    // SAFETY: the caller's block, which nobody uses any more.
    unsafe { heap.release(block, old_bytes, alignment) };
    Some(moved)
}
