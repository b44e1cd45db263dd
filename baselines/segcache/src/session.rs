//! One thread's operations.

use std::thread;
use std::time::Duration;

use engine::{DeleteOutcome, GetError, KvEngine, KvSession, PutError, PutOutcome};
use kit::values;
use segcache::{SegcacheError, Value};

use crate::counters::Counts;
use crate::store::Segcache;

/// The crate keeps such objects for as long as it can, about 97 days.
const FOR_EVER: Duration = Duration::ZERO;
/// How often a PUT tries to get a segment. The crate gives up when others merge or read all those
/// that it looks at, and they are done soon.
const ATTEMPTS: u32 = 1000;

/// One thread's use of a [`Segcache`]. The cache is shared, so a session only counts.
#[derive(Debug)]
pub struct SegcacheSession<'engine> {
    store: &'engine Segcache,
    counts: Counts,
}

impl<'engine> SegcacheSession<'engine> {
    pub(crate) fn new(store: &'engine Segcache) -> Self {
        Self { store, counts: Counts::default() }
    }

    /// Whether `key` is there, if anyone wants to know. To look is no use of the object.
    #[inline]
    fn known(&self, key: &[u8]) -> bool {
        self.store.config.ask_presence && self.store.cache.get_no_freq_incr(key).is_some()
    }

    #[inline]
    fn insert(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.store.config.value_bytes_max());
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        self.counts.puts += 1;
        let key = key.to_le_bytes();
        let known = self.known(&key);
        for _ in 0..ATTEMPTS {
            match self.store.cache.insert(&key, value, None, lifetime) {
                Ok(()) if !self.store.config.ask_presence => return Ok(PutOutcome::Stored),
                Ok(()) if known => return Ok(PutOutcome::Updated),
                Ok(()) => return Ok(PutOutcome::Inserted),
                Err(SegcacheError::NoFreeSegments) => {
                    self.counts.retries_no_segment += 1;
                    thread::yield_now();
                }
                Err(SegcacheError::HashTableInsertEx) => {
                    self.counts.refused_no_slot += 1;
                    return Ok(PutOutcome::Full);
                }
                Err(error) => unreachable!("an insertion of {value_bytes} bytes: {error}"),
            }
        }
        self.counts.refused_no_segment += 1;
        Ok(PutOutcome::Full)
    }
}

impl Drop for SegcacheSession<'_> {
    fn drop(&mut self) {
        self.store.sums.add(self.counts);
    }
}

impl KvSession for SegcacheSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let Some(item) = self.store.cache.get(&key.to_le_bytes()) else {
            self.counts.misses += 1;
            return Ok(None);
        };
        self.counts.hits += 1;
        let Value::Bytes(value) = item.value() else { unreachable!("values are put as bytes") };
        values::copy_out(value, buffer).map(Some)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.insert(key, value, FOR_EVER)
    }

    /// Segments whose time is over are freed first, once a second, as the crate's own server does. Else the
    /// one that is written to would take objects beyond its end.
    fn put_for(
        &mut self,
        key: u64,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        let Some(seconds) = Segcache::TRAITS.expiry.units(lifetime) else { return Ok(None) };
        self.counts.expired_segments += self.store.cache.expire() as u64;
        self.insert(key, value, Duration::from_secs(seconds)).map(Some)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let (cache, key) = (&self.store.cache, key.to_le_bytes());
        loop {
            if cache.delete(&key) {
                return DeleteOutcome::told(true);
            }
            // The crate also answers no if a merge moved the object after the crate had found it.
            if cache.get_no_freq_incr(&key).is_none() {
                return DeleteOutcome::told(false);
            }
            self.counts.repeated_deletes += 1;
        }
    }
}
