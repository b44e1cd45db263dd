//! Searching: examines both homes of a key together, without taking a lock.

use std::hint::select_unpredictable;

use super::bucket::{ENTRIES, Marks, TaggedBucket};
use super::coding::{Coding, Entry};
use super::table::{Homes, TaggedTable};
use crate::address::{ObjectRef, VirtualAddress};
use crate::index::hash::Hash;
use crate::index::table::{Found, Held, Place, Seen, Want};
use crate::index::version::{Locked, is_odd};
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::name::Name;
use crate::raw::{Memory, Protection};
use crate::sync::Spin;

/// Both homes of a hash, with their versions at one moment.
pub(super) struct Look<'index> {
    homes: Homes,
    buckets: [&'index TaggedBucket; 2],
    versions: [u32; 2],
    marks: Marks,
    tag: u16,
}

/// An entry of a bucket.
#[derive(Debug)]
pub(crate) struct Slot<'index> {
    bucket: &'index TaggedBucket,
    place: usize,
    coding: Coding,
    tag: u16,
}

impl Place for Slot<'_> {
    #[inline(always)]
    fn set(&self, object: Option<ObjectRef>) {
        let entry = object.map(|object| self.coding.entry(self.tag, object.address()));
        self.bucket.set(self.place, entry);
    }
}

/// How a search ended.
pub(super) enum Ending<T> {
    Found(T),
    /// The key is certainly absent.
    Absent,
    /// The first entry with the tag is another key's.
    Another,
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
            Ending::Another | Ending::Moved => {}
        }
    }
}

impl<'index> Look<'index> {
    /// The bucket of a mark with its version, and the mark's place in it.
    #[inline(always)]
    fn place_of(&self, mark: usize) -> (&'index TaggedBucket, u32, usize) {
        let ([first, second], [before, other]) = (self.buckets, self.versions);
        let is_second = mark >= ENTRIES;
        (
            select_unpredictable(is_second, second, first),
            select_unpredictable(is_second, other, before),
            select_unpredictable(is_second, mark.wrapping_sub(ENTRIES), mark),
        )
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
        let tag = self.coding.tag(hash);
        let mut marks = Marks::of_both(buckets, self.coding.mask(), tag);
        if mutated(Mutant::SecondHomeNotSearched) {
            marks = marks.of_first();
        }
        Some(Look { homes, buckets, versions, marks, tag })
    }

