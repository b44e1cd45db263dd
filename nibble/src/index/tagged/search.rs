//! Searching: examines both homes of a key together, without taking a lock.

use super::bucket::{ENTRIES, Marks, TaggedBucket};
use super::coding::Entry;
use super::table::{Homes, TaggedTable};
use crate::address::VirtualAddress;
use crate::index::hash::Hash;
use crate::index::table::{Found, Want};
use crate::index::version::{Locked, Version};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::raw::{Memory, Protection};

/// Both homes of a hash, with their versions at one moment.
pub(super) struct Look<'index> {
    homes: Homes,
    buckets: [&'index TaggedBucket; 2],
    versions: [u32; 2],
    marks: Marks,
}

/// An entry found by a look.
pub(super) struct Seen<'index> {
    pub(super) bucket: &'index TaggedBucket,
    pub(super) place: usize,
    pub(super) found: Found,
    version: u32,
}

/// How a search ended.
pub(super) enum Ending<'index> {
    Found(Seen<'index>),
    /// The key is certainly absent.
    Absent,
    /// A bucket changed during the search.
    Moved,
}

impl<'index> Seen<'index> {
    fn version(&self) -> &'index Version {
        &self.bucket.version
    }

    /// Whether the bucket is unchanged since the look.
    #[inline]
    pub(super) fn is_still(&self) -> bool {
        self.version().is_still(self.version)
    }

    /// Locks the bucket if it is unchanged since the look: what was found then is still there.
    #[inline]
    pub(super) fn lock(&self) -> Option<Locked<'index>> {
        self.version().lock_unchanged(self.version)
    }
}

impl TaggedTable {
    #[inline]
    fn look(&self, hash: Hash) -> Look<'_> {
        let homes = self.homes(hash);
        let buckets = [homes.first, homes.second].map(|home| self.bucket(homes, home));
        let versions = buckets.map(|bucket| bucket.version.even());
        let (mask, tag) = (self.coding.mask(), self.coding.tag(hash));
        let [first, mut second] = buckets.map(|bucket| bucket.with_upper(mask, tag));
        if mutated(Mutant::SecondHomeNotSearched) {
            second = Marks::default();
        }
        Look { homes, buckets, versions, marks: first.then(second) }
    }

    /// Searches for an entry, comparing keys in the log.
    #[inline]
    pub(super) fn search<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
    ) -> Ending<'_> {
        let look = self.look(hash);
        reach(Point::BucketFound);
        for mark in look.marks {
            let second = usize::from(mark >= ENTRIES);
            let (bucket, version) = (look.buckets[second], look.versions[second]);
            let place = mark - ENTRIES * second;
            let entry = bucket.entry(place);
            if !bucket.version.is_still(version) {
                return Ending::Moved;
            }
            if let Some(found) = self.follow(entry, want, memory, stays) {
                return Ending::Found(Seen { bucket, place, found, version });
            }
        }
        // An entry that moves between the two buckets changes both versions. A bucket that is split
        // changes its version and, SHAPE, to: shows the shape that now determines its homes.
        reach(Point::Missed);
        if mutated(Mutant::VersionRecheckMissing) {
            return Ending::Absent;
        }
        let [first, second] = look.buckets;
        let still = first.version.is_still(look.versions[0])
            && second.version.is_still(look.versions[1])
            && self.homes(hash) == look.homes;
        if still { Ending::Absent } else { Ending::Moved }
    }

    /// The object that an entry leads to, if it is the wanted one.
    #[inline]
    fn follow<P: Protection>(
        &self,
        entry: Entry,
        want: Want,
        memory: &Memory,
        stays: &P,
    ) -> Option<Found> {
        let address = self.coding.address(entry);
        match want {
            Want::Place(place) if place != address => None,
            Want::Place(_) => Some(Found { address, header: memory.header(address, stays) }),
            Want::Key(key) => {
                let header = memory.header(address, stays);
                (header.key == key).then_some(Found { address, header })
            }
        }
    }

    /// Like [`TaggedTable::search`], in one bucket that is locked.
    pub(super) fn find_locked(
        &self,
        bucket: &TaggedBucket,
        hash: Hash,
        key: u64,
        memory: &Memory,
        locked: &Locked<'_>,
    ) -> Option<(usize, Found)> {
        bucket.with_upper(self.coding.mask(), self.coding.tag(hash)).find_map(|place| {
            let found = self.follow(bucket.entry(place), Want::Key(key), memory, locked)?;
            Some((place, found))
        })
    }

    /// Where the first entry with the tag of a hash leads, as of now.
    #[inline]
    pub(super) fn first_place(&self, hash: Hash) -> Option<VirtualAddress> {
        let homes = self.homes(hash);
        let buckets = [homes.first, homes.second].map(|home| self.bucket(homes, home));
        let (mask, tag) = (self.coding.mask(), self.coding.tag(hash));
        let [first, second] = buckets.map(|bucket| bucket.with_upper(mask, tag));
        let mark = first.then(second).next()?;
        let second = usize::from(mark >= ENTRIES);
        let entry = buckets[second].load(mark - ENTRIES * second)?;
        Some(self.coding.address(entry))
    }
}
