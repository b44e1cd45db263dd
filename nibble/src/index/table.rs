//! What every layout of the index can do; the engine needs no more.

use std::fmt;

use super::hash::Hash;
use super::partition::Partitions;
use super::version::Locked;
use crate::address::{ObjectRef, VirtualAddress};
use crate::raw::{Header, Memory, Protection};

/// The index has no address space left for a partition that must grow.
#[derive(Debug)]
pub(crate) struct IndexFull;

/// Which entry is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    /// The one whose object has this key.
    Key(u64),
    /// The one that leads to exactly this place.
    Place(VirtualAddress),
}

/// What a reader found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) address: VirtualAddress,
    pub(crate) header: Header,
}

/// What becomes of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Keep,
    Replace(ObjectRef),
    Remove,
}

/// How a search in one bucket ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Search {
    Found(usize, Found),
    /// Believed only if the bucket has been still, and the right one, throughout.
    Absent,
}

/// Takes an object and whether a key belongs to the bucket that leads to it.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(ObjectRef, &dyn Fn(u64) -> bool);

/// A partitioned hash table from keys to places, concurrent, growing.
///
/// `stays` is evidence that objects found stay in place; a caller of the changing operations is
/// pinned as well, because entries are looked for before the bucket is locked.
pub(crate) trait Table: fmt::Debug + Sync {
    const BUCKET_BYTES: u64;
    const BUCKET_ENTRIES: u64;

    /// Fetches the lines that a search begins with.
    fn prefetch(&self, hash: Hash);

    /// Where the object of `hash` seems to be, without looking at it: a hint for prefetching.
    fn hint(&self, hash: Hash, memory: &Memory) -> Option<VirtualAddress>;

    /// Finds an entry and lets `take` look at its object.
    ///
    /// With `recheck`, what `take` copied is believed only if the bucket was still until after,
    /// and `take` is called again otherwise: for objects that are overwritten in place. Without,
    /// a hit needs no such proof: published objects never change.
    fn read<P: Protection, T>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
        recheck: bool,
        take: impl FnMut(Found) -> T,
    ) -> Option<T>;

    /// Finds an entry and does with it what `decide` says, its bucket locked. Answers whether
    /// the entry was there.
    fn change<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
        decide: impl FnOnce(ObjectRef, Header, &Locked<'_>) -> Change,
    ) -> bool;

    /// Leads `key` to `object`. `replaced` is told, with the bucket locked, what it led to before.
    fn publish<P: Protection>(
        &self,
        hash: Hash,
        key: u64,
        object: ObjectRef,
        memory: &Memory,
        stays: &P,
        replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull>;

    /// All partitions.
    fn partitions(&self) -> &Partitions;

    /// Bytes of buckets in use.
    fn bytes(&self) -> u64 {
        self.partitions().buckets() * Self::BUCKET_BYTES
    }

    /// Bytes of the tables beside them.
    fn table_bytes(&self) -> u64 {
        self.partitions().bytes()
    }

    /// Entries that the buckets in use can hold.
    fn slots(&self) -> u64 {
        self.partitions().buckets() * Self::BUCKET_ENTRIES
    }

    /// Buckets added by growth.
    fn growth(&self) -> u64 {
        self.partitions().growth()
    }

    /// Calls `visit` with the object of every entry, and whether a key belongs to the bucket
    /// that holds it. For `check`.
    fn for_each(&self, memory: &Memory, visit: Visit<'_>);
}
