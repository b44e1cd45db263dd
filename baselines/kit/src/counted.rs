//! Adds what log-structured stores do not report: whether a key was present, and how much is live.
//!
//! A put in such a store appends and looks nothing up. So reporting "inserted or updated" and "was
//! present", and bounding live bytes, costs a lookup before every put and delete. The lookup and
//! the write of a key must be one step, so writers of a key exclude one another with a lock that
//! keys share by hash (a *stripe*). Reads take no lock: the store below orders them itself.
//!
//! Where nobody uses what they report, puts and deletes are blind, as such stores are used elsewhere: they
//! look nothing up, take no lock, and are bounded by nothing. What is live is then found by a walk.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::{
    Decide, Decision, DeleteOutcome, GetError, OpenError, PutError, PutOutcome, Rmw, ScanOrder,
    ScanRange, Setting, Writes,
};

use crate::credit::{Credit, Pool};
use crate::hash::mix_bytes;
use crate::key::{BYTES_MAX, Key, Operations, get_then_put};
use crate::moment::{Moment, WithMoment, Write, limited};
use crate::values::copy_out;

/// The longest value: these stores hold each value in one buffer with a 32-bit length.
pub const VALUE_BYTES_MAX: usize = 1 << 30;
/// The most locks that writers of a key share.
pub const STRIPES_MAX: usize = 1 << 16;

/// A store below. Keys are byte strings; words are 8 big-endian bytes, whose order is the order of the numbers.
///
/// A caller cannot act on an error of the files below, so it panics with the store's message.
pub trait Table: Sync + fmt::Debug {
    /// The longest key.
    const KEY_BYTES_MAX: usize = BYTES_MAX;

    /// The state at one moment.
    type Moment<'table>: Moment
    where
        Self: 'table;

    /// Passes the value of `key` to `read`; `None` if it is absent.
    fn read<R>(&self, key: &[u8], read: impl FnOnce(&[u8]) -> R) -> Option<R>;

    fn put(&self, key: &[u8], value: &[u8]);

    /// Removes `key` if present.
    fn delete(&self, key: &[u8]);

    /// Passes all pairs from `first` on to `visit`, in this order, until it returns `false`.
    fn scan(&self, first: &[u8], order: ScanOrder, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool);

    /// The state as it is now.
    fn moment(&self) -> Self::Moment<'_>;

    /// Carries out all writes, or none.
    fn write(&self, writes: &[Write<'_>]);
}

/// A table that counts its live objects.
#[derive(Debug)]
pub struct Counted<T> {
    pub table: T,
    /// Whether puts and deletes look up if the key was there.
    asks_presence: bool,
    object_memory_bytes: Option<u64>,
    stripes: Box<[Stripe]>,
    pool: Pool,
}

/// Two cache lines, because the processor prefetches neighbours in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(Mutex<Account>);

/// What is known about a stripe's keys.
#[derive(Debug, Default)]
struct Account {
    credit: Credit,
    live: Live,
    lookups: u64,
}

/// Number and size of live objects, counted or found by a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub objects: u64,
    pub key_bytes: u64,
    pub value_bytes: u64,
}

impl Live {
    /// Size of keys and values.
    pub fn bytes(self) -> u64 {
        self.value_bytes + self.key_bytes
    }

    /// One more object.
    pub fn add(&mut self, key: &[u8], value_bytes: usize) {
        self.objects += 1;
        self.key_bytes += key.len() as u64;
        self.value_bytes += value_bytes as u64;
    }

    /// A value of `new` bytes in place of one of `old`; `None` for no value.
    pub fn replace(&mut self, key: &[u8], old: Option<usize>, new: Option<usize>) {
        if let Some(value_bytes) = new {
            self.add(key, value_bytes);
        }
        if let Some(value_bytes) = old {
            self.subtract(key, value_bytes);
        }
    }

    fn subtract(&mut self, key: &[u8], value_bytes: usize) {
        self.objects -= 1;
        self.key_bytes -= key.len() as u64;
        self.value_bytes -= value_bytes as u64;
    }
}

/// # Errors
/// [`OpenError::BadSetting`] unless `stripes` is a power of two up to 65536.
pub fn check_stripes(stripes: usize) -> Result<(), OpenError> {
    if stripes.is_power_of_two() && stripes <= STRIPES_MAX {
        return Ok(());
    }
    Err(OpenError::BadSetting {
        setting: "stripes".to_owned(),
        value: stripes.to_string(),
        accepted: format!("powers of two up to {STRIPES_MAX}"),
    })
}

impl<T: Table> Counted<T> {
    /// Wraps a table, and counts what is in it if its PUTs will tell; `stripes` is a power of two. Without
    /// `asks_presence`, `object_memory_bytes` bounds nothing.
    pub fn new(
        table: T,
        stripes: usize,
        object_memory_bytes: Option<u64>,
        asks_presence: bool,
    ) -> Self {
        let counted = Self {
            table,
            asks_presence,
            object_memory_bytes,
            stripes: (0..stripes).map(|_| Stripe::default()).collect(),
            pool: Pool::new(object_memory_bytes, 4 * stripes),
        };
        if asks_presence {
            counted.count_what_is_there();
        }
        counted
    }

