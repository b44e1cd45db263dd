//! The `SegmentInfo` table: one cache line per segment with its live bytes.

use crate::address::{BlockId, SegmentId};
use crate::constants::HEADER_BYTES;
use crate::epoch::Stamp;
use crate::instrument::{Mutant, mutated};
use crate::segment::state::SegmentState;
use crate::sync::edge::{self, Edge};
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Live bytes and live objects of one segment in a single word, so that one atomic addition updates
/// both.
///
/// ```text
///  63                            24 23                           0
/// +--------------------------------+------------------------------+
/// |       live object bytes        |         live objects         |
/// |            40 bits             |           24 bits            |
/// +--------------------------------+------------------------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Live(u64);

const OBJECT_BITS: u32 = 24;
const BYTE_BITS: u32 = 40;
const _: () = assert!(OBJECT_BITS + BYTE_BITS == u64::BITS);
// The most objects a segment can hold (small ones never stretch it beyond its planned size by
// more than an object) fit their field.
const _: () = assert!(crate::constants::SEGMENT_BYTES_MAX / HEADER_BYTES * 2 < 1 << OBJECT_BITS);

impl Live {
    /// One object of `bytes` bytes, header included.
    #[inline]
    pub(crate) fn one(bytes: u64) -> Self {
        Self((bytes << OBJECT_BITS) | 1)
    }

    pub(crate) fn bytes(self) -> u64 {
        self.0 >> OBJECT_BITS
    }

    pub(crate) fn objects(self) -> u64 {
        self.0 & ((1 << OBJECT_BITS) - 1)
    }
}

impl std::ops::AddAssign for Live {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// ```text
/// offset  size  field    written by                          read by
///      0     8  live     PUT, DEL, relocation, bucket locked  workers, census
///      8     8  used     the head or worker that appends      workers, census
///     16     8  start    the worker that compacts             check
///     24     8  closed   whoever closes, once: epoch          workers (grace)
///     32     8  since    whoever closes, once: ticks          workers (age)
///     40     4  state    see `SegmentState`; leases above it  everybody
///     44     4  first    opener; the worker that compacts     workers, check
///     48     4  blocks   as first                             workers, census
///     52     4  life     opener                               sessions that know a hole
///     56     8  -        padding to one line
/// ```
///
/// Invariant, while writers are quiet: `live <= used - start <= blocks * block bytes`.
///
/// | edge  | from                    | to                          | guarantees                        |
/// |-------|-------------------------|-----------------------------|-----------------------------------|
/// | LEASE | `Lease::drop`, Release  | `SegmentInfo::pick`, Acquire | what was written into holes is there, published and counted |
/// | LIFE  | `become_state`, Release | `SegmentInfo::lease`, Acquire | a closed segment shows its life  |
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(crate) struct SegmentInfo {
    live: AtomicU64,
    used: AtomicU64,
    start: AtomicU64,
    closed: AtomicU64,
    since: AtomicU64,
    state: AtomicU32,
    first: AtomicU32,
    blocks: AtomicU32,
    life: AtomicU32,
}
#[cfg(not(loom))]
const _: () = assert!(size_of::<SegmentInfo>() == 64);
#[cfg(not(loom))]
const _: () = assert!(std::mem::offset_of!(SegmentInfo, state) == 40);

// Every access below is relaxed unless stated otherwise. `live` changes under a bucket lock (edge
// BUCKET), and its other readers want an estimate. The remaining fields are written by the
// segment's single owner and reach the next owner through a mutex (head, inbox, worker state).
impl SegmentInfo {
    #[inline]
    pub(crate) fn live(&self) -> Live {
        Live(self.live.load(Ordering::Relaxed))
    }

    /// An object became live here. Its key's bucket must be locked.
    #[inline]
    pub(crate) fn gain(&self, bytes: u64) {
        self.live.fetch_add(Live::one(bytes).0, Ordering::Relaxed);
    }

