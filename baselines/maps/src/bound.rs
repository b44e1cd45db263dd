//! A bound on the live bytes of a store that is never exceeded, without a counter that every put
//! writes.
//!
//! Bytes that may still be filled are either in the common pool or, as *credit*, with a thread.
//! A thread fills from its credit and fetches more in portions that shrink as the pool drains.
//! Before a put is refused the credits of all threads are gathered, so that nothing fits that is
//! refused, except while other threads put at the same moment.
//!
//! Invariant when nobody writes: pool + credits + live bytes == bound.
//!
//! All orderings are relaxed: the counters guard no other memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::thread_index::{EXCLUSIVE, thread_index};

/// What stands for "no bound": more than there is memory, and sums of it do not overflow.
const UNBOUNDED: u64 = 1 << 62;
/// Largest portion a thread fetches beyond what it needs.
const PORTION_BYTES_MAX: u64 = 64 << 10;

/// The common pool and all credits.
#[derive(Debug)]
pub(crate) struct Bound {
    pool_bytes: Padded,
    credit_bytes: Box<[Padded]>,
    bound_bytes: u64,
}

/// Two cache lines, because neighbours are prefetched in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

impl Bound {
    pub(crate) fn new(bound_bytes: Option<u64>) -> Self {
        let bound_bytes = bound_bytes.unwrap_or(UNBOUNDED).min(UNBOUNDED);
        Self {
            pool_bytes: Padded(AtomicU64::new(bound_bytes)),
            credit_bytes: (0..=EXCLUSIVE).map(|_| Padded::default()).collect(),
            bound_bytes,
        }
    }

    pub(crate) fn bound_bytes(&self) -> u64 {
        self.bound_bytes
    }

    /// Bytes in the pool and with all threads.
    pub(crate) fn unfilled_bytes(&self) -> u64 {
        let credit_bytes: u64 = self.credit_bytes.iter().map(|credit| credit.0.load(Relaxed)).sum();
        self.pool_bytes.0.load(Relaxed) + credit_bytes
    }

    /// Bytes of memory this takes beside itself.
    pub(crate) fn table_bytes(&self) -> usize {
        size_of_val(&*self.credit_bytes)
    }

    /// Pays for `bytes`; `false`, and nothing changes, when pool and credit do not reach.
    #[inline]
    pub(crate) fn pay(&self, bytes: u64) -> bool {
        if bytes == 0 {
            return true;
        }
        let credit = &self.credit_bytes[thread_index()].0;
        let paid = credit.fetch_update(Relaxed, Relaxed, |credit| credit.checked_sub(bytes));
        paid.is_ok() || self.pay_from_pool(credit, bytes)
    }

    #[cold]
    fn pay_from_pool(&self, credit: &AtomicU64, bytes: u64) -> bool {
        let had_bytes = credit.swap(0, Relaxed);
        let missing_bytes = bytes.saturating_sub(had_bytes);
        let taken_bytes = self.take(missing_bytes);
        let paid = taken_bytes.is_some();
        let rest_bytes = had_bytes + taken_bytes.unwrap_or(0) - if paid { bytes } else { 0 };
        credit.fetch_add(rest_bytes, Relaxed);
        paid
    }

    /// At least `least` bytes and a portion for later; nothing when the pool has less.
    fn take(&self, least: u64) -> Option<u64> {
        let granted = |pool: u64| {
            let rest = pool.checked_sub(least)?;
            Some(least + (rest / (4 * EXCLUSIVE as u64)).min(PORTION_BYTES_MAX))
        };
        let taken = self
            .pool_bytes
            .0
            .fetch_update(Relaxed, Relaxed, |pool| granted(pool).map(|bytes| pool - bytes));
        taken.ok().and_then(granted)
    }

    /// Takes back what was paid; more than is handy goes to the pool.
    #[inline]
    pub(crate) fn refund(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let credit = &self.credit_bytes[thread_index()].0;
        if credit.fetch_add(bytes, Relaxed) + bytes > 2 * PORTION_BYTES_MAX {
            let all_bytes = credit.swap(0, Relaxed);
            let kept_bytes = all_bytes.min(PORTION_BYTES_MAX);
            credit.fetch_add(kept_bytes, Relaxed);
            self.pool_bytes.0.fetch_add(all_bytes - kept_bytes, Relaxed);
        }
    }

    /// Brings all that threads may fill, but do not need, to the pool.
    #[cold]
    pub(crate) fn gather(&self) {
        for credit in &self.credit_bytes {
            // Looked at first: most have none, and a swap would take their line.
            if credit.0.load(Relaxed) > 0 {
                self.pool_bytes.0.fetch_add(credit.0.swap(0, Relaxed), Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_is_paid_never_exceeds_the_bound_and_reaches_it() {
        let bound = Bound::new(Some(1_000_000));
        let fill = || {
            let mut paid = 0;
            while bound.pay(100) {
                paid += 100;
            }
            paid
        };
        let mut paid: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(fill)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(bound.unfilled_bytes() + paid, 1_000_000);
        bound.gather();
        paid += fill();
        assert_eq!((paid, bound.unfilled_bytes()), (1_000_000, 0));
        bound.refund(paid);
        assert_eq!(bound.unfilled_bytes(), 1_000_000);
        assert!(!bound.pay(1_000_001), "more than there is");
        assert!(bound.pay(900_000), "a refund goes back to the pool");
        assert_eq!(bound.unfilled_bytes(), 100_000);
    }

    #[test]
    fn no_bound_is_no_bound() {
        assert!(Bound::new(None).pay(1 << 61));
    }
}
