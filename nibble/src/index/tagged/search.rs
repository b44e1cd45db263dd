//! Searching: examines both homes of a key together, without taking a lock.

use super::bucket::{ENTRIES, Marks, TaggedBucket};
use super::coding::Entry;
use super::table::{Homes, TaggedTable};
use crate::address::VirtualAddress;
use crate::index::hash::Hash;
use crate::index::table::{Found, Seen, Want};
use crate::index::version::{Locked, is_odd};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::raw::{Memory, Protection};
use crate::sync::Spin;

/// Both homes of a hash, with their versions at one moment.
pub(super) struct Look<'index> {
    homes: Homes,
    buckets: [&'index TaggedBucket; 2],
    versions: [u32; 2],
    marks: Marks,
}

/// An entry in a bucket that is locked.
pub(super) struct Held<'index> {
    pub(super) bucket: &'index TaggedBucket,
    pub(super) place: usize,
    pub(super) found: Found,
    pub(super) locked: Locked<'index>,
}

/// How a search ended.
pub(super) enum Ending<T> {
    Found(T),
    /// The key is certainly absent.
    Absent,
    /// A bucket changed during the search.
    Moved,
}

/// Searches until nobody interferes; `None` if the key is absent.
pub(super) fn again<T>(mut search: impl FnMut() -> Ending<T>) -> Option<T> {
    let mut spin = Spin::default();
    loop {
        spin.turn();
        match search() {
            Ending::Found(found) => return Some(found),
            Ending::Absent => return None,
            Ending::Moved => {}
        }
    }
}

impl<'index> Look<'index> {
    /// The bucket of a mark with its version, and the mark's place in it.
    #[inline(always)]
    fn place_of(&self, mark: usize) -> (&'index TaggedBucket, u32, usize) {
        let second = usize::from(mark >= ENTRIES);
        (self.buckets[second], self.versions[second], mark - ENTRIES * second)
    }
}

impl TaggedTable {
    /// `None` while somebody changes a home.
    #[inline(always)]
    fn look(&self, hash: Hash) -> Option<Look<'_>> {
        let homes = self.homes(hash);
        let buckets = [homes.first, homes.second].map(|home| self.bucket(homes, home));
        let versions = buckets.map(|bucket| bucket.version.now());
        if is_odd(versions[0] | versions[1]) {
            return None;
        }
        let mut marks = Marks::of_both(buckets, self.coding.mask(), self.coding.tag(hash));
        if mutated(Mutant::SecondHomeNotSearched) {
            marks = marks.of_first();
        }
        Some(Look { homes, buckets, versions, marks })
    }

    /// Searches once for an entry, comparing keys in the log.
    ///
    /// What makes up a GET is inlined and free of loops: then it stays in registers, and the processor
    /// works on as many operations at once as it can.
    #[inline(always)]
    pub(super) fn search<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Seen<'_>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        for mark in look.marks {
            let (bucket, before, place) = look.place_of(mark);
            let entry = bucket.entry(place);
            if !bucket.version.is_still(before) {
                return Ending::Moved;
            }
            if let Some(found) = self.follow(entry, want, memory, stays) {
                return Ending::Found(Seen::new(found, &bucket.version, before));
            }
        }
        if self.saw_all(hash, &look) { Ending::Absent } else { Ending::Moved }
    }

    /// Whether a look without a hit has seen every entry that the hash may have.
    #[inline(never)]
    fn saw_all(&self, hash: Hash, look: &Look<'_>) -> bool {
        // An entry that moves between the two buckets changes both versions. A bucket that is split
        // changes its version and, SHAPE, to: shows the shape that now determines its homes.
        reach(Point::Missed);
        let [first, second] = look.buckets;
        mutated(Mutant::VersionRecheckMissing)
            || first.version.is_still(look.versions[0])
                && second.version.is_still(look.versions[1])
                && self.homes(hash) == look.homes
    }

    /// Searches once for an entry, and locks its bucket.
    ///
    /// The bucket of an entry with the right tag is locked before its object is looked at. A locked
    /// instruction waits for all loads before it, and keeps those behind it waiting: here it waits for
    /// the bucket alone, and the next operation's bucket may be fetched together with this object.
    #[inline(always)]
    pub(super) fn search_and_lock<P: Protection>(
        &self,
        hash: Hash,
        want: Want,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Held<'_>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        for mark in look.marks {
            let (bucket, before, place) = look.place_of(mark);
            let entry = bucket.entry(place);
            let address = self.coding.address(entry);
            if matches!(want, Want::Place(wanted) if wanted != address) {
                continue;
            }
            memory.region.prefetch_lines(address, touched);
            // If it is unchanged since the look, the entry is still there.
            let Some(locked) = bucket.version.lock_unchanged(before) else { return Ending::Moved };
            if let Some(found) = self.follow(entry, want, memory, stays) {
                return Ending::Found(Held { bucket, place, found, locked });
            }
            locked.unchanged();
        }
        if self.saw_all(hash, &look) { Ending::Absent } else { Ending::Moved }
    }

    /// The object that an entry leads to, if it is the wanted one.
    #[inline(always)]
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
        let marks = Marks::of_both(buckets, self.coding.mask(), self.coding.tag(hash));
        let mark = { marks }.next()?;
        let second = usize::from(mark >= ENTRIES);
        let entry = buckets[second].load(mark - ENTRIES * second)?;
        Some(self.coding.address(entry))
    }
}
