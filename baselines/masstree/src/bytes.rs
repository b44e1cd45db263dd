//! The store with byte strings as keys: the tree's own, which the trie of layers was made for.

use std::ops::ControlFlow;

use engine::{
    BytesError, BytesSession, Decide, DeleteOutcome, GetError, KeyTooLong, KvBytesEngine, PutError,
    PutOutcome, ScanOrder, ScanRange, SessionError,
};
use kit::key::BYTES_MAX;

use crate::{Masstree, TreeSession};

impl KvBytesEngine for Masstree {
    type BytesSession<'engine> = MasstreeBytesSession<'engine>;

    fn bytes_session(&self) -> Result<MasstreeBytesSession<'_>, SessionError> {
        Ok(MasstreeBytesSession { session: self.tree.session()? })
    }
}

/// One thread's use of a [`Masstree`] with byte strings. Its batches are executed one by one: what is common
/// to two keys is not known before their first layers are passed.
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
