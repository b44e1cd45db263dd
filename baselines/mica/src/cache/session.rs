//! One thread's use of the cache: single operations, and batches in stages.

use engine::{DeleteOutcome, GetError, KvSession, Op, Outcome, PutError, PutOutcome, ValueBuffers};

use super::MicaCache;
use super::counters::{Counters, Registered};
use super::eviction::Eviction;
use super::item::VALUE_BYTES_MAX;
use super::partition::{Partition, Target};
use crate::claims::Claim;
use crate::{Access, Mode};

/// How many operations of a batch have their lines fetched together.
const IN_FLIGHT: usize = 32;

/// One thread's use of a [`MicaCache`].
#[derive(Debug)]
pub struct MicaCacheSession<'store, M: Mode, const OFFSET_BITS: u32 = 48> {
    cache: &'store MicaCache<M, OFFSET_BITS>,
    /// The partitions it owns, in modes with owners.
    claim: Option<Claim<'store>>,
    registered: Registered<'store>,
}

impl<'store, M: Mode, const BITS: u32> MicaCacheSession<'store, M, BITS> {
    pub(crate) fn new(
        cache: &'store MicaCache<M, BITS>,
        claim: Option<Claim<'store>>,
        registered: Registered<'store>,
    ) -> Self {
        Self { cache, claim, registered }
    }

    #[inline]
    fn target(&self, key: u64) -> Target {
        Target { hash: self.cache.hash(key), key }
    }

    /// The partition of a target; panics if `access` requires an owner and this session does not
    /// own it.
    #[inline]
    fn partition(&self, target: Target, access: Access) -> &'store Partition<BITS> {
        let number = self.cache.partition_of(target.hash);
        if let (Access::Owner, Some(claim)) = (access, &self.claim) {
            claim.assert_owns(number);
        }
        self.cache.partition(number)
    }

    #[inline]
    fn counters(&self) -> &Counters {
        &self.registered.counters
    }

    /// The policy, as far as this session may apply it: if others read too, only the owner's reads
    /// count.
    #[inline]
    fn eviction(&self, target: Target) -> Option<Eviction> {
        let owns = match (M::READS, M::WRITES, &self.claim) {
            (Access::Anyone, Access::Owner, Some(claim)) => {
                claim.owns(self.cache.partition_of(target.hash))
            }
            _ => true,
        };
        owns.then_some(self.cache.eviction())
    }

    #[inline]
    fn get_at(&mut self, target: Target, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let partition = self.partition(target, M::READS);
        partition.get::<M>(target, buffer, self.eviction(target), self.counters())
    }

    #[inline]
    fn put_at(&mut self, target: Target, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), VALUE_BYTES_MAX);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let partition = self.partition(target, M::WRITES);
        Ok(partition.put::<M>(target, value, self.counters()))
    }

    #[inline]
    fn delete_at(&mut self, target: Target) -> bool {
        self.partition(target, M::WRITES).delete::<M>(target, self.counters())
    }

    /// The partition of a target, for prefetching.
    #[inline]
    fn partition_ahead(&self, target: Target) -> &'store Partition<BITS> {
        self.cache.partition(self.cache.partition_of(target.hash))
    }
}

impl<M: Mode, const BITS: u32> KvSession for MicaCacheSession<'_, M, BITS> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.get_at(self.target(key), buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.put_at(self.target(key), value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.delete_at(self.target(key)))
    }

    /// Three stages for each group of operations: hash the keys and fetch the buckets; compare tags
    /// and fetch the items; execute the operations in order.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut targets = [self.target(0); IN_FLIGHT];
        let groups = operations.chunks(IN_FLIGHT).zip(outcomes.chunks_mut(IN_FLIGHT));
        for (group, (operations, outcomes)) in groups.enumerate() {
            for (target, operation) in targets.iter_mut().zip(operations) {
                let (Op::Get { key } | Op::Put { key, .. } | Op::Delete { key }) = *operation;
                *target = self.target(key);
                self.partition_ahead(*target).prefetch_bucket(*target);
            }
            for &target in &targets[..operations.len()] {
                self.partition_ahead(target).prefetch_items(target);
            }
            let answers = targets.into_iter().zip(operations).zip(outcomes).enumerate();
            for (turn, ((target, operation), outcome)) in answers {
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
