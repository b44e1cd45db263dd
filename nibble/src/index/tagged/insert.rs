//! Insertion of a key that is new, or seemed so. Both its buckets are locked; if both are full, one
//! of their entries moves to its own other bucket.

use super::bucket::{ENTRIES, TaggedBucket};
use super::table::{Homes, TaggedTable};
use crate::address::ObjectRef;
use crate::index::hash::Hash;
use crate::index::partition::Shape;
use crate::index::table::IndexFull;
use crate::index::version::Locked;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::name::Name;
use crate::raw::{Header, Memory};
use crate::sync::Spin;

/// Among insertions that find both buckets full, one in this many checks whether the table is full.
pub(super) const CROWDED_PER_LOOK: u32 = 2;
/// Number of buckets sampled for that; models have few.
const SAMPLE: u64 = if cfg!(loom) { 1 } else { 16 };
/// A bucket is split when at least this percentage of the sampled entries is in use. With a much
/// higher value insertions would become expensive.
const FULL_PERCENT: u64 = 93;

/// After this many futile splits the index counts as full. At the load maintained, even one is
/// rarely needed. Between them the thread yields, because whoever holds the buckets in the way may
/// have been descheduled.
const ATTEMPTS: u32 = 1000;

/// How many entries may have to move to make room for one.
pub(super) const DEPTH: u32 = 2;

/// A place whose entry leaves it, in a bucket that is being split and is therefore locked.
#[derive(Clone, Copy)]
pub(super) struct Vacated {
    pub(super) bucket: u64,
    pub(super) place: usize,
    /// The partition's shape after the split. Who moves to the place must be at home there then.
    pub(super) after: Shape,
}