    /// An object died here. Its key's bucket must be locked.
    #[inline]
    pub(crate) fn lose(&self, bytes: u64) {
        // LAST-DEATH, from: the bucket was locked before, so a search that sees this waits until
        // the entry is gone.
        let ordering = edge::from(Edge::LastDeath, Ordering::Release);
        let before = Live(self.live.fetch_sub(Live::one(bytes).0, ordering));
        debug_assert!(before.bytes() >= bytes && before.objects() >= 1, "an object died twice");
    }

    /// A live object here was overwritten in place. Its key's bucket must be locked.
    #[inline]
    pub(crate) fn resize(&self, before: u64, after: u64) {
        let difference = (after << OBJECT_BITS).wrapping_sub(before << OBJECT_BITS);
        if difference != 0 {
            self.live.fetch_add(difference, Ordering::Relaxed);
        }
    }

    /// Whether no live object is left here. For segments that nobody writes to.
    pub(crate) fn is_dead(&self) -> bool {
        // LAST-DEATH, to: a thread that finds nothing alive may retire the segment without a look
        // into the index; every entry that led here has been seen to go.
        self.live.load(edge::to(Edge::LastDeath, Ordering::Acquire)) == 0
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_used(&self, bytes: u64) {
        self.used.store(bytes, Ordering::Relaxed);
    }

    /// Appended bytes that no live object holds. Includes objects appended but not yet published.
    pub(crate) fn dead(&self) -> u64 {
        // Saturating: without the owner's lock the three values may be from different moments.
        self.used().saturating_sub(self.start() + self.live().bytes())
    }

    pub(crate) fn start(&self) -> u64 {
        self.start.load(Ordering::Relaxed)
    }

    /// When it closed, on the clock of epochs.
    pub(crate) fn closed(&self) -> Stamp {
        Stamp::from_word(self.closed.load(Ordering::Relaxed))
    }

    /// The time from which the segment's age counts, in ticks.
    pub(crate) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    pub(crate) fn set_closed(&self, stamp: Stamp, ticks: u64) {
        self.closed.store(stamp.word(), Ordering::Relaxed);
        self.since.store(ticks, Ordering::Relaxed);
    }

    pub(crate) fn first(&self) -> BlockId {
        BlockId(self.first.load(Ordering::Relaxed))
    }

    pub(crate) fn blocks(&self) -> u64 {
        u64::from(self.blocks.load(Ordering::Relaxed))
    }

    pub(crate) fn state(&self) -> SegmentState {
        state_of(self.state.load(Ordering::Relaxed))
    }

    /// The only way a segment's state changes, but for [`Self::pick`].
    pub(crate) fn become_state(&self, next: SegmentState) {
        let before = self.state();
        // Nobody else changes the state now; leases may come and go.
        let difference = (next as u32).wrapping_sub(before as u32);
        // LIFE, from: it was opened before it was closed.
        let ordering = edge::from(Edge::Life, Ordering::Release);
        let was = state_of(self.state.fetch_add(difference, ordering));
        assert!(
            was == before && before.may_become(next),
            "a segment went from {was:?} to {next:?}"
        );
    }

    /// Makes a closed segment the caller's to compact, unless somebody writes into a hole of it.
    pub(crate) fn pick(&self) -> bool {
        // LEASE, to: the walk finds what was written into holes.
        let ordering = edge::to(Edge::Lease, Ordering::Acquire);
        let closed = match self.state.load(Ordering::Relaxed) {
            leased if mutated(Mutant::LeaseUnheeded) => leased,
            _ => SegmentState::Closed as u32,
        };
        let picked = SegmentState::Compacting as u32;
        self.state.compare_exchange(closed, picked, ordering, Ordering::Relaxed).is_ok()
    }

    /// Whether somebody may be writing into a hole.
    pub(crate) fn is_leased(&self) -> bool {
        self.state.load(Ordering::Relaxed) >= LEASE
    }

    /// How often the segment has been opened. It stays the same while an operation is in progress that
    /// has found an object here.
    #[inline]
    pub(crate) fn life(&self) -> u32 {
        self.life.load(Ordering::Relaxed)
    }

    /// Permits the caller to write into a hole that it knows from this life of the segment; `None` if the
    /// segment is not closed, or this is another life.
    #[inline]
    pub(crate) fn lease(&self, life: u32) -> Option<Lease<'_>> {
        // LIFE, to.
        let ordering = edge::to(Edge::Life, Ordering::Acquire);
        let before = state_of(self.state.fetch_add(LEASE, ordering));
        let lease = Lease(self);
        let same = self.life() == life || mutated(Mutant::LifeUnheeded);
        (before == SegmentState::Closed && same).then_some(lease)
    }

