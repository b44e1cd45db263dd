//! A bound on the live bytes of all stripes that is never exceeded, without a counter that every
//! put writes.
//!
//! Bytes that may still be filled are either in the common pool or, as *credit*, with a stripe.
//! A stripe fills from its credit, under its lock, and fetches more in portions that shrink as
//! the pool drains. Before a put is refused the credits of all stripes are gathered, so that
//! nothing fits that is refused, except while other threads put at the same moment.
//!
//! Invariant: pool + credits + live bytes == bound.

use std::sync::atomic::{AtomicU64, Ordering};

/// What stands for "no bound": more than there is memory, and sums of it do not overflow.
const UNBOUNDED: u64 = 1 << 62;
/// Largest portion a stripe fetches beyond what it needs.
const PORTION_BYTES_MAX: u64 = 64 << 10;

/// The common pool.
#[derive(Debug)]
pub(crate) struct Pool {
    bytes: AtomicU64,
    bound_bytes: u64,
    stripes: u64,
}

impl Pool {
    pub(crate) fn new(bound_bytes: Option<u64>, stripes: usize) -> Self {
        let bound_bytes = bound_bytes.unwrap_or(UNBOUNDED).min(UNBOUNDED);
        Self { bytes: AtomicU64::new(bound_bytes), bound_bytes, stripes: stripes as u64 }
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
            Some(least + (rest / (4 * self.stripes)).min(PORTION_BYTES_MAX))
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

/// What a stripe may fill without asking; kept under the stripe's lock.
#[derive(Debug, Default)]
pub(crate) struct Credit {
    bytes: u64,
}

impl Credit {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Pays for `bytes`; `false`, and nothing changes, when pool and credit do not reach.
    pub(crate) fn pay(&mut self, pool: &Pool, bytes: u64) -> bool {
        if self.bytes < bytes {
            self.bytes += pool.take(bytes - self.bytes);
        }
        let paid = self.bytes >= bytes;
        if paid {
            self.bytes -= bytes;
        }
        paid
    }

    /// Takes back what was paid; more than is handy goes to the pool.
    pub(crate) fn refund(&mut self, pool: &Pool, bytes: u64) {
        self.bytes += bytes;
        if self.bytes > 2 * PORTION_BYTES_MAX {
            pool.give(self.bytes - PORTION_BYTES_MAX);
            self.bytes = PORTION_BYTES_MAX;
        }
    }

    /// Gives everything to the pool.
    pub(crate) fn surrender(&mut self, pool: &Pool) {
        pool.give(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paid_never_exceeds_the_bound_and_reaches_it() {
        let pool = Pool::new(Some(1_000_000), 4);
        let mut credits: [Credit; 4] = Default::default();
        let mut paid = 0;
        for round in 0.. {
            if !credits[round % 4].pay(&pool, 100) {
                break;
            }
            paid += 100;
        }
        assert!(paid <= 1_000_000);
        credits.iter_mut().for_each(|credit| credit.surrender(&pool));
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
        let pool = Pool::new(None, 1);
        assert!(Credit::default().pay(&pool, 1 << 61));
    }
}
