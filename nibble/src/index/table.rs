//! What every layout of the index can do; the engine needs nothing else.

use std::fmt;

use super::hash::Hash;
use super::partition::Partitions;
use super::version::{Locked, Version};
use crate::address::{ObjectRef, VirtualAddress};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::name::Name;
use crate::raw::{Header, Memory, Protection};
use crate::sync::acquire_fence;

/// The index has no address space left for a partition that must grow.
#[derive(Debug)]
pub(crate) struct IndexFull;

/// Which entry is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want<N> {
    /// The entry whose object has this key.
    Key(N),
    /// The entry that leads to exactly this place.
    Place(VirtualAddress),
}

/// What a reader found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) address: VirtualAddress,
    pub(crate) header: Header,
}

/// What a search found, and what tells whether the bucket has changed since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'index> {
    pub(crate) found: Found,
    version: &'index Version,
    before: u32,
}

impl<'index> Seen<'index> {
    /// What was found in a bucket whose version was `before` all the while.
    #[inline(always)]
    pub(super) fn new(found: Found, version: &'index Version, before: u32) -> Self {
        Self { found, version, before }
    }

    /// Whether the bucket is unchanged since: then what was read of the object meanwhile is of one
    /// value. Without in-place updates nobody has to ask, because published objects never change.
    #[inline(always)]
    pub(crate) fn is_still(&self) -> bool {
        if mutated(Mutant::InPlaceRecheckMissing) {
            return true;
        }
        reach(Point::ValueCopied);
        // BUCKET-IN, to: what was copied comes before the second read of the version.
        acquire_fence();
        self.version.is_still(self.before)
    }
}

/// Where an entry is kept.
pub(crate) trait Place {
    /// Changes the entry; its bucket must be locked.
    fn set(&self, object: Option<ObjectRef>);
}

/// An entry in a bucket that is locked.
#[must_use = "dropping it unlocks the bucket"]
#[derive(Debug)]
pub(crate) struct Held<'index, P> {
    pub(crate) found: Found,
    pub(super) place: P,
    pub(crate) locked: Locked<'index>,
}

impl<P: Place> Held<'_, P> {
    /// Makes the entry lead to another object.
    #[inline(always)]
    pub(crate) fn replace(&self, object: ObjectRef) {
        self.place.set(Some(object));
    }

    /// Frees the entry.
    #[inline(always)]
    pub(crate) fn remove(&self) {
        self.place.set(None);
    }
}

/// How a search in one bucket ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Search {
    Found(usize, Found),
    /// Valid only if the bucket was the right one and unchanged throughout.
    Absent,
}

/// Takes an object, and a function that tells whether a key belongs to the bucket that leads to the
/// object.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(ObjectRef, &dyn Fn(u64) -> bool);

/// A partitioned hash table from keys to places; concurrent and growing.
///
/// `stays` is evidence that objects found stay in place. Callers of the changing operations are
/// pinned as well, because entries are searched for before the bucket is locked.
pub(crate) trait Table: fmt::Debug + Sync {
    const BUCKET_BYTES: u64;
    const BUCKET_ENTRIES: u64;
    type Place<'index>: Place
    where
        Self: 'index;

    /// Prefetches the lines with which a search begins.
    fn prefetch(&self, hash: Hash);

    /// Where the object of `hash` seems to be, without accessing it: a hint for prefetching.
    fn hint(&self, hash: Hash, memory: &Memory) -> Option<VirtualAddress>;

    /// Finds an entry. If its object may be overwritten in place, what is read of it is valid only if
    /// [`Seen::is_still`] says so afterwards; else it has to be found again.
    fn find<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Option<Seen<'_>>;

    /// Finds an entry and locks its bucket. Of its object as many bytes as `touched` are about to be used.
    fn hold<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Option<Held<'_, Self::Place<'_>>>;

    /// Makes `key` lead to `object`. With the bucket locked, tells `replaced` where it led before.
    fn publish<N: Name, P: Protection>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        memory: &Memory,
        stays: &P,
        replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull>;

    /// All partitions.
    fn partitions(&self) -> &Partitions;

    /// Size of the buckets in use.
    fn bytes(&self) -> u64 {
        self.partitions().buckets() * Self::BUCKET_BYTES
    }

    /// Size of the tables besides them.
    fn table_bytes(&self) -> u64 {
        self.partitions().bytes()
    }

    /// How many entries the buckets in use can hold.
    fn slots(&self) -> u64 {
        self.partitions().buckets() * Self::BUCKET_ENTRIES
    }

    /// Number of buckets added by growth.
    fn growth(&self) -> u64 {
        self.partitions().growth()
    }

    /// Calls `visit` with the object of every entry, and with a function that tells whether a key
    /// belongs to the bucket that holds the entry. For `check`.
    fn for_each(&self, memory: &Memory, visit: Visit<'_>);
}
