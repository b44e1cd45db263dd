//! A head: the open segment of a core.

use super::{Log, node::Node};
use crate::address::{ObjectRef, SegmentId};
use crate::instrument::{Point, reach};
use crate::segment::{OpenSegment, Purse};
use crate::sync::{Mutex, MutexGuard, lock, try_lock};

/// The lock is held to reserve room, never to copy a value.
#[derive(Debug, Default)]
pub(crate) struct Head(Mutex<State>);

/// What a head's lock guards.
#[derive(Debug, Default)]
pub(crate) struct State {
    open: Option<OpenSegment>,
    /// Number of segments opened so far; it varies the size of the next one.
    opened: u64,
    /// Bytes reserved in total.
    appended: u64,
    /// Size of the largest object so far.
    largest: u64,
}

impl Head {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        try_lock(&self.0)
    }
}

impl State {
    pub(crate) fn appended(&self) -> u64 {
        self.appended
    }

    /// Counts bytes that a client has reserved elsewhere because no head had room.
    pub(super) fn count(&mut self, bytes: u64) {
        self.appended += bytes;
    }

    /// The id of the open segment, if any.
    pub(crate) fn open_id(&self) -> Option<SegmentId> {
        self.open.as_ref().map(|open| open.id)
    }

    /// Reserves `bytes`; `None` if neither this segment nor the pool has room.
    #[inline]
    pub(super) fn reserve(
        &mut self,
        log: &Log,
        node: &Node,
        bytes: u64,
        turn: u64,
    ) -> Option<ObjectRef> {
        if bytes > self.largest && !self.admits(log, node, bytes) {
            return None;
        }
        let fits = self.open.as_ref().is_some_and(|open| open.room() >= bytes);
        if !fits && !self.make_room(log, node, bytes, turn) {
            return None;
        }
        let open = self.open.as_mut().expect("room was found in it");
        self.appended += bytes;
        Some(open.reserve(bytes, &log.memory, &log.segments))
    }

    /// Whether an object larger than any before may be stored: only if compaction can move it
    /// afterwards.
    #[cold]
    fn admits(&mut self, log: &Log, node: &Node, bytes: u64) -> bool {
        let room = self.open.as_ref().map_or(0, OpenSegment::room);
        let admits = node.can_move(log, bytes, bytes.saturating_sub(room));
        if admits {
            self.largest = bytes;
        }
        admits
    }

    /// The open segment, if any.
    pub(crate) fn open(&mut self) -> Option<&mut OpenSegment> {
        self.open.as_mut()
    }

    /// Extends the open segment by what `bytes` need, or replaces it.
    #[cold]
    pub(crate) fn make_room(&mut self, log: &Log, node: &Node, bytes: u64, turn: u64) -> bool {
        let extent = node.extent_blocks();
        let extended = match &mut self.open {
            Some(open) if open.used() < open.planned => {
                node.extend(log, open, bytes, extent, Purse::Client)
            }
            _ => self.roll(log, node, bytes, turn) || self.stretch(log, node, bytes),
        };
        node.wake_if_low();
        extended
    }

    /// Closes the open segment and opens another.
    fn roll(&mut self, log: &Log, node: &Node, bytes: u64, turn: u64) -> bool {
        let planned = planned_bytes(node.segment_bytes(), self.opened + turn);
        let Some(next) = node.open(log, bytes, planned, node.extent_blocks(), Purse::Client) else {
            return false;
        };
        self.opened += 1;
        if let Some(full) = self.open.replace(next) {
            let closed = node.close(log, full);
            reach(Point::HeadClosed);
            node.hand_over(closed);
        }
        true
    }

    /// If the pool has too little for a new segment, a few blocks may still complete this one.
    fn stretch(&mut self, log: &Log, node: &Node, bytes: u64) -> bool {
        let Some(open) = &mut self.open else { return false };
        open.used() < 2 * node.segment_bytes() && node.extend(log, open, bytes, 0, Purse::Client)
    }

    /// Closes the open segment if at least one byte in `divisor` is dead, so that it can be
    /// compacted.
    pub(crate) fn close_if_dead(
        &mut self,
        log: &Log,
        node: &Node,
        divisor: u64,
    ) -> Option<SegmentId> {
        let info = &log.segments[self.open_id()?];
        let worth = info.dead() > 0 && info.dead().saturating_mul(divisor) >= info.used();
        worth.then(|| node.close(log, self.open.take().expect("it has an id")))
    }
}

/// The planned size of the `turn`-th segment: up to an eighth below the nominal size, so that heads
/// opened together do not roll together.
fn planned_bytes(nominal: u64, turn: u64) -> u64 {
    nominal - nominal / 64 * (turn * 5 % 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planned_sizes_vary_by_at_most_an_eighth() {
        let sizes: std::collections::BTreeSet<_> =
            (0..8).map(|turn| planned_bytes(1 << 20, turn)).collect();
        assert_eq!(sizes.len(), 8);
        assert!(*sizes.first().unwrap() >= (1 << 20) * 7 / 8 && sizes.last() == Some(&(1 << 20)));
    }
}
