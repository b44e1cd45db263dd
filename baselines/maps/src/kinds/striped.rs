//! One `std` hash map per stripe, each behind a `std` reader-writer lock: what people write to
//! avoid a dependency.
//!
//! A get copies under a stripe's shared lock. A put decides and swaps the row under the exclusive
//! lock, and frees the old row afterwards.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use engine::{Keys, OpenError, Rmw};
use kit::hash::Mix;
use kit::key::{self, Key};

use crate::config::Config;
use crate::map::{Map, Offering, Placed};
use crate::raw::{Row, RowRef};

/// Default number of stripes.
const STRIPES: usize = 64;

/// Lock-striped `std` maps; see [`MapStore`](crate::MapStore).
#[derive(Debug)]
pub struct Striped<K: Key = u64> {
    stripes: Box<[Stripe<K>]>,
}

type Rows<K> = HashMap<K, Row, Mix>;

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Stripe<K>(RwLock<Rows<K>>);

impl<K> Stripe<K> {
    // A stripe changes only by steps that do not panic, so it is intact even if poisoned.

    #[inline]
    fn read(&self) -> RwLockReadGuard<'_, Rows<K>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn write(&self) -> RwLockWriteGuard<'_, Rows<K>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Key> Striped<K> {
    #[inline]
    fn stripe(&self, key: K::Asked<'_>) -> &Stripe<K> {
        // Bits that the maps use neither for buckets nor for tags.
        &self.stripes[(K::hashed(key) >> 32) as usize & (self.stripes.len() - 1)]
    }
}

impl<K: Key> Map for Striped<K> {
    type Key = K;

    const KEYS: Keys = Keys::Bytes { max: key::BYTES_MAX };
    const RMW: Rmw = Rmw::Atomic;
    const NAME: &'static str = "striped";
    const DESCRIPTION: &'static str =
        "std hash maps, each behind a std reader-writer lock, values on any heap";

    type Thread = ();
    type Guard<'a> = ();

    fn open(config: &Config) -> Result<Self, OpenError> {
        let shards = config.shards_or(STRIPES, 1)?;
        let capacity = config.capacity_entries()?.div_ceil(shards);
        let stripe = || Stripe(RwLock::new(Rows::with_capacity_and_hasher(capacity, Mix)));
        Ok(Self { stripes: (0..shards).map(|_| stripe()).collect() })
    }

    fn thread(&self) {}

    #[inline]
    fn guard(&self, (): &()) {}

    fn shrink(&self) {
        self.stripes.iter().for_each(|stripe| stripe.write().shrink_to_fit());
    }

    #[inline]
    fn get<R>(&self, key: K::Asked<'_>, (): &(), read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.stripe(key).read().get(K::compared(&key)).map(|row| read(row.view().value()))
    }

    #[inline]
    fn put(&self, key: K::Asked<'_>, offer: &mut impl Offering, (): &()) -> Placed {
        let mut rows = self.stripe(key).write();
        if rows.try_reserve(1).is_err() {
            return Placed::Refused;
        }
        let old = match rows.entry(K::owned(key)) {
            Entry::Occupied(mut entry) => {
                offer.row_for(Some(entry.get().view())).map(|row| Some(entry.insert(row)))
            }
            Entry::Vacant(entry) => offer.row_for(None).map(|row| {
                entry.insert(row);
                None
            }),
        };
        // The old row is freed after the lock is released.
        drop(rows);
        match old {
            Some(None) => Placed::Inserted,
            Some(Some(old)) => Placed::Updated { old_value_bytes: old.value_bytes() },
            None => Placed::Refused,
        }
    }

    #[inline]
    fn remove(&self, key: K::Asked<'_>, (): &()) -> Option<usize> {
        // The lock is a temporary of its statement, so the row is freed after the lock is released.
        let row = self.stripe(key).write().remove(K::compared(&key));
        row.map(|row| row.value_bytes())
    }

    fn for_each(&self, (): &(), mut visit: impl FnMut(K::Asked<'_>, RowRef<'_>)) {
        for stripe in &self.stripes {
            stripe.read().iter().for_each(|(key, row)| visit(key.asked(), row.view()));
        }
    }

    fn entries(&self) -> usize {
        self.stripes.iter().map(|stripe| stripe.read().len()).sum()
    }

    fn capacity_entries(&self) -> Option<usize> {
        Some(self.stripes.iter().map(|stripe| stripe.read().capacity()).sum())
    }

    fn shards(&self) -> Option<usize> {
        Some(self.stripes.len())
    }
}
