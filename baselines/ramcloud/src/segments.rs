//! The table of segments: what each slot holds and which state it is in.
//!
//! ```text
//! Free ──open──► Open ──seal──► Sealed ──select──► Cleaning ──free──► Free
//!  (a writer's)        (its contents never change)    (one cleaner's)
//! ```

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::seglets::NONE;

/// The id of a segment, never reused. `0` is no segment's id.
///
/// ```text
/// 63             24 23       0
/// +----------------+----------+
/// | sequence, from 1 |  slot  |
/// +----------------+----------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentId(pub(crate) u64);

const SLOT_BITS: u32 = 24;

impl SegmentId {
    fn new(sequence: u64, slot: u32) -> Self {
        debug_assert!(slot >> SLOT_BITS == 0 && sequence > 0);
        Self(sequence << SLOT_BITS | u64::from(slot))
    }

    pub(crate) fn slot(self) -> u32 {
        (self.0 & ((1 << SLOT_BITS) - 1)) as u32
    }
}

/// The state of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// No segment.
    Free,
    /// A writer appends to it.
    Open,
    /// Complete; a candidate for cleaning.
    Sealed,
    /// A cleaner moves its survivors away.
    Cleaning,
}

/// A slot. Its counters are written by whoever owns the state, except for the dead bytes. The
/// counters of an open segment stay with its writer until published.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Segment {
    /// Bytes of objects that died; any session adds to it.
    dead_bytes: AtomicU64,
    id: AtomicU64,
    state: AtomicU8,
    pub(crate) first: AtomicU32,
    pub(crate) seglets: AtomicUsize,
    /// Bytes up to the end of the last entry.
    pub(crate) length: AtomicUsize,
    /// Bytes of all objects, including dead ones.
    pub(crate) object_bytes: AtomicU64,
    /// Number of tombstones, including dead ones.
    pub(crate) tombstones: AtomicU64,
    /// Number of tombstones that the last scan found dead.
    pub(crate) dead_tombstones: AtomicU64,
    /// How many segments had been freed when it was last scanned.
    pub(crate) scanned: AtomicU64,
    /// Mean time at which its entries were written, weighted by size.
    pub(crate) written: AtomicU64,
}

impl Segment {
    fn new() -> Self {
        Self {
            dead_bytes: AtomicU64::new(0),
            id: AtomicU64::new(0),
            state: AtomicU8::new(State::Free as u8),
            first: AtomicU32::new(NONE),
            seglets: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
            object_bytes: AtomicU64::new(0),
            tombstones: AtomicU64::new(0),
            dead_tombstones: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
            written: AtomicU64::new(0),
        }
    }

    #[inline]
    pub(crate) fn id(&self) -> SegmentId {
        // Relaxed: just an id; whoever reads the segment behind it gets there another way.
        SegmentId(self.id.load(Ordering::Relaxed))
    }

    pub(crate) fn state(&self) -> State {
        // Acquire: pairs with the release in `set_state`; a sealed segment is seen whole.
        match self.state.load(Ordering::Acquire) {
            0 => State::Free,
            1 => State::Open,
            2 => State::Sealed,
            _ => State::Cleaning,
        }
    }

    pub(crate) fn set_state(&self, state: State) {
        // Release: pairs with the acquire in `state`.
        self.state.store(state as u8, Ordering::Release);
    }

    /// Counts an object as dead, after its reference was replaced under its bucket's lock.
    #[inline]
    pub(crate) fn bury(&self, object_bytes: usize) {
        // Release: pairs with the acquire in `live_object_bytes`. A thread that sees that all
        // objects are dead comes after every reader of them, since those held the buckets' locks
        // before.
        self.dead_bytes.fetch_add(object_bytes as u64, Ordering::Release);
    }

    /// Bytes of objects that hash tables lead to.
    pub(crate) fn live_object_bytes(&self) -> u64 {
        // Acquire: pairs with the release in `bury`. The dead bytes may exceed the total while the
        // writer of an open segment has not published its counters.
        let dead_bytes = self.dead_bytes.load(Ordering::Acquire);
        self.object_bytes.load(Ordering::Relaxed).saturating_sub(dead_bytes)
    }

    /// Number of tombstones not known to be dead.
    pub(crate) fn live_tombstones(&self) -> u64 {
        // Relaxed: counters.
        let dead = self.dead_tombstones.load(Ordering::Relaxed);
        self.tombstones.load(Ordering::Relaxed).saturating_sub(dead)
    }
}

