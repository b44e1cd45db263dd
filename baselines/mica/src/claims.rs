//! Which session owns which partition, in modes where only the owner may write.
//!
//! This is not needed for memory safety, since all shared words are atomics. It protects the
//! store's consistency: a partition without a lock has one writer at a time, or the writer panics.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::SessionError;

/// The partitions of a store, each owned by one session or by none.
#[derive(Debug)]
pub struct Claims {
    owned: Box<[AtomicBool]>,
}

/// What one session owns, until dropped.
#[derive(Debug)]
pub struct Claim<'store> {
    claims: &'store Claims,
    /// For each partition of the store, whether this session owns it.
    mine: Box<[bool]>,
}

impl Claims {
    /// Claims for this many partitions, all unowned.
    #[must_use]
    pub fn new(partitions: usize) -> Self {
        Self { owned: (0..partitions).map(|_| AtomicBool::new(false)).collect() }
    }

    /// Which of `workers` workers a partition is assigned to.
    ///
    /// # Panics
    /// If there are no workers.
    #[inline]
    #[must_use]
    pub fn worker_of(partition: usize, workers: usize) -> usize {
        assert!(workers > 0, "keys are routed to at least one worker");
        partition % workers
    }

    /// Claims the partitions of one of `workers` workers, all of them or none.
    ///
    /// # Errors
    /// [`SessionError::Claimed`] with the first partition that another session owns.
    ///
    /// # Panics
    /// If `worker` is not below `workers`.
    pub fn claim(&self, worker: usize, workers: usize) -> Result<Claim<'_>, SessionError> {
        assert!(worker < workers, "worker {worker} of {workers}: workers are counted from 0");
        let mut claim = Claim { claims: self, mine: vec![false; self.owned.len()].into() };
        for partition in (worker..self.owned.len()).step_by(workers) {
            // Acquire: pairs with the release of the last owner's drop, so that this one sees all
            // that it wrote. What was claimed so far is given back by dropping it.
            if self.owned[partition].swap(true, Ordering::Acquire) {
                return Err(SessionError::Claimed { partition });
            }
            claim.mine[partition] = true;
        }
        Ok(claim)
    }
}

impl Claim<'_> {
    /// Whether the session owns a partition.
    #[inline]
    #[must_use]
    pub fn owns(&self, partition: usize) -> bool {
        self.mine[partition]
    }

    /// Asserts that the session owns the partition.
    ///
    /// # Panics
    /// If it does not.
    #[inline]
    pub fn assert_owns(&self, partition: usize) {
        if !self.owns(partition) {
            not_owned(partition);
        }
    }
}

#[cold]
fn not_owned(partition: usize) -> ! {
    panic!(
        "partition {partition} is not this session's: give the operation to the worker that \
         `route` names, in the session that `worker_session` opened for it"
    );
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        for (owned, _) in self.claims.owned.iter().zip(&self.mine).filter(|(_, mine)| **mine) {
            // Release: pairs with the acquire of the next owner's claim.
            owned.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_own_every_partition_once() {
        let claims = Claims::new(7);
        let claim: Vec<_> = (0..3).map(|worker| claims.claim(worker, 3).unwrap()).collect();
        for partition in 0..7 {
            let owners: Vec<_> = (0..3).filter(|&worker| claim[worker].owns(partition)).collect();
            assert_eq!(owners, [Claims::worker_of(partition, 3)]);
        }
    }

    #[test]
    fn a_claim_that_fails_leaves_nothing_claimed() {
        let claims = Claims::new(8);
        let second = claims.claim(3, 4).unwrap();
        let refused = claims.claim(0, 1).map(|_| ());
        assert_eq!(refused, Err(SessionError::Claimed { partition: 3 }));
        let first = claims.claim(0, 4).expect("partition 0 was given back");
        drop((first, second));
        assert!(claims.claim(0, 1).is_ok(), "dropped claims are free");
    }

    #[test]
    #[should_panic(expected = "give the operation to the worker")]
    fn touching_what_another_owns_is_a_panic() {
        Claims::new(2).claim(0, 2).unwrap().assert_owns(1);
    }
}
