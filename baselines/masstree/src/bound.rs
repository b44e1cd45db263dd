//! A bound on live key and value bytes that is never exceeded, without a counter that every put
//! writes.
//!
//! Bytes that may still be filled are either in the common pool or, as *credit*, with a session,
//! which fetches more in portions that shrink as the pool drains. Before a put is refused, the
//! credits of sessions between two operations are gathered, so that nothing fits that is
//! refused, except while other threads work at the same moment.
//!
//! Invariant: pool + credits + live bytes == bound.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// What stands for "no bound": more than there is memory, and sums of it do not overflow.
const UNBOUNDED: u64 = 1 << 62;
/// Largest portion a session fetches beyond what it needs.
const PORTION_BYTES_MAX: u64 = 64 << 10;
/// The part of the pool that a session fetches at most is one in so many.
const PORTIONS_MIN: u64 = 32;

/// The common pool.
#[derive(Debug)]
pub(crate) struct Pool {
    bytes: AtomicU64,
    bound_bytes: u64,
}

impl Pool {
    pub(crate) fn new(bound_bytes: Option<u64>) -> Self {
        let bound_bytes = bound_bytes.unwrap_or(UNBOUNDED).min(UNBOUNDED);
        Self { bytes: AtomicU64::new(bound_bytes), bound_bytes }
    }

    pub(crate) fn bound_bytes(&self) -> u64 {
        self.bound_bytes
    }

    pub(crate) fn bytes(&self) -> u64 {
        // Relaxed, as everywhere here: the counter guards no other memory.
        self.bytes.load(Ordering::Relaxed)
    }

    /// At least `least` bytes and a portion for later; nothing when the pool has less.
    fn take(&self, least: u64) -> u64 {
        let granted = |pool: u64| {
            let rest = pool.checked_sub(least)?;
            Some(least + (rest / PORTIONS_MIN).min(PORTION_BYTES_MAX))
        };
        let taken = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |pool| {
            granted(pool).map(|bytes| pool - bytes)
        });
        taken.ok().and_then(granted).unwrap_or(0)
    }

    fn give(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// What a session may fill without asking.
#[derive(Debug, Default)]
pub(crate) struct Credit {
    bytes: Cell<u64>,
}

impl Credit {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Pays for `bytes`; `false`, and nothing is paid, when pool and credit do not reach.
    #[inline]
    pub(crate) fn pay(&self, pool: &Pool, bytes: u64) -> bool {
        let mut credit = self.bytes.get();
        if credit < bytes {
            credit += pool.take(bytes - credit);
        }
        let rest = credit.checked_sub(bytes);
        self.bytes.set(rest.unwrap_or(credit));
        rest.is_some()
    }

    /// Takes back what was paid; more than is handy goes to the pool.
    pub(crate) fn refund(&self, pool: &Pool, bytes: u64) {
        let mut credit = self.bytes.get() + bytes;
        if credit > 2 * PORTION_BYTES_MAX {
            pool.give(credit - PORTION_BYTES_MAX);
            credit = PORTION_BYTES_MAX;
        }
        self.bytes.set(credit);
    }

    /// Gives everything to the pool.
    pub(crate) fn surrender(&self, pool: &Pool) {
        pool.give(self.bytes.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paid_never_exceeds_the_bound_and_reaches_it() {
        let pool = Pool::new(Some(1_000_000));
        let credits: [Credit; 4] = Default::default();
        let mut paid = 0;
        for round in 0.. {
            if !credits[round % 4].pay(&pool, 100) {
                break;
            }
            paid += 100;
        }
        assert!(paid <= 1_000_000);
        credits.iter().for_each(|credit| credit.surrender(&pool));
        assert_eq!(pool.bytes(), 1_000_000 - paid);
        while credits[0].pay(&pool, 100) {
            paid += 100;
        }
        assert_eq!(paid, 1_000_000);
        credits[0].refund(&pool, paid);
        assert_eq!(pool.bytes() + credits[0].bytes(), 1_000_000);
    }

    #[test]
    fn no_bound_is_no_bound() {
        let pool = Pool::new(None);
        assert!(Credit::default().pay(&pool, 1 << 61));
    }
}
