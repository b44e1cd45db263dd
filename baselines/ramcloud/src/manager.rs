//! The object manager: hash table, log and head of one instance, and the three operations.
//!
//! # Which lock protects what
//! * **A bucket's lock** protects its words *and every entry they lead to*. Sessions and cleaners
//!   change a word, and read what it leads to, only under this lock. No reference outlives it.
//! * **The append lock** protects the open segment and the counters. It is taken under a bucket's
//!   lock, so that everyone sees the entry and the word that leads to it change together.
//! * **A segment's state**: whoever sets it to `Cleaning` owns the segment until it is free.
//! * **Seglets are reused without epochs.** The original needs epochs because replies refer to the
//!   log while they are sent; here values are copied out under the lock. A segment is freed in one
//!   of two cases: each word that led into it was changed under its bucket's lock, or its dead
//!   bytes, counted under such locks, are all of its bytes. Either way every reader has finished
//!   and none can follow.
//!
//! Lock order: bucket, head, pool. The cleaners' state is never locked together with a bucket.

use std::io;
use std::time::{Duration, Instant};

use engine::{GetError, PutOutcome};
use platform::Pages;

use crate::cleaner::{CleanerFigures, Need, Pressure, Selection, Waited};
use crate::config::Geometry;
use crate::entry::{OBJECT_HEADER_BYTES, object_bytes};
use crate::hash::Hash;
use crate::head::{Dead, Head};
use crate::log::{Log, Place, Reference};
use crate::table::{Found, LockedBucket, Table};

/// How long an operation waits while cleaners look for room. Cleaners answer if there is none. So
/// this limit only matters on a machine with no processor to spare, or if other threads take
/// whatever is freed.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// One instance.
#[derive(Debug)]
pub(crate) struct ObjectManager {
    pub(crate) geometry: Geometry,
    pub(crate) log: Log,
    pub(crate) table: Table,
    pub(crate) head: Head,
    pub(crate) pressure: Pressure,
    pub(crate) selection: Selection,
    pub(crate) cleaned: CleanerFigures,
}

impl ObjectManager {
    pub(crate) fn map(geometry: Geometry, pages: Pages, resident: bool) -> io::Result<Self> {
        let objects_max = geometry.object_memory_bytes() / OBJECT_HEADER_BYTES;
        Ok(Self {
            log: Log::map(&geometry, pages, resident)?,
            table: Table::map(geometry.buckets, objects_max, pages, resident)?,
            head: Head::new(),
            pressure: Pressure::new(&geometry),
            selection: Selection::new(),
            cleaned: CleanerFigures::default(),
            geometry,
        })
    }

    #[inline]
    pub(crate) fn get(
        &self,
        hash: Hash,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        let bucket = self.table.lock(hash);
        let Some((_, place)) = self.find::<true>(&bucket, hash, key) else { return Ok(None) };
        let value_bytes = self.log.header(place).value_bytes();
        let buffer_bytes = buffer.len();
        let Some(to) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        self.log.copy_value(&bucket, place, to);
        Ok(Some(value_bytes))
    }

    /// Stores a value that is not too long.
    #[inline]
    pub(crate) fn put(&self, hash: Hash, key: u64, value: &[u8]) -> PutOutcome {
        debug_assert!(value.len() <= self.geometry.value_bytes_max);
        match self.try_put(hash, key, value) {
            Some(outcome) => outcome,
            None => {
                let attempt = || self.try_put(hash, key, value);
                self.patiently(Need::Put, attempt).unwrap_or(PutOutcome::Full)
            }
        }
    }

    #[inline]
    pub(crate) fn delete(&self, hash: Hash, key: u64) -> bool {
        match self.try_delete(hash, key) {
            Some(deleted) => deleted,
            None => self
                .patiently(Need::Tombstone, || self.try_delete(hash, key))
                .unwrap_or_else(|| self.delete_without_tombstone(hash, key)),
        }
    }