    /// Counts objects that an earlier store has left. Beyond the bound they are counted all the same: they
    /// are there.
    fn count_what_is_there(&self) {
        self.table.scan(&[], ScanOrder::Ascending, &mut |key, value| {
            let mut account = self.lock(self.stripe_of(key));
            let bytes = (key.len() + value.len()) as u64;
            let _within_the_bound = account.credit.pay(&self.pool, bytes);
            account.live.add(key, value.len());
            true
        });
    }

    /// The live objects, counted or found by a walk of all of them.
    pub fn live(&self) -> Live {
        let mut sum = Live::default();
        if !self.asks_presence {
            self.table.scan(&[], ScanOrder::Ascending, &mut |key, value| {
                sum.add(key, value.len());
                true
            });
            return sum;
        }
        for stripe in 0..self.stripes.len() {
            let live = self.lock(stripe).live;
            sum.objects += live.objects;
            sum.key_bytes += live.key_bytes;
            sum.value_bytes += live.value_bytes;
        }
        sum
    }

    /// What puts and deletes say of their keys.
    pub fn writes(&self) -> Writes {
        Writes::telling_if(self.asks_presence)
    }

    /// A telling store reads, decides and writes under the lock of the key's stripe, as all its writers do.
    pub fn rmw(&self) -> Rmw {
        if self.asks_presence { Rmw::Atomic } else { Rmw::GetThenPut }
    }

    /// What is set, for those who look at rows.
    pub fn settings(&self) -> [Setting; 4] {
        let bound = self.object_memory_bytes.filter(|_| self.asks_presence);
        let lookups = if self.asks_presence { "before each put and delete" } else { "none" };
        [
            Setting::new(
                "object_memory_bytes",
                bound.map_or("none".to_owned(), |it| it.to_string()),
            ),
            Setting::new("stripes", self.stripes.len()),
            Setting::new("ask-presence", self.asks_presence),
            Setting::new("lookups", lookups),
        ]
    }

    /// Lookups that puts and deletes made to learn what was present.
    pub fn lookups(&self) -> u64 {
        (0..self.stripes.len()).map(|stripe| self.lock(stripe).lookups).sum()
    }

    /// Memory of the stripes, in bytes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.stripes) as u64
    }

    /// Walks the table and compares it with the counts, while all writers are excluded.
    pub fn check(&self) -> Result<(), String> {
        let all: Vec<_> = (0..self.stripes.len()).map(|stripe| self.lock(stripe)).collect();
        let mut found = vec![Live::default(); all.len()];
        let mut previous: Option<Vec<u8>> = None;
        let mut disorder = None;
        self.table.scan(&[], ScanOrder::Ascending, &mut |key, value| {
            if previous.as_ref().is_some_and(|previous| previous[..] >= *key) {
                disorder = Some(key.to_vec());
            }
            let previous = previous.get_or_insert_default();
            previous.clear();
            previous.extend_from_slice(key);
            found[self.stripe_of(key)].add(key, value.len());
            disorder.is_none()
        });
        if let Some(key) = disorder {
            return Err(format!("key {key:x?} is out of order"));
        }
        if !self.asks_presence {
            return Ok(());
        }
        let mut claimed_bytes = self.pool.bytes();
        for (stripe, (account, found)) in all.iter().zip(&found).enumerate() {
            if account.live != *found {
                return Err(format!(
                    "stripe {stripe}: {:?} counted, {found:?} found",
                    account.live
                ));
            }
            claimed_bytes += account.credit.bytes() + found.bytes();
        }
        let bound_bytes = self.pool.bound_bytes();
        if claimed_bytes != bound_bytes {
            return Err(format!(
                "pool, credit and live are {claimed_bytes} of {bound_bytes} bytes"
            ));
        }
        Ok(())
    }

    fn stripe_of(&self, key: &[u8]) -> usize {
        let hash = match key.try_into() {
            // Fibonacci hashing: the upper bits of the product depend on all bits of the word.
            Ok(word) => u64::from_be_bytes(word).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            Err(_) => mix_bytes(key),
        };
        (hash >> 40) as usize & (self.stripes.len() - 1)
    }

    fn lock(&self, stripe: usize) -> MutexGuard<'_, Account> {
        // An account changes only by steps that do not panic, so it is intact even if poisoned.
        self.stripes[stripe].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the credit that stripes do not need to the common pool.
    fn gather_credit(&self) {
        for stripe in 0..self.stripes.len() {
            self.lock(stripe).credit.surrender(&self.pool);
        }
    }

    fn value_bytes_limit(&self, key: &[u8]) -> usize {
        let bound_bytes = self.pool.bound_bytes().saturating_sub(key.len() as u64);
        VALUE_BYTES_MAX.min(usize::try_from(bound_bytes).unwrap_or(usize::MAX))
    }

