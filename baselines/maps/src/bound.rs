//! A bound on the live bytes of a store, paid from credits of threads (`kit::credit`). Here a
//! credit is an atomic of its thread's index, because maps free rows in whatever thread they like.
//!
//! All orderings are relaxed: the counters guard no other memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kit::credit::{PORTION_BYTES_MAX, Pool};
use kit::padded::Padded;

use crate::thread_index::{EXCLUSIVE, thread_index};

/// The common pool and all credits.
#[derive(Debug)]
pub(crate) struct Bound {
    pool: Pool,
    credit_bytes: Box<[Padded<AtomicU64>]>,
}

impl Bound {
    pub(crate) fn new(bound_bytes: Option<u64>) -> Self {
        Self {
            pool: Pool::new(bound_bytes, 4 * EXCLUSIVE),
            credit_bytes: (0..=EXCLUSIVE).map(|_| Padded::default()).collect(),
        }
    }

    pub(crate) fn bound_bytes(&self) -> u64 {
        self.pool.bound_bytes()
    }

    /// Bytes in the pool and with all threads.
    pub(crate) fn unfilled_bytes(&self) -> u64 {
        let credit_bytes: u64 = self.credit_bytes.iter().map(|credit| credit.load(Relaxed)).sum();
        self.pool.bytes() + credit_bytes
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
        let credit = &*self.credit_bytes[thread_index()];
        let paid = credit.fetch_update(Relaxed, Relaxed, |credit| credit.checked_sub(bytes));
        paid.is_ok() || self.pay_from_pool(credit, bytes)
    }

    #[cold]
    fn pay_from_pool(&self, credit: &AtomicU64, bytes: u64) -> bool {
        let had_bytes = credit.swap(0, Relaxed);
        let missing_bytes = bytes.saturating_sub(had_bytes);
        let taken_bytes = self.pool.take(missing_bytes);
        let paid = taken_bytes.is_some();
        let rest_bytes = had_bytes + taken_bytes.unwrap_or(0) - if paid { bytes } else { 0 };
        credit.fetch_add(rest_bytes, Relaxed);
        paid
    }

    /// Takes back what was paid; more than is handy goes to the pool.
    #[inline]
    pub(crate) fn refund(&self, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let credit = &*self.credit_bytes[thread_index()];
        if credit.fetch_add(bytes, Relaxed) + bytes > 2 * PORTION_BYTES_MAX {
            let all_bytes = credit.swap(0, Relaxed);
            let kept_bytes = all_bytes.min(PORTION_BYTES_MAX);
            credit.fetch_add(kept_bytes, Relaxed);
            self.pool.give(all_bytes - kept_bytes);
        }
    }

    /// Brings all that threads may fill, but do not need, to the pool.
    #[cold]
    pub(crate) fn gather(&self) {
        for credit in &self.credit_bytes {
            // Looked at first: most have none, and a swap would take their line.
            if credit.load(Relaxed) > 0 {
                self.pool.give(credit.swap(0, Relaxed));
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