    /// `None`, with nothing changed, if the log has no room.
    #[inline]
    fn try_put(&self, hash: Hash, key: u64, value: &[u8]) -> Option<PutOutcome> {
        let mut bucket = self.table.lock(hash);
        let found = self.find::<false>(&bucket, hash, key);
        let dead = found.map(|(_, place)| self.dead(key, place));
        let floor = self.geometry.put_floor();
        let reference = self.head.append_object(&self.log, key, value, dead.as_ref(), floor)?;
        let outcome = match found {
            Some((found, place)) => {
                bucket.replace(found, reference);
                self.bury(place);
                PutOutcome::Updated
            }
            None => {
                bucket.insert(hash.tag(), reference);
                PutOutcome::Inserted
            }
        };
        drop(bucket);
        self.pressure.look(self.log.seglets.free());
        Some(outcome)
    }

    /// `None`, with nothing changed, if the log has no room for a tombstone.
    fn try_delete(&self, hash: Hash, key: u64) -> Option<bool> {
        let mut bucket = self.table.lock(hash);
        let Some((found, place)) = self.find::<false>(&bucket, hash, key) else {
            return Some(false);
        };
        let Geometry { survivor_reserve, .. } = self.geometry;
        let put_floor = self.geometry.put_floor();
        let dead = self.dead(key, place);
        if !self.head.append_tombstone(&self.log, &dead, survivor_reserve, put_floor) {
            return None;
        }
        bucket.remove(found);
        self.bury(place);
        drop(bucket);
        self.pressure.look(self.log.seglets.free());
        Some(true)
    }

    /// The last resort when the log has no room and nothing to clean. Tombstones exist for
    /// recovery, which is left out, so the object stays dead.
    #[cold]
    fn delete_without_tombstone(&self, hash: Hash, key: u64) -> bool {
        let mut bucket = self.table.lock(hash);
        let Some((found, place)) = self.find::<false>(&bucket, hash, key) else { return false };
        self.head.omit_tombstone(self.log.header(place).value_bytes());
        bucket.remove(found);
        self.bury(place);
        true
    }

    /// Repeats an attempt that found no room as long as cleaners make some, but no longer than
    /// [`WAIT_MAX`].
    #[cold]
    fn patiently<T>(&self, need: Need, attempt: impl Fn() -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let seen = self.pressure.rounds();
            if let Some(done) = attempt() {
                return Some(done);
            }
            match self.pressure.wait(need, seen, deadline) {
                Waited::Freed => {}
                // Other threads may have freed what the cleaners could not.
                Waited::NothingToClean | Waited::TooLong => return attempt(),
            }
        }
    }

    /// The entry of a key: its place in the bucket and in the log. If the value is wanted, also
    /// prefetches the line behind the first one.
    #[inline]
    fn find<'a, const VALUE: bool>(
        &self,
        bucket: &LockedBucket<'a>,
        hash: Hash,
        key: u64,
    ) -> Option<(Found<'a>, Place)> {
        let found = bucket.find(hash.tag(), |reference: Reference| {
            let place = self.log.place(reference);
            if VALUE {
                self.log.region.prefetch(self.log.byte_of(place) + 64);
            }
            self.log.key(place) == key
        })?;
        Some((found, self.log.place(found.reference)))
    }

    #[inline]
    fn dead(&self, key: u64, place: Place) -> Dead {
        let owner = self.log.seglets.owner(place.seglet);
        Dead {
            key,
            version: self.log.version(place),
            value_bytes: self.log.header(place).value_bytes(),
            segment: self.log.segments.slot(owner).id().0,
        }
    }

    /// Counts an object as dead to which no word leads any more. The bucket's lock must still be
    /// held.
    #[inline]
    fn bury(&self, place: Place) {
        let owner = self.log.seglets.owner(place.seglet);
        let value_bytes = self.log.header(place).value_bytes();
        self.log.segments.slot(owner).bury(object_bytes(value_bytes));
    }
}
