//! The store with byte strings as keys: the tree's own, which the trie of layers was made for.

use std::ops::ControlFlow;

use engine::{
    BytesError, BytesSession, Decide, DeleteOutcome, GetError, KeyTooLong, KvBytesEngine, Op,
    Outcome, PutError, PutOutcome, ScanOrder, ScanRange, SessionError, ValueBuffers,
};
use kit::key::BYTES_MAX;

use crate::warm::{self, WantedBytes};
use crate::{Masstree, TreeSession};

impl KvBytesEngine for Masstree {
    type BytesSession<'engine> = MasstreeBytesSession<'engine>;

    fn bytes_session(&self) -> Result<MasstreeBytesSession<'_>, SessionError> {
        Ok(MasstreeBytesSession { session: self.tree.session()? })
    }
}

/// One thread's use of a [`Masstree`] with byte strings.
#[derive(Debug)]
pub struct MasstreeBytesSession<'engine> {
    session: TreeSession<'engine>,
}

#[inline]
fn check(key: &[u8]) -> Result<(), KeyTooLong> {
    KeyTooLong::check(key, BYTES_MAX)
}

impl BytesSession for MasstreeBytesSession<'_> {
    #[inline]
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        check(key)?;
        Ok(self.session.get(key, buffer)?)
    }

    #[inline]
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, BytesError<PutError>> {
        check(key)?;
        Ok(self.session.put(key, value)?)
    }

    #[inline]
    fn delete(&mut self, key: &[u8]) -> Result<DeleteOutcome, KeyTooLong> {
        check(key)?;
        Ok(DeleteOutcome::told(self.session.delete(key)))
    }

    fn read_modify_write(
        &mut self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, BytesError<PutError>> {
        check(key)?;
        Ok(self.session.modify(key, decide)?)
    }

    /// As [`MasstreeSession`](crate::MasstreeSession) does: groups descend in step, through the layers that
    /// keys share, before they are executed in order.
    fn execute(
        &mut self,
        operations: &[Op<'_, &[u8]>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) -> Result<(), KeyTooLong> {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let session = &mut self.session;
        let mut results = outcomes.iter_mut().enumerate();
        for group in operations.chunks(warm::KEYS) {
            let mut wanted = [WantedBytes { key: &[], row: false }; warm::KEYS];
            for (wanted, operation) in wanted.iter_mut().zip(group) {
                *wanted = match *operation {
                    Op::Get { key } => WantedBytes { key, row: true },
                    Op::Put { key, .. } | Op::Delete { key } => WantedBytes { key, row: false },
                };
                check(wanted.key)?;
            }
            if group.len() > 1 {
                session.warm_bytes(&wanted[..group.len()]);
            }
            for (operation, (index, outcome)) in group.iter().zip(&mut results) {
                *outcome = match *operation {
                    Op::Get { key } => Outcome::of_get(session.get(key, values.slot(index))),
                    Op::Put { key, value } => Outcome::of_put(session.put(key, value)),
                    Op::Delete { key } => {
                        Outcome::Deleted(DeleteOutcome::told(session.delete(key)))
                    }
                };
            }
        }
        Ok(())
    }

    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        let ScanRange { first, limit, order } = range;
        check(first)?;
        // The design scans upwards.
        if order == ScanOrder::Descending {
            return Ok(None);
        }
        let mut shown = 0;
        if limit > 0 {
            self.session.scan(first, |key, value| {
                visit(key, value);
                shown += 1;
                if shown == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        Ok(Some(shown))
    }
}
