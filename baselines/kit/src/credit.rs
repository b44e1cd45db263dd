//! A bound on live bytes that is never exceeded, without a counter that every put writes.
//!
//! Bytes that may still be filled are either in the common [`Pool`] or, as [`Credit`], with a
//! *holder*: a shard, a stripe, a session. A holder pays from its credit, and fetches more in
//! portions that shrink as the pool drains. Before a store refuses a put it has the holders
//! [surrender](Credit::surrender) their credit. So a put is refused only if it does not fit, or
//! if other threads put at the same moment.
//!
//! Invariant: pool + credits + live bytes == bound.
//!
//! All orderings are relaxed: the counters guard no other memory.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::padded::Padded;

/// Stands for "no bound": more than there is memory, and sums of it do not overflow.
const UNBOUNDED: u64 = 1 << 62;
/// Largest portion a holder fetches beyond what it needs.
pub const PORTION_BYTES_MAX: u64 = 64 << 10;

/// The bytes that nobody holds.
#[derive(Debug)]
pub struct Pool {
    bytes: Padded<AtomicU64>,
    bound_bytes: u64,
    portions: u64,
}

impl Pool {
    /// A full pool. A portion is at most one of `portions` equal parts of what is left; four
    /// times the number of holders is a good choice.
    #[must_use]
    pub fn new(bound_bytes: Option<u64>, portions: usize) -> Self {
        let bound_bytes = bound_bytes.unwrap_or(UNBOUNDED).min(UNBOUNDED);
        Self { bytes: Padded(AtomicU64::new(bound_bytes)), bound_bytes, portions: portions as u64 }
    }

    /// The bound; a large number if there is none.
    #[inline]
    pub fn bound_bytes(&self) -> u64 {
        self.bound_bytes
    }

    /// What is left.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Takes at least `least` bytes and a portion for later; `None`, and nothing changes, if
    /// there is less.
    pub fn take(&self, least: u64) -> Option<u64> {
        let granted = |pool: u64| {
            let rest = pool.checked_sub(least)?;
            Some(least + (rest / self.portions).min(PORTION_BYTES_MAX))
        };
        let taken = self
            .bytes
            .fetch_update(Relaxed, Relaxed, |pool| granted(pool).map(|bytes| pool - bytes));
        taken.ok().and_then(granted)
    }

    /// Puts bytes back.
    #[inline]
    pub fn give(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }
}

/// What one holder may fill without asking the pool. One thread at a time uses it.
#[derive(Debug, Default)]
pub struct Credit {
    bytes: Cell<u64>,
}

impl Credit {
    /// What is held.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Pays for `bytes`; `false`, and nothing is paid, if pool and credit do not reach.
    #[inline]
    #[must_use]
    pub fn pay(&self, pool: &Pool, bytes: u64) -> bool {
        let mut credit = self.bytes.get();
        if credit < bytes {
            credit += pool.take(bytes - credit).unwrap_or(0);
        }
        let rest = credit.checked_sub(bytes);
        self.bytes.set(rest.unwrap_or(credit));
        rest.is_some()
    }

    /// Takes back what was paid; more than is handy goes to the pool.
    #[inline]
    pub fn refund(&self, pool: &Pool, bytes: u64) {
        let mut credit = self.bytes.get() + bytes;
        if credit > 2 * PORTION_BYTES_MAX {
            pool.give(credit - PORTION_BYTES_MAX);
            credit = PORTION_BYTES_MAX;
        }
        self.bytes.set(credit);
    }

    /// Gives everything to the pool.
    #[inline]
    pub fn surrender(&self, pool: &Pool) {
        pool.give(self.bytes.take());
    }
}
