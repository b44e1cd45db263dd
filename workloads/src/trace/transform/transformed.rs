//! The operations of a transformed trace.

use super::{KeyScaling, Transform, TransformedError};
use crate::mix::{GOLDEN, mix};
use crate::requests::Request;
use crate::trace::{Operation, OperationKind};

/// Iterates over the operations of a transformed trace; ends after its own first error. Times count
/// from the first operation it yields.
#[derive(Debug)]
pub struct Transformed<I> {
    transform: Transform,
    operations: I,
    /// Operations of the trace used or skipped so far.
    seen: u64,
    /// The operation being replicated, and the number of the next copy.
    copied: Option<(Operation, u32)>,
    origin_ns: Option<u64>,
    ended: bool,
}

impl<I> Transformed<I> {
    pub(super) fn new(transform: Transform, operations: I) -> Self {
        Self { transform, operations, seen: 0, copied: None, origin_ns: None, ended: false }
    }

    /// The underlying source, to ask what it skipped.
    pub fn source(&self) -> &I {
        &self.operations
    }

    fn is_wanted(&self, key: u64) -> bool {
        match self.transform.keys {
            // Hashed again, because keys are not necessarily hashes already.
            KeyScaling::Sample { one_in } => mix(key.wrapping_add(GOLDEN)) <= u64::MAX / one_in,
            KeyScaling::Keep | KeyScaling::Replicate { .. } => true,
        }
    }

    /// Transforms the time and size of an operation.
    fn change<E>(&mut self, operation: Operation) -> Result<Operation, TransformedError<E>> {
        let since_ns =
            operation.time_ns.saturating_sub(*self.origin_ns.get_or_insert(operation.time_ns));
        let value_bytes = match (operation.kind, operation.value_bytes) {
            (OperationKind::Delete, _) | (OperationKind::Get, 0) => 0,
            (_, bytes) => self.size(bytes)?,
        };
        Ok(Operation { time_ns: self.time(since_ns), value_bytes, ..operation })
    }

    /// A factor of 1 keeps times that a floating-point number could not represent.
    fn time(&self, since_ns: u64) -> u64 {
        match self.transform.time_factor {
            1.0 => since_ns,
            factor => (since_ns as f64 / factor) as u64,
        }
    }

    fn size<E>(&self, bytes: u32) -> Result<u32, TransformedError<E>> {
        let Transform { size_factor, size_max, size_min, .. } = self.transform;
        let scaled = (f64::from(bytes) * size_factor).round() as u64;
        let clamped = scaled.max(u64::from(size_min));
        let clamped = size_max.map_or(clamped, |bytes_max| clamped.min(u64::from(bytes_max)));
        if clamped > Request::SIZE_MAX as u64 {
            return Err(TransformedError::TooLarge { operation: self.seen - 1, bytes: clamped });
        }
        Ok(clamped as u32)
    }

    /// The next copy of the operation being replicated.
    fn copy(&mut self) -> Option<Operation> {
        let KeyScaling::Replicate { copies } = self.transform.keys else {
            return None;
        };
        let (operation, number) = self.copied.as_mut()?;
        let copy = Operation { key: copy_key(operation.key, *number), ..*operation };
        *number += 1;
        if *number >= copies {
            self.copied = None;
        }
        Some(copy)
    }
}

/// A bijection of keys for every copy; the identity for copy 0.
fn copy_key(key: u64, copy: u32) -> u64 {
    match copy {
        0 => key,
        copy => mix(key ^ mix(u64::from(copy))),
    }
}

impl<I, E> Iterator for Transformed<I>
where
    I: Iterator<Item = Result<Operation, E>>,
{
    type Item = Result<Operation, TransformedError<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(copy) = self.copy() {
            return Some(Ok(copy));
        }
        let Transform { skip, take, keys, .. } = self.transform;
        let last = take.map_or(u64::MAX, |take| skip.saturating_add(take));
        while !self.ended && self.seen < last {
            let operation = match self.operations.next()? {
                Ok(operation) => operation,
                Err(error) => return Some(Err(TransformedError::Source(error))),
            };
            self.seen += 1;
            if self.seen <= skip || !self.is_wanted(operation.key) {
                continue;
            }
            let changed = self.change(operation);
            self.ended = changed.is_err();
            if let (Ok(first), KeyScaling::Replicate { copies: 2.. }) = (&changed, keys) {
                self.copied = Some((*first, 1));
            }
            return Some(changed);
        }
        None
    }
}