    /// Records that blocks were added or cut off at the end.
    pub(crate) fn set_blocks(&self, blocks: u64) {
        self.blocks.store(blocks as u32, Ordering::Relaxed);
    }

    /// Initialises a new segment.
    pub(crate) fn open(&self, first: BlockId) {
        self.become_state(SegmentState::Open);
        debug_assert_eq!(self.live(), Live::default(), "a free segment holds nothing");
        self.used.store(0, Ordering::Relaxed);
        self.start.store(0, Ordering::Relaxed);
        self.first.store(first.0, Ordering::Relaxed);
        self.blocks.store(0, Ordering::Relaxed);
        self.life.store(self.life().wrapping_add(1), Ordering::Relaxed);
    }

    /// Records that the front was emptied: the rest begins in block `first`, at offset `start` of
    /// the segment, and has `blocks` blocks.
    pub(crate) fn advance(&self, first: BlockId, start: u64, blocks: u64) {
        self.first.store(first.0, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.set_blocks(blocks);
    }
}

/// One lease, above the state.
const LEASE: u32 = 1 << 8;

fn state_of(word: u32) -> SegmentState {
    SegmentState::from_u32(word % LEASE)
}

/// While it exists, its segment is not picked for compaction.
#[derive(Debug)]
pub(crate) struct Lease<'table>(&'table SegmentInfo);

impl Drop for Lease<'_> {
    #[inline]
    fn drop(&mut self) {
        // LEASE, from.
        self.0.state.fetch_sub(LEASE, edge::from(Edge::Lease, Ordering::Release));
    }
}

/// All segments, by id.
#[derive(Debug)]
pub(crate) struct SegmentTable(Box<[SegmentInfo]>);

impl SegmentTable {
    pub(crate) fn new(segments: usize) -> Self {
        Self((0..segments).map(|_| SegmentInfo::default()).collect())
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.0) as u64
    }

    /// Every segment with its id, including free ones.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SegmentId, &SegmentInfo)> {
        self.0.iter().enumerate().map(|(id, info)| (SegmentId(id as u16), info))
    }
}

impl std::ops::Index<SegmentId> for SegmentTable {
    type Output = SegmentInfo;

    #[inline]
    fn index(&self, id: SegmentId) -> &SegmentInfo {
        &self.0[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_objects_are_counted_together() {
        let info = SegmentInfo::default();
        for _ in 0..3 {
            info.gain((64 << 20) + 1);
        }
        info.lose((64 << 20) + 1);
        assert_eq!((info.live().bytes(), info.live().objects()), ((128 << 20) + 2, 2));
    }

    #[test]
    fn a_leased_segment_is_not_picked() {
        let info = SegmentInfo::default();
        info.open(BlockId(0));
        let life = info.life();
        assert!(info.lease(life).is_none(), "it is open");
        info.become_state(SegmentState::Closed);
        assert!(info.lease(life + 1).is_none(), "another life");
        let (one, other) = (info.lease(life).unwrap(), info.lease(life).unwrap());
        assert!(info.is_leased() && info.state() == SegmentState::Closed && !info.pick());
        drop(one);
        assert!(!info.pick());
        drop(other);
        assert!(!info.is_leased() && info.pick());
        assert!(info.lease(life).is_none() && !info.is_leased(), "it is being compacted");
        assert_eq!(info.state(), SegmentState::Compacting);
        for next in [SegmentState::Limbo, SegmentState::Free] {
            info.become_state(next);
        }
        info.open(BlockId(0));
        info.become_state(SegmentState::Closed);
        assert!(info.lease(life).is_none() && info.lease(life + 1).is_some());
    }
}