/// Slots in addition to one per seglet: writers take a slot before they have a seglet.
const SPARE_SLOTS: usize = 16;

/// All slots of an instance. Every segment has a seglet, so there are enough slots.
#[derive(Debug)]
pub(crate) struct Segments {
    slots: Box<[Segment]>,
    free: Mutex<Vec<u32>>,
    sequence: AtomicU64,
    /// Number of slots ever used.
    used: AtomicUsize,
    freed: AtomicU64,
}

impl Segments {
    /// A table for as many segments as there are `seglets`.
    pub(crate) fn new(seglets: usize) -> Self {
        let count = seglets + SPARE_SLOTS;
        assert!(count < 1 << SLOT_BITS, "slots are counted in {SLOT_BITS} bits");
        Self {
            slots: (0..count).map(|_| Segment::new()).collect(),
            free: Mutex::new((0..count as u32).rev().collect()),
            sequence: AtomicU64::new(1),
            used: AtomicUsize::new(0),
            freed: AtomicU64::new(0),
        }
    }

    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> &Segment {
        &self.slots[slot as usize]
    }

    /// Every slot ever used, with its number.
    pub(crate) fn used(&self) -> impl Iterator<Item = (u32, &Segment)> {
        // Acquire: pairs with the release in `open`.
        let used = self.used.load(Ordering::Acquire);
        (0..).zip(&self.slots[..used])
    }

    /// Number of segments freed so far. A tombstone that was alive at one count may be dead at the
    /// next.
    pub(crate) fn freed(&self) -> u64 {
        // Acquire: pairs with the release in `free`; the segments counted are gone.
        self.freed.load(Ordering::Acquire)
    }

    /// Whether the log contains a segment with this id.
    pub(crate) fn contains(&self, id: SegmentId) -> bool {
        self.slot(id.slot()).id() == id
    }

    /// Reserves a slot; [`open`](Self::open) or [`put_back`](Self::put_back) must follow.
    pub(crate) fn take(&self) -> u32 {
        self.lock().pop().expect("a slot for each seglet and some to spare")
    }

    pub(crate) fn put_back(&self, slot: u32) {
        self.lock().push(slot);
    }

    /// Makes a reserved slot an open segment.
    pub(crate) fn open(&self, slot: u32, first: u32) {
        let segment = self.slot(slot);
        // Relaxed, all of them: the state's release orders them.
        segment.first.store(first, Ordering::Relaxed);
        for figure in [
            &segment.dead_bytes,
            &segment.object_bytes,
            &segment.tombstones,
            &segment.dead_tombstones,
            &segment.scanned,
            &segment.written,
        ] {
            figure.store(0, Ordering::Relaxed);
        }
        segment.seglets.store(0, Ordering::Relaxed);
        segment.length.store(0, Ordering::Relaxed);
        let sequence = self.sequence.fetch_add(1, Ordering::Relaxed);
        segment.id.store(SegmentId::new(sequence, slot).0, Ordering::Relaxed);
        segment.set_state(State::Open);
        // Release: pairs with the acquire in `used`.
        self.used.fetch_max(slot as usize + 1, Ordering::Release);
    }

    /// Frees a segment without references; returns its first seglet, which the caller must give
    /// back.
    pub(crate) fn free(&self, slot: u32) -> u32 {
        let segment = self.slot(slot);
        debug_assert_eq!(segment.state(), State::Cleaning);
        let first = segment.first.load(Ordering::Relaxed);
        segment.id.store(0, Ordering::Relaxed);
        segment.set_state(State::Free);
        // Release: pairs with the acquire in `freed`.
        self.freed.fetch_add(1, Ordering::Release);
        self.put_back(slot);
        first
    }

    pub(crate) fn table_bytes(&self) -> usize {
        self.slots.len() * (size_of::<Segment>() + size_of::<u32>())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        // No step under the lock panics half-way.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_used_twice() {
        let segments = Segments::new(2);
        let slot = segments.take();
        segments.open(slot, 5);
        let id = segments.slot(slot).id();
        assert!(segments.contains(id));
        assert_eq!(segments.slot(slot).state(), State::Open);
        segments.slot(slot).set_state(State::Cleaning);
        assert_eq!(segments.free(slot), 5);
        assert!(!segments.contains(id));
        assert_eq!((segments.take(), segments.freed()), (slot, 1));
        segments.open(slot, 6);
        assert!(!segments.contains(id), "the slot is the same, the segment another");
    }
}
