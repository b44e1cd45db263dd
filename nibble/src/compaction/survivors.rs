//! Where live objects move to: a worker's own segment, or the head of a core.
//!
//! If values are overwritten in place, an object is copied with its bucket locked. Otherwise it is
//! *copied first, then published by a compare-and-swap*. The source cannot change, so the copy
//! needs no lock. Afterwards, with the bucket locked, the entry is swapped if it still leads to the
//! source. If it does not, the object has died meanwhile, and the copy is taken back or stays
//! behind as dead bytes. Objects are copied and published in batches, so that the index lines of
//! one are fetched while others are copied.
//!
//! A segment never closes with unpublished objects: a batch is published before its segment is
//! replaced, and a head stays locked until the batch is published. This is needed because a worker
//! is in no epoch, so the grace period of a closed segment would not wait for it.

use crate::address::{ObjectRef, SegmentId, VirtualAddress};
use crate::index::{Index, hash::Hash};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::log::{Log, head, node::Node};
use crate::raw::{Custody, Header};
use crate::segment::{Mark, OpenSegment, Purse};

/// The context of a relocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'store> {
    pub(crate) log: &'store Log,
    pub(crate) node: &'store Node,
    pub(crate) index: &'store Index,
    /// Whether values are overwritten in place.
    pub(crate) in_place: bool,
}

/// An object of a victim that may be alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walked {
    pub(crate) address: VirtualAddress,
    pub(crate) header: Header,
    pub(crate) hash: Hash,
}

/// An open segment to copy to.
trait Target {
    fn open(&mut self) -> Option<&mut OpenSegment>;

    /// Extends or replaces the open segment so that `bytes` fit.
    fn make_room(&mut self, place: Place<'_>, bytes: u64) -> bool;
}

impl Target for head::State {
    fn open(&mut self) -> Option<&mut OpenSegment> {
        head::State::open(self)
    }

    fn make_room(&mut self, place: Place<'_>, bytes: u64) -> bool {
        // Heads may not use the reserve: clients would use up what is meant for compaction.
        head::State::make_room(self, place.log, place.node, bytes, 0)
    }
}

/// A worker's own segment for survivors. It stays open from one victim to the next and grows by a
/// few blocks at a time, so the survivors of any number of victims share segments without gaps.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) open: Option<OpenSegment>,
    /// Closed segments, which are candidates again.
    pub(crate) closed: Vec<SegmentId>,
}

impl Target for Output {
    fn open(&mut self) -> Option<&mut OpenSegment> {
        self.open.as_mut()
    }

    fn make_room(&mut self, place: Place<'_>, bytes: u64) -> bool {
        let Place { log, node, .. } = place;
        if self.open.as_ref().is_some_and(|open| open.used() >= open.planned) {
            self.close(place);
        }
        let extent = node.extent_blocks();
        if let Some(open) = &mut self.open {
            return node.extend(log, open, bytes, extent, Purse::Compaction);
        }
        self.open = node.open(log, bytes, node.segment_bytes(), extent, Purse::Compaction);
        self.open.is_some()
    }
}

impl Output {
    /// Reserves room for a client in the current block; the blocks behind it belong to the reserve.
    /// Only while the reserve is complete, because compaction needs another block for what the
    /// client takes.
    pub(crate) fn lend(&mut self, log: &Log, bytes: u64) -> Option<ObjectRef> {
        let open = self.open.as_mut()?;
        let fits = open.room_in_block(&log.memory) >= bytes;
        fits.then(|| open.reserve(bytes, &log.memory, &log.segments))
    }

    /// Returns blocks that the open segment does not need yet.
    pub(crate) fn trim(&mut self, place: Place<'_>) {
        if let Some(open) = &mut self.open {
            let spare = open.trim(&place.log.memory, &place.log.segments);
            place.node.pool.give(&spare);
        }
    }

    /// Closes the open segment.
    pub(crate) fn close(&mut self, place: Place<'_>) {
        if let Some(open) = self.open.take() {
            self.closed.push(place.node.close(place.log, open));
        }
    }

    /// Whether at least one byte in `divisor` of the open segment is dead.
    pub(crate) fn is_worth_compacting(&self, log: &Log, divisor: u64) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let info = &log.segments[open.id];
            info.dead() > 0 && info.dead().saturating_mul(divisor) >= info.used()
        })
    }
}

fn lacks_room<T: Target>(target: &mut T, bytes: u64) -> bool {
    target.open().is_none_or(|open| open.room() < bytes)
}

