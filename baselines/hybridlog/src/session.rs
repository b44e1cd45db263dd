//! One thread's use of the store: single operations, and batches in stages.

use std::sync::Arc;

use engine::{
    DeleteOutcome, GetError, KvSession, Op, Outcome, PutError, PutOutcome, SessionError,
    ValueBuffers,
};
use kit::credit::Credit;

use crate::counters::Counters;
use crate::epoch::Claim;
use crate::store::{Shared, Target};

/// How many operations of a batch have their lines fetched together.
const IN_FLIGHT: usize = 32;

/// One thread's use of a [`HybridLog`](crate::HybridLog).
#[derive(Debug)]
pub struct HybridLogSession<'store> {
    pub(crate) shared: &'store Shared,
    pub(crate) claim: Claim<'store>,
    /// Part of the bound on live data, to be used without asking the pool.
    pub(crate) credit: Credit,
    pub(crate) counters: Arc<Counters>,
}

impl<'store> HybridLogSession<'store> {
    pub(crate) fn open(shared: &'store Shared) -> Result<Self, SessionError> {
        let claim = shared.epochs.claim()?;
        Ok(Self { shared, claim, credit: Credit::default(), counters: shared.counters.begin() })
    }

    #[inline]
    fn checked_put(&self, target: Target, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.shared.sizes.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        Ok(self.put_at(target, value))
    }
}

impl Drop for HybridLogSession<'_> {
    fn drop(&mut self) {
        self.credit.surrender(&self.shared.pool);
        self.shared.counters.end(&self.counters);
    }
}

impl KvSession for HybridLogSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.get_at(Target::of(key), buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.checked_put(Target::of(key), value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.delete_at(Target::of(key)))
    }

    /// Four stages for each group of operations: fetch all buckets, then the first lines of the
    /// records that their entries lead to, then the rest of those; then execute the operations in
    /// order. The first three only guess, so they need not be inside an operation.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut targets = [Target::of(0); IN_FLIGHT];
        let mut records = [None; IN_FLIGHT];
        let groups = operations.chunks(IN_FLIGHT).zip(outcomes.chunks_mut(IN_FLIGHT));
        for (group, (operations, outcomes)) in groups.enumerate() {
            for (target, operation) in targets.iter_mut().zip(operations) {
                let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
                *target = Target::of(key);
                self.shared.index.prefetch(target.hash);
            }
            let targets = &targets[..operations.len()];
            for (record, target) in records.iter_mut().zip(targets) {
                *record = self.shared.prefetch_newest(*target);
            }
            for (record, operation) in records.iter().zip(operations) {
                if let (Some(at), Op::Get { .. } | Op::Put { .. }) = (*record, operation) {
                    self.shared.log.prefetch_rest_of(at);
                }
            }
            let turns = targets.iter().zip(operations).zip(outcomes).enumerate();
            for (turn, ((&target, operation), outcome)) in turns {
                *outcome = match *operation {
                    Op::Get { .. } => {
                        let buffer = values.slot(group * IN_FLIGHT + turn);
                        Outcome::of_get(self.get_at(target, buffer))
                    }
                    Op::Put { value, .. } => Outcome::of_put(self.checked_put(target, value)),
                    Op::Delete { .. } => {
                        Outcome::Deleted(DeleteOutcome::told(self.delete_at(target)))
                    }
                };
            }
        }
    }
}
