//! The engine's pieces, called one at a time. This is not an API: it serves this crate's
//! benchmarks, which cannot see inside, and changes with the pieces.
//!
//! Every function is `#[inline]` and calls only what the crate's inlined operations call. So it is
//! compiled into its caller, and the code of the engine is the same as without it. Nothing here
//! lets a caller break an invariant; what an operation does in one call is done in steps.

use crate::Store;
use crate::address::{ObjectRef, VirtualAddress};
use crate::constants::SESSIONS_MAX;
use crate::epoch::{Pin, Slot};
use crate::error::TooManySessions;
use crate::index::hash::Hash;
use crate::raw::Header;
use crate::store::Shared;

/// Where an object lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(VirtualAddress);

/// The counterpart of a session for parts of operations, on one thread.
#[derive(Debug)]
pub struct Client<'store> {
    shared: &'store Shared,
    slot: &'store Slot,
}

impl<'store> Client<'store> {
    /// Takes a slot of the epoch table until dropped.
    ///
    /// # Errors
    /// As for [`Store::session`].
    #[inline]
    pub fn new(store: &'store Store) -> Result<Self, TooManySessions> {
        let shared = &*store.shared;
        let slot = shared.epochs.claim().ok_or(TooManySessions { limit: SESSIONS_MAX })?;
        Ok(Self { shared, slot })
    }

    /// Enters the epoch; leaves it when the result is dropped.
    #[inline]
    pub fn enter(&mut self) -> Inside<'_> {
        Inside { shared: self.shared, pin: self.slot.enter(&self.shared.epochs.clock) }
    }

    /// The number, within its node, of the core on which the calling thread runs.
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
    /// Looks up a key as a GET does: hashes it, prefetches its lines, finds the object.
    #[inline]
    pub fn lookup(&self, key: u64) -> Option<Address> {
        let Shared { log, index, .. } = self.shared;
        let hash = Hash::of(key);
        index.prefetch(hash);
        index.find(hash, key, &log.memory, &self.pin).map(|found| Address(found.address))
    }

    /// Appends an object to the head that the configuration chooses; `None` if no head has room.
    /// Unless it is published, the object is dead.
    ///
    /// # Panics
    /// If the value is longer than [`Store::value_limit`].
    #[inline]
    pub fn append(&self, key: u64, value: &[u8]) -> Option<Appended<'_>> {
        assert!(value.len() <= self.shared.value_limit, "a value of {} bytes", value.len());
        let hash = Hash::of(key);
        let room = self.shared.log.append(value.len(), hash.bits(), &self.pin)?;
        let (object, header) = room.write(key, value);
        Some(Appended { inside: self, hash, key, object, header })
    }
}

/// An appended object that the index does not lead to yet.
#[derive(Debug)]
pub struct Appended<'inside> {
    inside: &'inside Inside<'inside>,
    hash: Hash,
    key: u64,
    object: ObjectRef,
    header: Header,
}

impl Appended<'_> {
    /// Makes its key lead to it; `None` if the index is full.
    #[inline]
    pub fn publish(self) -> Option<Address> {
        let Self { inside: Inside { shared, pin }, hash, key, object, header } = self;
        let Shared { log, index, .. } = shared;
        let published = index.publish(hash, key, object, header, &log.memory, &log.segments, pin);
        published.is_ok().then(|| Address(object.address()))
    }
}