/// An object that was copied and is not published yet.
#[derive(Clone, Copy, Debug)]
struct Copied {
    walked: Walked,
    to: ObjectRef,
    /// For taking the copy back.
    before: Mark,
}

/// Moves batches of objects.
#[derive(Debug, Default)]
pub(crate) struct Mover {
    copied: Vec<Copied>,
    /// Bytes copied and published so far.
    pub(crate) copied_bytes: u64,
}

impl Mover {
    /// Moves the live objects of a batch to the worker's output. Returns how many objects, from the
    /// first on, have left the source; fewer than all if there is no block to copy to.
    pub(crate) fn move_to_output(
        &mut self,
        place: Place<'_>,
        output: &mut Output,
        batch: &[Walked],
        custody: &Custody,
    ) -> usize {
        self.relocate(place, output, batch, custody)
    }

    /// Like [`Mover::move_to_output`], to a head, among what clients write.
    pub(crate) fn move_to_head(
        &mut self,
        place: Place<'_>,
        turn: usize,
        batch: &[Walked],
        custody: &Custody,
    ) -> usize {
        self.relocate(place, &mut *place.node.head(turn).lock(), batch, custody)
    }

    fn relocate<T: Target>(
        &mut self,
        place: Place<'_>,
        target: &mut T,
        batch: &[Walked],
        custody: &Custody,
    ) -> usize {
        let Place { log, index, .. } = place;
        for (position, &walked) in batch.iter().enumerate() {
            if !index.holds(walked.hash, walked.address, &log.memory, custody) {
                continue;
            }
            // In place, a value may become longer, up to its room, until its bucket is locked.
            let bytes = if place.in_place && !mutated(Mutant::InPlaceRoomForValue) {
                walked.header.extent_bytes()
            } else {
                walked.header.object_bytes()
            };
            if lacks_room(target, bytes) {
                self.publish(place, target, custody);
                // Copies that were taken back may have left enough room.
                if lacks_room(target, bytes) && !target.make_room(place, bytes) {
                    return position;
                }
            }
            let open = target.open().expect("room was made in it");
            if place.in_place && !mutated(Mutant::InPlaceMovedUnlocked) {
                self.move_locked(place, open, walked, custody);
                continue;
            }
            let before = open.mark();
            let to = open.reserve(bytes, &log.memory, &log.segments);
            log.memory.copy_object(walked.address, walked.header, to.address(), custody);
            reach(Point::Copied);
            self.copied.push(Copied { walked, to, before });
        }
        self.publish(place, target, custody);
        batch.len()
    }

    /// Copies and publishes one object while its bucket is locked, so that nobody overwrites it.
    fn move_locked(
        &mut self,
        place: Place<'_>,
        open: &mut OpenSegment,
        walked: Walked,
        custody: &Custody,
    ) {
        let Place { log, index, .. } = place;
        let Walked { address, hash, .. } = walked;
        let mut copied = 0;
        index.relocate(hash, address, &log.memory, &log.segments, custody, |header, locked| {
            copied = header.object_bytes();
            let to = open.reserve(copied, &log.memory, &log.segments);
            log.memory.copy_object(address, header, to.address(), locked);
            to
        });
        self.copied_bytes += copied;
    }

    /// Publishes all copies, from the last to the first, so that copies at the end that came too
    /// late can be taken back.
    fn publish<T: Target>(&mut self, place: Place<'_>, target: &mut T, custody: &Custody) {
        let Place { log, index, .. } = place;
        let mut at_end = true;
        for Copied { walked, to, before } in self.copied.drain(..).rev() {
            let Walked { address, header, hash } = walked;
            if index.relocate(hash, address, &log.memory, &log.segments, custody, |_, _| to) {
                self.copied_bytes += header.object_bytes();
                at_end = false;
            } else if revives(place, walked, custody) {
                let published = index.publish(
                    hash,
                    header.key,
                    to,
                    header,
                    &log.memory,
                    &log.segments,
                    custody,
                );
                published.unwrap();
                at_end = false;
            } else if at_end || mutated(Mutant::PublishedCopyTakenBack) {
                let open = target.open().expect("the copies are in it");
                open.rewind(before, &log.segments);
            }
        }
    }
}

/// Whether a copy that came too late is published nevertheless: never, except in mutants.
fn revives(place: Place<'_>, walked: Walked, custody: &Custody) -> bool {
    let over = mutated(Mutant::RelocationWithoutCompare);
    if !over && !mutated(Mutant::DeadCopyRepublished) {
        return false;
    }
    let Walked { header, hash, .. } = walked;
    let memory = &place.log.memory;
    over == place.index.find(hash, header.key, memory, custody).is_some()
}
