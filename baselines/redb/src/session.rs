//! Operations: a read transaction for each GET and scan, a write transaction for each PUT and DELETE.

use engine::{Decide, Decision, DeleteOutcome, GetError, PutError, PutOutcome, ScanRange};
use kit::counted::VALUE_BYTES_MAX;
use kit::key::{Key, Operations};
use kit::moment::{Moment as _, WithMoment, Write, limited};
use kit::values::copy_out;
use redb::ReadableTable as _;

use crate::store::{Redb, done, pairs};

/// One thread's use of a [`Redb`].
#[derive(Debug)]
pub struct RedbSession<'engine> {
    store: &'engine Redb,
}

impl<'engine> RedbSession<'engine> {
    pub(crate) fn new(store: &'engine Redb) -> Self {
        Self { store }
    }

    fn check_length(&self, key: &[u8], value: &[u8]) -> Result<(), PutError> {
        let bound_bytes = self.store.config.object_memory_bytes.unwrap_or(u64::MAX);
        let room_bytes = bound_bytes.saturating_sub(key.len() as u64);
        let limit_bytes = VALUE_BYTES_MAX.min(usize::try_from(room_bytes).unwrap_or(usize::MAX));
        let value_bytes = value.len();
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        Ok(())
    }

    /// Puts what `decide` makes of the present value, in one transaction; `None` if it keeps that.
    fn put_decided(
        &self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let writes = self.store.write();
        let mut live = self.store.account().live;
        let mut table = pairs(&writes);
        let mut new = Vec::new();
        let (old, decision) = match done("get", table.get(key)) {
            Some(old) => (Some(old.value().len()), decide(Some(old.value()), &mut new)),
            None => (None, decide(None, &mut new)),
        };
        if decision == Decision::Keep {
            return Ok(None);
        }
        self.check_length(key, &new)?;
        live.replace(key, old, Some(new.len()));
        if !self.store.admits(live) {
            return Ok(Some(PutOutcome::Full));
        }
        drop(done("insert", table.insert(key, &new[..])));
        drop(table);
        self.store.commit(writes, live);
        Ok(Some(told(old)))
    }
}

/// What a put says of the value that was there.
fn told(old: Option<usize>) -> PutOutcome {
    if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }
}

impl<K: Key> Operations<K> for RedbSession<'_> {
    #[inline]
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let looked = self.store.look();
        let found = done("get", looked.0.get(K::spelled(&key).as_ref()));
        found.map(|value| copy_out(value.value(), buffer)).transpose()
    }

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let spelled = K::spelled(&key);
        let key = spelled.as_ref();
        self.check_length(key, value)?;
        let writes = self.store.write();
        let mut live = self.store.account().live;
        let mut table = pairs(&writes);
        // The design finds the old value, so the store tells at no cost.
        let old = done("insert", table.insert(key, value)).map(|old| old.value().len());
        drop(table);
        live.replace(key, old, Some(value.len()));
        if !self.store.admits(live) {
            done("abort", writes.abort());
            return Ok(PutOutcome::Full);
        }
        self.store.commit(writes, live);
        Ok(told(old))
    }

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let spelled = K::spelled(&key);
        let key = spelled.as_ref();
        let writes = self.store.write();
        let mut live = self.store.account().live;
        let mut table = pairs(&writes);
        let old = done("remove", table.remove(key)).map(|old| old.value().len());
        drop(table);
        if old.is_none() {
            done("abort", writes.abort());
            return DeleteOutcome::Absent;
        }
        live.replace(key, old, None);
        self.store.commit(writes, live);
        DeleteOutcome::Removed
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.put_decided(K::spelled(&key).as_ref(), decide)
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let (mut looked, spelled) = (self.store.look(), K::spelled(&first));
        let shown = limited(limit, &mut |key, value| visit(K::read(key), value), |visit| {
            looked.scan(spelled.as_ref(), order, visit);
        });
        Some(shown)
    }

    fn with_snapshot(&mut self, read: &mut WithMoment<'_>) -> bool {
        read(&mut self.store.look());
        true
    }

    fn write_in_one_step(
        &mut self,
        together: &[Write<'_>],
    ) -> Result<Option<PutOutcome>, PutError> {
        for write in together {
            self.check_length(write.key(), write.value().unwrap_or_default())?;
        }
        let writes = self.store.write();
        let mut live = self.store.account().live;
        let mut table = pairs(&writes);
        for write in together {
            let key = write.key();
            let old = match write.value() {
                Some(value) => done("insert", table.insert(key, value)),
                None => done("remove", table.remove(key)),
            };
            live.replace(key, old.map(|old| old.value().len()), write.value().map(<[u8]>::len));
        }
        drop(table);
        if !self.store.admits(live) {
            done("abort", writes.abort());
            return Ok(Some(PutOutcome::Full));
        }
        self.store.commit(writes, live);
        Ok(Some(PutOutcome::Stored))
    }
}
