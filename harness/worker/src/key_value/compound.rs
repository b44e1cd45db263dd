//! Requests that are more than one operation: read-modify-writes and scans.

use engine::{Decision, KvEngine, KvSession, ScanRange};
use workloads::key_of;
use workloads::requests::Request;

use super::calls::{self, Found};
use super::lane::{Lane, note_damage, time};

impl Lane<'_> {
    /// Reads a record and overwrites it in one step of the store. The old value is copied out, as a GET does.
    pub(super) fn modify<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let key = key_of(request.record());
        let value = if self.ahead {
            self.values.take(request.size())
        } else {
            let writer = &mut self.writers[0];
            writer.number_next(index);
            writer.value(key, request.size())
        };
        let (buffer, mut found) = (&mut *self.buffer, Found::Absent);
        let put = calls::modify::<E>(session, key, &mut |old, new| {
            found = old.map_or(Found::Absent, |old| match buffer.get_mut(..old.len()) {
                Some(front) => {
                    front.copy_from_slice(old);
                    Found::Value(old.len())
                }
                None => Found::TooLong,
            });
            new.extend_from_slice(value);
            Decision::Put
        });
        let ended = time(timed);
        if !matches!(found, Found::Value(_)) {
            self.missing(found);
        }
        self.stored(index, request, put);
        ended
    }

    pub(super) fn scan<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        request: Request,
        timed: bool,
    ) -> u64 {
        let scanned = |range, visit: &mut dyn FnMut(u64, &[u8])| session.scan(range, visit);
        self.scan_by::<E>(request, timed, scanned)
    }

    /// Scans by `scanned`: the store as it is, or at one moment.
    pub(super) fn scan_by<E: KvEngine>(
        &mut self,
        request: Request,
        timed: bool,
        scanned: impl FnOnce(ScanRange, &mut dyn FnMut(u64, &[u8])) -> Option<usize>,
    ) -> u64 {
        let key = key_of(request.record());
        // Every value is copied out, as a caller that wants them would do, each over the last.
        let (mut first, mut last) = (None, None);
        let buffer = &mut *self.buffer;
        let shown = scanned(ScanRange::up(key, request.size()), &mut |found, value| {
            let fits = buffer.get_mut(..value.len()).map(|room| room.copy_from_slice(value));
            first.get_or_insert(found);
            last = Some((found, fits.map(|()| value.len())));
        });
        let ended = time(timed);
        if !E::TRAITS.keeps_values {
            return ended;
        }
        if shown.is_none() {
            self.error =
                Some("the store refused a scan: it is not ordered, or has no snapshots".to_owned());
            return ended;
        }
        self.done.verification.checked += 1;
        // The record itself is live, so it comes first.
        match last {
            Some((_, None)) => self.missing(Found::TooLong),
            Some((last, Some(length))) if first == Some(key) => {
                let condition = self.checker.check(last, &self.buffer[..length]);
                if !condition.is_good() {
                    note_damage(condition, &mut self.done.verification);
                }
            }
            _ => self.missing(Found::Absent),
        }
        ended
    }
}
