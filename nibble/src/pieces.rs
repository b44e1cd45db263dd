//! The engine's pieces, called one at a time. No API: it is for this crate's benches, which cannot
//! see inside, and changes with the pieces.
//!
//! Every function is `#[inline]`: it is compiled into the bench that calls it, as the engine's own
//! operations are compiled into their callers, and nowhere else. Nothing here is unsafe or lets a
//! caller break an invariant; what an operation does in one call is done here in steps.

use crate::Store;
use crate::address::{ObjectRef, VirtualAddress};
use crate::compaction::Worker;
use crate::compaction::choose::Choice;
use crate::compaction::pace::{Budget, Pace};
use crate::compaction::relocate::{Step, Victim};
use crate::compaction::survivors::Place;
use crate::constants::WORTH_DIVISOR;
use crate::epoch::{Pin, Slot};
use crate::error::TooManySessions;
use crate::index::hash::Hash;
use crate::knobs::Update;
use crate::raw::Header;
use crate::store::Shared;
use crate::sync::{MutexGuard, lock};

/// Where an object lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(VirtualAddress);

/// What a session is to one thread, for parts of operations.
#[derive(Debug)]
pub struct Client<'store> {
    shared: &'store Shared,
    slot: &'store Slot,
}

impl<'store> Client<'store> {
    /// Takes a slot of the epoch table, until it is dropped.
    ///
    /// # Errors
    /// As [`Store::session`].
    #[inline]
    pub fn new(store: &'store Store) -> Result<Self, TooManySessions> {
        let shared = &*store.shared;
        let limit = crate::constants::SESSIONS_MAX;
        let slot = shared.epochs.claim().ok_or(TooManySessions { limit })?;
        Ok(Self { shared, slot })
    }

    /// Enters the epoch, and leaves it when the answer is dropped.
    #[inline]
    pub fn enter(&mut self) -> Inside<'_> {
        Inside { shared: self.shared, pin: self.slot.enter(&self.shared.epochs.clock) }
    }

    /// The turn, among those of its node, of the core that the calling thread runs on.
    #[inline]
    pub fn turn_here(&self) -> usize {
        self.shared.log.turn_here()
    }
}

impl Drop for Client<'_> {
    #[inline]
    fn drop(&mut self) {
        self.slot.release();
    }
}

/// A client inside the epoch.
#[derive(Debug)]
pub struct Inside<'client> {
    shared: &'client Shared,
    pin: Pin<'client>,
}

impl Inside<'_> {
    /// Looks a key up as a GET does: hashes it, fetches its lines, finds the object.
    #[inline]
    pub fn lookup(&self, key: u64) -> Option<Address> {
        let Shared { log, index, .. } = self.shared;
        let hash = Hash::of(key);
        index.prefetch(hash);
        index.read(hash, key, &log.memory, &self.pin, false, |found| Address(found.address))
    }

    /// Appends an object to the head that the configuration chooses; `None` when no head has
    /// room. Unless it is published it is dead.
    ///
    /// # Panics
    /// If the value is longer than [`Store::value_limit`].
    #[inline]
    pub fn append(&self, key: u64, value: &[u8]) -> Option<Appended<'_>> {
        assert!(value.len() <= self.shared.value_limit, "a value of {} bytes", value.len());
        let hash = Hash::of(key);
        let room = self.shared.log.append(value.len(), hash.bits(), &self.pin)?;
        let (object, header) = room.write(key, value);
        Some(Appended { inside: self, hash, object, header })
    }
}

/// An object that the index does not lead to yet.
#[derive(Debug)]
pub struct Appended<'inside> {
    inside: &'inside Inside<'inside>,
    hash: Hash,
    object: ObjectRef,
    header: Header,
}

impl Appended<'_> {
    /// Leads its key to it; `None` when the index is full.
    #[inline]
    pub fn publish(self) -> Option<Address> {
        let Self { inside: Inside { shared, pin }, hash, object, header } = self;
        let Shared { log, index, .. } = shared;
        let published = index.publish(hash, object, header, &log.memory, &log.segments, pin);
        published.is_ok().then(|| Address(object.address()))
    }
}

/// The first worker of a store's first node; it does nothing else meanwhile.
#[derive(Debug)]
pub struct Compactor<'store> {
    shared: &'store Shared,
    worker: MutexGuard<'store, Worker>,
}

impl<'store> Compactor<'store> {
    /// Waits for the worker's present round.
    #[inline]
    pub fn new(store: &'store Store) -> Self {
        let shared = &*store.shared;
        Self { shared, worker: lock(&shared.log.nodes[0].crew.workers[0]) }
    }

    /// Closes the heads that anything is dead in: candidates, then.
    #[inline]
    pub fn close_heads(&mut self) {
        let Shared { log, .. } = self.shared;
        let node = &log.nodes[0];
        for head in node.heads() {
            let closed = head.lock().close_if_dead(log, node, u64::MAX);
            self.worker.candidates.all_mut().extend(closed);
        }
    }

    /// Chooses a victim as under pressure, unless there is one; answers its live objects. `None`
    /// when no closed segment is worth it, or all that are may still be written to.
    #[inline]
    pub fn choose(&mut self) -> Option<u64> {
        let Shared { log, epochs, selection, .. } = self.shared;
        let Worker { candidates, victim, .. } = &mut *self.worker;
        if victim.is_none() {
            log.nodes[0].take_rolled(0, candidates.all_mut());
            let minimum = epochs.horizon();
            let settled = |closed| log.clock.has_passed(closed, minimum);
            let pace = Pace::Pressed { dead_least: 1.0 / WORTH_DIVISOR as f64 };
            let chosen = candidates.choose(&log.segments, pace, *selection, settled);
            let Choice::Victim(id) = chosen else { return None };
            *victim = Some(Victim::pick(id, log));
        }
        victim.as_ref().map(|victim| log.segments[victim.id].live().objects())
    }

    /// Empties the victim, if there is one, and retires it; answers the bytes copied and
    /// published.
    ///
    /// # Panics
    /// If no block is left to copy to.
    #[inline]
    pub fn empty(&mut self) -> u64 {
        let Shared { log, index, survivors, update, .. } = self.shared;
        let node = &log.nodes[0];
        let place = Place { log, node, index, in_place: *update == Update::InPlace };
        let Worker { candidates, victim, tools, .. } = &mut *self.worker;
        let before = tools.mover.copied_bytes;
        while let Some(present) = victim {
            match present.empty(place, tools, *survivors, &mut Budget::round()) {
                Step::Finished => *victim = None,
                Step::Paused => {}
                Step::Suspended => panic!("no block to copy to: give the store more memory"),
            }
        }
        candidates.all_mut().append(&mut tools.output.closed);
        tools.mover.copied_bytes - before
    }
}