    /// Searches once for an entry, comparing keys in the log. Looks at the first entry with the tag only.
    ///
    /// What makes up a GET is inlined and free of loops: then it stays in registers, and the processor
    /// works on as many operations at once as it can.
    #[inline(always)]
    pub(super) fn glance<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Seen<'_>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        match look.marks.first() {
            Some(mark) => self.seen_at(&look, mark, want, memory, stays),
            None => self.nothing_seen(hash, &look),
        }
    }

    /// Like [`Self::glance`], but looks at every entry with the tag.
    pub(super) fn search<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Seen<'_>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        for mark in look.marks {
            let ending = self.seen_at(&look, mark, want, memory, stays);
            if !matches!(ending, Ending::Another) {
                return ending;
            }
        }
        self.nothing_seen(hash, &look)
    }

    /// Whether a mark leads to the wanted entry.
    #[inline(always)]
    fn seen_at<'index, N: Name, P: Protection>(
        &self,
        look: &Look<'index>,
        mark: usize,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Seen<'index>> {
        let (bucket, before, place) = look.place_of(mark);
        let entry = bucket.entry(place);
        if !bucket.version.is_still(before) {
            return Ending::Moved;
        }
        match self.follow(entry, want, memory, stays) {
            Some(found) => Ending::Found(Seen::new(found, &bucket.version, before)),
            None => Ending::Another,
        }
    }

    /// How a look without a hit ends.
    #[inline(always)]
    fn nothing_seen<T>(&self, hash: Hash, look: &Look<'_>) -> Ending<T> {
        if self.saw_all(hash, look.homes, look.versions) { Ending::Absent } else { Ending::Moved }
    }

    /// Whether a look without a hit has seen every entry that the hash may have.
    #[inline(never)]
    fn saw_all(&self, hash: Hash, homes: Homes, versions: [u32; 2]) -> bool {
        // An entry that moves between the two buckets changes both versions. A bucket that is split
        // changes its version and, SHAPE, to: shows the shape that now determines its homes.
        reach(Point::Missed);
        let [first, second] = [homes.first, homes.second].map(|home| self.bucket(homes, home));
        mutated(Mutant::VersionRecheckMissing)
            || first.version.is_still(versions[0])
                && second.version.is_still(versions[1])
                && self.homes(hash) == homes
    }

    /// Searches once for an entry, and locks its bucket. Looks at the first entry with the tag only.
    ///
    /// The bucket of an entry with the right tag is locked before its object is looked at. A locked
    /// instruction waits for all loads before it, and keeps those behind it waiting: here it waits for
    /// the bucket alone, and the next operation's bucket may be fetched together with this object.
    #[inline(always)]
    pub(super) fn glance_and_lock<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Held<'_, Slot<'_>>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        match look.marks.first() {
            Some(mark) => self.locked_at(&look, mark, want, touched, memory, stays),
            None => self.nothing_seen(hash, &look),
        }
    }

    /// Like [`Self::glance_and_lock`], but looks at every entry with the tag.
    pub(super) fn search_and_lock<N: Name, P: Protection>(
        &self,
        hash: Hash,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Held<'_, Slot<'_>>> {
        let Some(look) = self.look(hash) else { return Ending::Moved };
        reach(Point::BucketFound);
        for mark in look.marks {
            let ending = self.locked_at(&look, mark, want, touched, memory, stays);
            if !matches!(ending, Ending::Another) {
                return ending;
            }
        }
        self.nothing_seen(hash, &look)
    }

    /// Like [`Self::seen_at`], and locks the bucket.
    #[inline(always)]
    fn locked_at<'index, N: Name, P: Protection>(
        &self,
        look: &Look<'index>,
        mark: usize,
        want: Want<N>,
        touched: usize,
        memory: &Memory,
        stays: &P,
    ) -> Ending<Held<'index, Slot<'index>>> {
        let (bucket, before, place) = look.place_of(mark);
        let entry = bucket.entry(place);
        let address = self.coding.address(entry);
        if matches!(want, Want::Place(wanted) if wanted != address) {
            return Ending::Another;
        }
        memory.region.prefetch_lines(address, touched);
        // If it is unchanged since the look, the entry is still there.
        let Some(locked) = bucket.version.lock_unchanged(before) else { return Ending::Moved };
        match self.follow(entry, want, memory, stays) {
            Some(found) => {
                let place = Slot { bucket, place, coding: self.coding, tag: look.tag };
                Ending::Found(Held { found, place, locked })
            }
            None => {
                locked.unchanged();
                Ending::Another
            }
        }
    }

    /// The object that an entry leads to, if it is the wanted one.
    #[inline(always)]
    fn follow<N: Name, P: Protection>(
        &self,
        entry: Entry,
        want: Want<N>,
        memory: &Memory,
        stays: &P,
    ) -> Option<Found> {
        let address = self.coding.address(entry);
        match want {
            Want::Place(place) if place != address => None,
            Want::Place(_) => Some(Found { address, header: memory.header(address, stays) }),
            Want::Key(key) => {
                let header = memory.header(address, stays);
                key.is_of(address, header, memory, stays).then_some(Found { address, header })
            }
        }
    }

    /// Like [`TaggedTable::search`], in one bucket that is locked.
    pub(super) fn find_locked<N: Name>(
        &self,
        bucket: &TaggedBucket,
        hash: Hash,
        key: N,
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Hash;
    use crate::index::Index;
    use crate::{Config, Store, Update};

    #[test]
    fn keys_with_one_tag_in_one_bucket_are_told_apart() {
        for update in [Update::Append, Update::InPlace] {
            let config = Config { index_partitions: 1, update, ..Config::best(8 << 20) };
            let store = Store::open(config).unwrap();
            let Index::Tagged(table) = &store.shared.index else { unreachable!() };
            let like = |one: u64, other: u64| {
                let [one, other] = [one, other].map(Hash::of);
                table.coding.tag(one) == table.coding.tag(other)
                    && table.homes(one).first == table.homes(other).first
            };
            let pairs = (0..4000).flat_map(|one| (0..one).map(move |other| (other, one)));
            let (one, other) = pairs.into_iter().find(|&(one, other)| like(one, other)).unwrap();
            let session = store.session().unwrap();
            let get = |key| {
                let mut value = [0; 8];
                session.get(key, &mut value).unwrap().map(|bytes| value[..bytes].to_vec())
            };
            session.put(one, b"1").unwrap();
            assert_eq!((get(one), get(other)), (Some(b"1".to_vec()), None));
            session.put(other, b"2").unwrap();
            for [first, second] in [[b"3", b"4"], [b"5", b"6"]] {
                session.put(one, first).unwrap();
                session.put(other, second).unwrap();
                assert_eq!((get(one), get(other)), (Some(first.to_vec()), Some(second.to_vec())));
            }
            assert_eq!(store.check().unwrap().live_objects, 2, "no key is there twice");
            assert!(session.delete(one).unwrap() && !session.delete(one).unwrap());
            assert_eq!((get(one), get(other)), (None, Some(b"6".to_vec())));
            assert!(session.delete(other).unwrap());
        }
    }
}
