//! Holes: the rooms of dead objects, for the next objects of the session that made them dead.
//!
//! While memory is short, every appended byte must be compacted for. An object that is written into a
//! hole costs no compaction: the segment gains as many live bytes as it lost. Three conditions make
//! that safe:
//!
//! 1. *Nobody reads the dead object.* As with emptied blocks, that is so once everybody who was inside
//!    an operation when it died has left. Holes therefore wait in groups, each with a stamp.
//! 2. *Nobody compacts the segment.* Whoever writes into a hole has a lease on its segment, and a
//!    leased segment is not picked ([`Lease`]).
//! 3. *The segment is the same.* It may have been compacted and opened anew meanwhile; its life tells.
//!
//! Only where values are overwritten in place, because a store that appends leaves what it has written.
//! Holes are of the node on which the thread ran, as its appended objects are.
//!
//! A value that is overwritten by a much shorter one moves to a hole as well, if one fits better: else all
//! rooms would become as long as the longest value that they ever held.
//!
//! An object dies once, so only the session that made it dead knows the hole, and no two sessions write
//! into one. A hole that is never used is what it would be otherwise: dead bytes that compaction gains.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use crate::address::ObjectRef;
use crate::epoch::{EpochTable, Stamp};
use crate::instrument::{Mutant, mutated};
use crate::log::Log;
use crate::segment::Lease;
use crate::sync::{AtomicU64, Ordering};

/// The most groups that wait.
const GROUPS_MAX: usize = 4;
/// Classes for each doubling of the size.
const PARTS: u32 = 16;
const CLASSES: usize = (u32::BITS * PARTS) as usize;
/// How many classes above its own an object may take a hole from, in place of being appended. What the
/// object does not need of the room is dead until compaction comes by.
const CLASSES_ABOVE: usize = 8;
/// The same for an object that would fit where it is.
const CLASSES_ABOVE_TIGHT: usize = 2;
/// A value leaves much of its room if more than one byte in so many is left …
const ROOMY_PART: u32 = 8;
/// … and at least this many.
const ROOMY_BYTES: u32 = 64;
/// How many holes of its own class an object is compared with: they may be too short.
const COMPARED: usize = 4;

/// How many holes a session keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// So many wait together: the scan of all epochs that ends their wait interrupts every core …
    pub(crate) group: usize,
    /// … or fewer with this many bytes, so that large objects do not keep much memory waiting.
    pub(crate) group_bytes: u64,
    /// Holes of one class; any more are left to compaction.
    pub(crate) class: usize,
}

impl Limits {
    /// One in a thousand bytes at most waits in a group.
    pub(crate) fn scaled(object_memory_bytes: u64) -> Self {
        let class = (object_memory_bytes >> 18).clamp(64, 4096) as usize;
        let group_bytes = (object_memory_bytes >> 10).clamp(64 << 10, 1 << 20);
        Self { group: class / 8, group_bytes, class }
    }
}

/// The room of a dead object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hole {
    object: ObjectRef,
    room: u32,
    /// The life of the segment in which the object died.
    life: u32,
}

/// A hole that its holder may write into now.
#[derive(Debug)]
pub(crate) struct Leased<'log> {
    pub(crate) object: ObjectRef,
    pub(crate) room: u32,
    /// Held until the object is published.
    _lease: Lease<'log>,
}

/// The holes of a session. It belongs to one thread, so it uses plain cells.
#[derive(Debug)]
pub(crate) struct Holes {
    /// `None` if holes are left to compaction.
    limits: Option<Limits>,
    /// Whether any hole may be used now; asked by every PUT.
    ready: Cell<bool>,
    kept: RefCell<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    young: Vec<Hole>,
    young_bytes: u64,
    /// Complete groups, each stamped after its objects had died.
    waiting: VecDeque<(Stamp, Vec<Hole>)>,
    /// By the class of their room; the latest last.
    classes: Vec<Vec<Hole>>,
    reused_bytes: u64,
}

/// The class of a room: the lower its number, the smaller the room.
fn class_of(room: u32) -> usize {
    let room = room.max(PARTS);
    let doubling = room.ilog2();
    let part = (room >> (doubling - PARTS.ilog2())) % PARTS;
    (doubling * PARTS + part) as usize
}

/// Whether a value of `value_bytes` leaves much of its room.
#[inline]
pub(crate) fn is_roomy(room: u32, value_bytes: usize) -> bool {
    let left = room - value_bytes as u32;
    left > (room / ROOMY_PART).max(ROOMY_BYTES) && !mutated(Mutant::RoomyStays)
}

impl Holes {
    pub(crate) fn new(limits: Option<Limits>) -> Self {
        Self { limits, ready: Cell::new(false), kept: RefCell::default() }
    }

    /// Notes the room of an object that the caller's operation made dead, if memory is short. The caller
    /// must be inside that operation.
    #[inline]
    pub(crate) fn note(&self, object: ObjectRef, room: u32, log: &Log) {
        if self.limits.is_some() && log.is_low_here_at(object.segment()) {
            self.keep(Hole { object, room, life: log.segments[object.segment()].life() });
        }
    }

    #[cold]
    fn keep(&self, hole: Hole) {
        let mut kept = self.kept.borrow_mut();
        kept.young_bytes += u64::from(hole.room);
        kept.young.push(hole);
    }

