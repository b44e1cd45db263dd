//! One thread's use of the store: single operations, and batches in stages.

use std::sync::Arc;

use engine::{
    BytesError, BytesSession, DeleteOutcome, GetError, KeyTooLong, KvSession, Op, Outcome,
    PutError, PutOutcome, ValueBuffers,
};
use kit::key::BYTES_MAX;
use platform::racy::WORD_BYTES;

use super::Mica;
use super::counters::SessionCounters;
use super::named::{ByteName, KeyKind, Named};
use super::operations::Target;
use crate::claims::Claim;
use crate::mode::{Access, Mode};

/// How many operations of a batch have their lines fetched together.
const IN_FLIGHT: usize = 32;

/// One thread's use of a [`Mica`].
///
/// # Panics
/// Every operation panics if the session would have to own the key's partition and does not.
#[derive(Debug)]
pub struct MicaSession<'store, M: Mode, K: KeyKind + ?Sized = u64> {
    store: &'store Mica<M, K>,
    /// The partitions it owns, in modes with owners.
    claim: Option<Claim<'store>>,
    counters: Arc<SessionCounters>,
}

impl<'store, M: Mode, K: KeyKind + ?Sized> MicaSession<'store, M, K> {
    pub(super) fn new(store: &'store Mica<M, K>, claim: Option<Claim<'store>>) -> Self {
        Self { store, claim, counters: store.sessions.begin() }
    }

    // This and the next two are part of their callers, so that a target stays in registers.

    /// Asserts that the session may do what `access` governs.
    #[inline(always)]
    fn assert_may<N>(&self, access: Access, target: Target<N>) {
        if let (Access::Owner, Some(claim)) = (access, &self.claim) {
            claim.assert_owns(target.partition);
        }
    }

    #[inline(always)]
    fn get_at<N: Named>(
        &mut self,
        target: Target<N>,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        self.assert_may(M::READS, target);
        self.store.get(target, buffer, &self.counters)
    }

    #[inline(always)]
    fn put_at<N: Named>(
        &mut self,
        target: Target<N>,
        value: &[u8],
    ) -> Result<PutOutcome, PutError> {
        let prefix_bytes = target.key.prefix_words() * WORD_BYTES;
        let limit_bytes = self.store.sizes.value_bytes_max.saturating_sub(prefix_bytes);
        let value_bytes = value.len();
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        self.assert_may(M::WRITES, target);
        Ok(self.store.put(target, value, &self.counters))
    }

    #[inline]
    fn delete_at<N: Named>(&mut self, target: Target<N>) -> bool {
        self.assert_may(M::WRITES, target);
        self.store.delete(target)
    }

    /// Four stages for each group of operations: fetch all buckets, then the first lines of all
    /// items, then the rest of the items; then execute the operations in order.
    #[inline(always)]
    fn execute_as<A: Copy, N: Named>(
        &mut self,
        operations: &[Op<'_, A>],
        name: impl Fn(A) -> N,
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut targets = [Target::default(); IN_FLIGHT];
        let mut items = [None; IN_FLIGHT];
        let groups = operations.chunks(IN_FLIGHT).zip(outcomes.chunks_mut(IN_FLIGHT));
        for (group, (operations, outcomes)) in groups.enumerate() {
            for (target, operation) in targets.iter_mut().zip(operations) {
                let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
                *target = self.store.target(name(key));
                self.store.prefetch_bucket(*target);
            }
            let targets = &targets[..operations.len()];
            for (item, &target) in items.iter_mut().zip(targets) {
                *item = self.store.prefetch_item(target);
            }
            for ((item, &target), operation) in items.iter().zip(targets).zip(operations) {
                if let (Some(offset), Op::Get { .. } | Op::Put { .. }) = (*item, operation) {
                    self.store.prefetch_rest(target, offset);
                }
            }
            let turns = targets.iter().zip(operations).zip(outcomes).enumerate();
            for (turn, ((&target, operation), outcome)) in turns {
                *outcome = match *operation {
                    Op::Get { .. } => {
                        let buffer = values.slot(group * IN_FLIGHT + turn);
                        Outcome::of_get(self.get_at(target, buffer))
                    }
                    Op::Put { value, .. } => Outcome::of_put(self.put_at(target, value)),
                    Op::Delete { .. } => {
                        Outcome::Deleted(DeleteOutcome::told(self.delete_at(target)))
                    }
                };
            }
        }
    }
}

impl<M: Mode, K: KeyKind + ?Sized> Drop for MicaSession<'_, M, K> {
    fn drop(&mut self) {
        self.store.sessions.end(&self.counters);
    }
}

impl<M: Mode> KvSession for MicaSession<'_, M> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.get_at(self.store.target(key), buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.put_at(self.store.target(key), value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.delete_at(self.store.target(key)))
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.execute_as(operations, |key| key, values, outcomes);
    }
}

impl<M: Mode> BytesSession for MicaSession<'_, M, [u8]> {
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        KeyTooLong::check(key, BYTES_MAX)?;
        self.get_at(self.store.target(ByteName::of(key)), buffer).map_err(BytesError::Value)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        KeyTooLong::check(key, BYTES_MAX)?;
        self.put_at(self.store.target(ByteName::of(key)), value).map_err(BytesError::Value)
    }

    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        KeyTooLong::check(key, BYTES_MAX)?;
        Ok(DeleteOutcome::told(self.delete_at(self.store.target(ByteName::of(key)))))
    }

    fn execute(
        &mut self,
        operations: &[Op<'_, &[u8]>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) -> Result<(), KeyTooLong> {
        for operation in operations {
            let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = operation;
            KeyTooLong::check(key, BYTES_MAX)?;
        }
        self.execute_as(operations, ByteName::of, values, outcomes);
        Ok(())
    }
}
