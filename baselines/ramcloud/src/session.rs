//! The operations of one thread.

use engine::{DeleteOutcome, GetError, KvSession, PutError, PutOutcome};

use crate::RamCloud;
use crate::hash::Hash;

/// A session. It has no state of its own, since operations synchronise through locks anyway.
#[derive(Debug)]
pub struct RamCloudSession<'a> {
    store: &'a RamCloud,
}

impl<'a> RamCloudSession<'a> {
    pub(crate) fn new(store: &'a RamCloud) -> Self {
        Self { store }
    }
}

impl KvSession for RamCloudSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let hash = Hash::of(key);
        self.store.manager(hash).get(hash, key, buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let hash = Hash::of(key);
        let manager = self.store.manager(hash);
        let limit_bytes = manager.geometry.value_bytes_max;
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        Ok(manager.put(hash, key, value))
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let hash = Hash::of(key);
        DeleteOutcome::told(self.store.manager(hash).delete(hash, key))
    }
}