    fn try_put(&self, key: &[u8], value: &[u8]) -> PutOutcome {
        if !self.asks_presence {
            self.table.put(key, value);
            return PutOutcome::Stored;
        }
        let mut account = self.lock(self.stripe_of(key));
        let old = self.look_up(&mut account, key);
        self.replace(&mut account, key, old, value)
    }

    /// Puts a value in place of one of `old` bytes, as far as the bound admits it.
    #[inline]
    fn replace(
        &self,
        account: &mut Account,
        key: &[u8],
        old: Option<usize>,
        value: &[u8],
    ) -> PutOutcome {
        let footprint = |value_bytes: usize| (value_bytes + key.len()) as u64;
        let (old_bytes, new_bytes) = (old.map_or(0, footprint), footprint(value.len()));
        if !account.credit.pay(&self.pool, new_bytes.saturating_sub(old_bytes)) {
            return PutOutcome::Full;
        }
        self.table.put(key, value);
        account.credit.refund(&self.pool, old_bytes.saturating_sub(new_bytes));
        account.live.replace(key, old, Some(value.len()));
        if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Reads, decides and writes under the lock of the key's stripe. `None` if it keeps what there is.
    fn try_modify(
        &self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let mut account = self.lock(self.stripe_of(key));
        let mut new = Vec::new();
        account.lookups += 1;
        let seen = self.table.read(key, |old| (old.len(), decide(Some(old), &mut new)));
        let (old, decision) = match seen {
            Some((value_bytes, decision)) => (Some(value_bytes), decision),
            None => (None, decide(None, &mut new)),
        };
        if decision == Decision::Keep {
            return Ok(None);
        }
        self.check_length(key, &new)?;
        Ok(Some(self.replace(&mut account, key, old, &new)))
    }

    fn check_length(&self, key: &[u8], value: &[u8]) -> Result<(), PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.value_bytes_limit(key));
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        Ok(())
    }

    fn delete(&self, key: &[u8]) -> DeleteOutcome {
        if !self.asks_presence {
            self.table.delete(key);
            return DeleteOutcome::Done;
        }
        let mut account = self.lock(self.stripe_of(key));
        let Some(old) = self.look_up(&mut account, key) else { return DeleteOutcome::Absent };
        self.table.delete(key);
        account.live.replace(key, Some(old), None);
        account.credit.refund(&self.pool, (old + key.len()) as u64);
        DeleteOutcome::Removed
    }

    /// The length of the present value, if any.
    fn look_up(&self, account: &mut Account, key: &[u8]) -> Option<usize> {
        account.lookups += 1;
        self.table.read(key, <[u8]>::len)
    }
}

/// One thread's use of a store whose objects are counted.
#[derive(Debug)]
pub struct CountedSession<'engine, T> {
    counted: &'engine Counted<T>,
}

impl<'engine, T> CountedSession<'engine, T> {
    pub fn new(counted: &'engine Counted<T>) -> Self {
        Self { counted }
    }
}

impl<K: Key, T: Table> Operations<K> for CountedSession<'_, T> {
    const KEY_BYTES_MAX: usize = T::KEY_BYTES_MAX;

    #[inline]
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let spelled = K::spelled(&key);
        self.counted.table.read(spelled.as_ref(), |value| copy_out(value, buffer)).transpose()
    }

    #[inline]
    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        let spelled = K::spelled(&key);
        let key = spelled.as_ref();
        self.counted.check_length(key, value)?;
        let outcome = self.counted.try_put(key, value);
        if outcome.is_stored() {
            return Ok(outcome);
        }
        self.counted.gather_credit();
        Ok(self.counted.try_put(key, value))
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        if self.counted.rmw() == Rmw::GetThenPut {
            return get_then_put::<K, _>(self, key, decide);
        }
        let spelled = K::spelled(&key);
        match self.counted.try_modify(spelled.as_ref(), decide)? {
            Some(PutOutcome::Full) => {
                self.counted.gather_credit();
                self.counted.try_modify(spelled.as_ref(), decide)
            }
            done => Ok(done),
        }
    }

    #[inline]
    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        self.counted.delete(K::spelled(&key).as_ref())
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let (table, spelled) = (&self.counted.table, K::spelled(&first));
        let shown = limited(limit, &mut |key, value| visit(K::read(key), value), |visit| {
            table.scan(spelled.as_ref(), order, visit);
        });
        Some(shown)
    }

    fn with_snapshot(&mut self, read: &mut WithMoment<'_>) -> bool {
        read(&mut self.counted.table.moment());
        true
    }

    /// A store that tells would have to look at all keys under all their locks.
    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        if self.counted.asks_presence {
            return Ok(None);
        }
        for write in writes {
            self.counted.check_length(write.key(), write.value().unwrap_or_default())?;
        }
        self.counted.table.write(writes);
        Ok(Some(PutOutcome::Stored))
    }
}