    /// Whether a group is complete: then [`Self::age`] is due.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.limits.is_some_and(|limits| {
            let kept = self.kept.borrow();
            kept.young.len() >= limits.group || kept.young_bytes >= limits.group_bytes
        })
    }

    /// Stamps the young group, and makes usable what has waited long enough. The caller must not be in
    /// an epoch. Waits for nobody.
    #[cold]
    pub(crate) fn age(&self, epochs: &EpochTable, reused_bytes: &AtomicU64) {
        let mut kept = self.kept.borrow_mut();
        let kept = &mut *kept;
        let stamp = epochs.clock.stamp();
        let young = std::mem::take(&mut kept.young);
        kept.young_bytes = 0;
        kept.waiting.push_back((stamp, young));
        let minimum = epochs.minimum();
        let passed = |stamp| epochs.clock.has_passed(stamp, minimum) || mutated(Mutant::HoleAtOnce);
        while kept.waiting.front().is_some_and(|&(stamp, _)| passed(stamp)) {
            let (_, group) = kept.waiting.pop_front().expect("there is a front");
            kept.classes.resize_with(CLASSES, Vec::new);
            for hole in group {
                let class = &mut kept.classes[class_of(hole.room)];
                if self.limits.is_some_and(|limits| class.len() < limits.class) {
                    class.push(hole);
                    self.ready.set(true);
                }
            }
        }
        // A stalled session must not make the queue grow: compaction gains the rest.
        kept.waiting.truncate(GROUPS_MAX);
        kept.report(reused_bytes);
    }

    /// Adds what was reused since the last report.
    pub(crate) fn report(&self, reused_bytes: &AtomicU64) {
        self.kept.borrow_mut().report(reused_bytes);
    }

    /// Whether memory is short and there may be holes.
    #[inline]
    pub(crate) fn are_ready(&self, log: &Log) -> bool {
        self.ready.get() && log.is_low_here()
    }

    /// A hole for a value of `value_bytes`, if memory is short and there is one that fits.
    #[inline]
    pub(crate) fn take<'log>(&self, value_bytes: usize, log: &'log Log) -> Option<Leased<'log>> {
        if self.are_ready(log) { self.find(value_bytes, CLASSES_ABOVE, log) } else { None }
    }

    /// Like [`Self::take`], a hole that the value nearly fills.
    pub(crate) fn take_tight<'log>(
        &self,
        value_bytes: usize,
        log: &'log Log,
    ) -> Option<Leased<'log>> {
        self.find(value_bytes, CLASSES_ABOVE_TIGHT, log)
    }

    #[inline(never)]
    fn find<'log>(
        &self,
        value_bytes: usize,
        classes_above: usize,
        log: &'log Log,
    ) -> Option<Leased<'log>> {
        let mut kept = self.kept.borrow_mut();
        let value_bytes = value_bytes as u32;
        let leased = loop {
            let hole = kept.fitting(value_bytes, classes_above)?;
            // Otherwise compaction has taken the segment.
            if let Some(lease) = log.segments[hole.object.segment()].lease(hole.life) {
                break Leased { object: hole.object, room: hole.room, _lease: lease };
            }
        };
        kept.reused_bytes += u64::from(value_bytes);
        Some(leased)
    }
}

impl Kept {
    fn report(&mut self, reused_bytes: &AtomicU64) {
        let since = std::mem::take(&mut self.reused_bytes);
        if since > 0 {
            // Relaxed: a statistic.
            reused_bytes.fetch_add(since, Ordering::Relaxed);
        }
    }

    /// Takes out the latest hole that is large enough: of the object's own class, or of one of the next.
    fn fitting(&mut self, value_bytes: u32, classes_above: usize) -> Option<Hole> {
        let own = class_of(value_bytes);
        let class = &mut self.classes[own];
        let fits = class.iter().rev().take(COMPARED).position(|hole| hole.room >= value_bytes);
        if let Some(back) = fits {
            return Some(class.remove(class.len() - 1 - back));
        }
        let above = own + 1..=(own + classes_above).min(CLASSES - 1);
        above.into_iter().find_map(|class| self.classes[class].pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{SegmentId, VirtualAddress};

    fn hole(number: u64, room: u32) -> Hole {
        let object = ObjectRef::new(SegmentId(0), VirtualAddress::new(number + 1));
        Hole { object, room, life: 0 }
    }

    #[test]
    fn classes_rise_with_the_room_and_are_narrow() {
        for room in 17..1_u32 << 20 {
            assert!(class_of(room) >= class_of(room - 1), "{room}");
            let next = room + room / PARTS + 1;
            assert!(class_of(next) > class_of(room), "{room}");
        }
        assert_eq!([0, 1, 16].map(class_of), [64, 64, 64]);
        assert!(class_of(u32::MAX) < CLASSES);
    }

    #[test]
    fn a_hole_that_fits_is_found_and_a_shorter_one_is_not() {
        let mut kept = Kept { classes: vec![Vec::new(); CLASSES], ..Kept::default() };
        for (number, room) in [1000, 1010, 900, 1020].into_iter().enumerate() {
            kept.classes[class_of(room)].push(hole(number as u64, room));
        }
        assert_eq!(kept.fitting(1005, 3), Some(hole(3, 1020)), "the latest");
        assert_eq!(kept.fitting(1005, 3), Some(hole(1, 1010)), "the one before is too short");
        assert_eq!(kept.fitting(1005, 3), None);
        assert_eq!(kept.fitting(860, 2), Some(hole(2, 900)), "of the next class");
        assert_eq!(kept.fitting(1000, 2), Some(hole(0, 1000)));
        assert_eq!(kept.fitting(400, 2), None);
    }
}