/// Both homes of a key, locked in the order of their numbers.
struct Pair<'index> {
    homes: Homes,
    buckets: [(&'index TaggedBucket, u64); 2],
    first: Locked<'index>,
    _second: Option<Locked<'index>>,
}

impl TaggedTable {
    fn lock_both(&self, hash: Hash) -> Pair<'_> {
        loop {
            let homes = self.homes(hash);
            let [first, second] = [homes.first, homes.second].map(|home| self.bucket(homes, home));
            reach(Point::BucketFound);
            // The lower number first, as everywhere when a thread waits for a second bucket.
            let (low, high) =
                if homes.first <= homes.second { (first, second) } else { (second, first) };
            let low_lock = low.lock();
            let high_lock = (homes.first != homes.second).then(|| high.lock());
            if self.homes(hash) == homes || mutated(Mutant::HomeCheckMissing) {
                return Pair {
                    homes,
                    buckets: [(first, homes.first), (second, homes.second)],
                    first: low_lock,
                    _second: high_lock,
                };
            }
        }
    }

    /// Makes `key` lead to `object`; returns whether the key was present after all.
    #[cold]
    pub(super) fn insert<N: Name>(
        &self,
        hash: Hash,
        key: N,
        object: ObjectRef,
        memory: &Memory,
        mut replaced: impl FnMut(Option<(ObjectRef, Header)>),
    ) -> Result<bool, IndexFull> {
        let entry = Some(self.coding.entry(self.coding.tag(hash), object.address()));
        let mut split = false;
        let mut attempts = 0..ATTEMPTS;
        let mut spin = Spin::default();
        let was_there = loop {
            attempts.next().ok_or(IndexFull)?;
            let pair = self.lock_both(hash);
            if let Some((bucket, place, old, header)) = self.find(&pair, hash, key, memory) {
                bucket.set(place, entry);
                replaced(Some((old, header)));
                break true;
            }
            let vacant =
                pair.buckets.iter().find_map(|&(bucket, _)| Some((bucket, bucket.vacant()?)));
            let place = vacant.or_else(|| {
                let (number, partition) = self.partitions.of(hash);
                let turn = partition.count_crowded();
                split |= turn.is_multiple_of(CROWDED_PER_LOOK)
                    && self.is_full(number, partition.shape().buckets(), turn);
                self.make_room(&pair, memory)
            });
            if let Some((bucket, place)) = place {
                bucket.set(place, entry);
                replaced(None);
                break false;
            }
            drop(pair);
            self.split(hash, memory)?;
            spin.turn();
        };
        if split {
            // The key is inserted. A table that cannot grow any more reports that when it is full.
            let _ = self.try_split(hash, memory);
        }
        Ok(was_there)
    }

    /// Whether a sample of a partition's buckets is full enough to add another bucket. The number
    /// of insertions without room says little: there are as many when keys come and go.
    fn is_full(&self, partition: u64, buckets: u64, turn: u32) -> bool {
        let bucket = |number: u64| (u64::from(turn) + number * buckets / SAMPLE) % buckets;
        (0..SAMPLE).for_each(|number| self.space.prefetch(partition, bucket(number)));
        let in_use =
            (0..SAMPLE).map(|number| self.space.bucket(partition, bucket(number)).in_use());
        in_use.sum::<u64>() * 100 >= SAMPLE * ENTRIES as u64 * FULL_PERCENT
    }

    fn find<'index, N: Name>(
        &self,
        pair: &Pair<'index>,
        hash: Hash,
        key: N,
        memory: &Memory,
    ) -> Option<(&'index TaggedBucket, usize, ObjectRef, Header)> {
        pair.buckets.iter().find_map(|&(bucket, _)| {
            let (place, found) = self.find_locked(bucket, hash, key, memory, &pair.first)?;
            Some((bucket, place, self.object(memory, found.address), found.header))
        })
    }

    /// Moves one entry of two full buckets to its other bucket; returns the place that is now free.
    fn make_room<'index>(
        &'index self,
        pair: &Pair<'index>,
        memory: &Memory,
    ) -> Option<(&'index TaggedBucket, usize)> {
        (1..=DEPTH).find_map(|depth| {
            pair.buckets.into_iter().find_map(|(bucket, number)| {
                let place = self.relieve(pair.homes, number, memory, &pair.first, depth, None)?;
                Some((bucket, place))
            })
        })
    }

    /// Copies one entry of a full, locked bucket to its other bucket; returns its place, which the
    /// caller overwrites.
    ///
    /// The other bucket is only tried, never waited for, because it may have any number. Until the
    /// caller overwrites the entry there are two copies of it, in two buckets, one of which is
    /// locked. A place that is `vacated` is room like a free one.
    pub(super) fn relieve(
        &self,
        homes: Homes,
        number: u64,
        memory: &Memory,
        stays: &Locked<'_>,
        depth: u32,
        vacated: Option<Vacated>,
    ) -> Option<usize> {
        let bucket = self.bucket(homes, number);
        let other_home = |hash| match vacated {
            Some(Vacated { after, .. }) => Homes::of(hash, homes.partition, after).other(number),
            None => self.homes(hash).other(number),
        };
        for entry in bucket.entries() {
            memory.region.prefetch(self.coding.address(entry));
        }
        (0..ENTRIES).find(|&place| {
            let Some(entry) = bucket.load(place) else { return false };
            let hash = Hash::of(memory.header(self.coding.address(entry), stays).key);
            let other = other_home(hash);
            let target = self.bucket(homes, other);
            if let Some(Vacated { place, .. }) = vacated.filter(|room| room.bucket == other) {
                target.set(place, Some(entry));
                return true;
            }
            reach(Point::ReliefChosen);
            let Some(_lock) = target.try_lock() else { return false };
            // The bucket may have been split before it was locked.
            let is_home = other_home(hash) == other;
            if !is_home && !mutated(Mutant::ReliefRecheckMissing) {
                return false;
            }
            let free = target.vacant().or_else(|| {
                let depth = depth.checked_sub(1).filter(|&rest| rest > 0)?;
                self.relieve(homes, other, memory, stays, depth, vacated)
            });
            if let Some(free) = free.filter(|_| !mutated(Mutant::DisplacementLosesKey)) {
                target.set(free, Some(entry));
            }
            reach(Point::Displaced);
            free.is_some()
        })
    }
}
