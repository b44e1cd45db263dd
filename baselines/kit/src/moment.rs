//! The state of a store of byte strings at one moment, and the contract's snapshots of it.

use engine::{
    BytesError, BytesSnapshotRead, GetError, KeyTooLong, ScanOrder, ScanRange, SnapshotRead,
    word_of,
};

use crate::values::copy_out;

/// One of several writes that are carried out in one step.
pub type Write<'bytes> = engine::Write<'bytes, &'bytes [u8]>;

/// The state of a store at one moment. Words are 8 big-endian bytes. No key is too long.
pub trait Moment {
    /// Whether it is scanned in this order.
    fn scans(&self, order: ScanOrder) -> bool {
        let _ = order;
        true
    }

    /// Passes all pairs from `first` on to `visit`, in this order, until it returns `false`.
    fn scan(&mut self, first: &[u8], order: ScanOrder, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool);

    /// Copies the value of `key` to the front of `buffer`; `None` if it is absent.
    ///
    /// # Errors
    /// If the buffer is shorter than the value.
    fn get(&mut self, key: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let mut copied = None;
        self.scan(key, ScanOrder::Ascending, &mut |found, value| {
            if found == key {
                copied = Some(copy_out(value, buffer));
            }
            false
        });
        copied.transpose()
    }
}

/// What is done with the state at one moment.
pub type WithMoment<'a> = dyn FnMut(&mut dyn Moment) + 'a;

/// A snapshot of words.
pub(crate) struct WordsAt<'moment>(pub(crate) &'moment mut dyn Moment);

impl SnapshotRead for WordsAt<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.0.get(&key.to_be_bytes(), buffer)
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let range = ScanRange { first: &first.to_be_bytes()[..], limit, order };
        scan(self.0, range, &mut |key, value| visit(word_of(key), value))
    }
}

/// A snapshot of byte strings, which refuses longer ones than `limit_bytes`.
pub(crate) struct BytesAt<'moment> {
    pub(crate) moment: &'moment mut dyn Moment,
    pub(crate) limit_bytes: usize,
}

impl BytesSnapshotRead for BytesAt<'_> {
    fn get(
        &mut self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, BytesError<GetError>> {
        KeyTooLong::check(key, self.limit_bytes)?;
        Ok(self.moment.get(key, buffer)?)
    }

    fn scan(
        &mut self,
        range: ScanRange<&[u8]>,
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<Option<usize>, KeyTooLong> {
        KeyTooLong::check(range.first, self.limit_bytes)?;
        Ok(scan(self.moment, range, visit))
    }
}

fn scan(
    moment: &mut dyn Moment,
    range: ScanRange<&[u8]>,
    visit: &mut dyn FnMut(&[u8], &[u8]),
) -> Option<usize> {
    let ScanRange { first, limit, order } = range;
    moment.scans(order).then(|| limited(limit, visit, |visit| moment.scan(first, order, visit)))
}

/// Runs a scan that goes on while its visitor answers `true`, up to `limit` pairs; returns how many
/// there were.
pub fn limited(
    limit: usize,
    visit: &mut dyn FnMut(&[u8], &[u8]),
    scan: impl FnOnce(&mut dyn FnMut(&[u8], &[u8]) -> bool),
) -> usize {
    let mut shown = 0;
    if limit > 0 {
        scan(&mut |key, value| {
            visit(key, value);
            shown += 1;
            shown < limit
        });
    }
    shown
}
