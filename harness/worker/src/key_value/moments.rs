//! Requests about all records of a group: written in one step, read at one moment. And scans at one.
//!
//! All values of a step carry one stamp. So a group that a snapshot shows with several stamps was torn: some
//! step was seen in part. And a snapshot must not be older than one that the same thread took before, or,
//! where the store promises that, than what was acknowledged before it was taken. Every value that a snapshot
//! shows is checked at once, while the thread's clock stands still.

use std::ops::Range;

use engine::{KvEngine, Snapshots, Write};
use platform::clock::monotonic_ns;
use workloads::key_of;
use workloads::requests::{Groups, Request};
use workloads::value::Condition;

use super::calls::{self, Found};
use super::kit::AGER;
use super::lane::{Lane, note_damage, time};
use super::tracked::{Tracked, is_old};
use record::KeyValue;

/// What a thread knows of groups and snapshots.
#[derive(Debug)]
pub(super) struct Moments {
    pub(super) groups: Groups,
    /// Whether all that is written within the clock is written in steps of whole groups.
    in_steps: bool,
    /// What the open store's snapshots show.
    pub(super) promise: Snapshots,
    /// The newest writes that the thread's snapshots have shown.
    seen: Option<Tracked>,
}

impl Moments {
    /// For the cells `works`, which have one load and groups of one size.
    pub(super) fn of<'a>(
        works: impl Iterator<Item = &'a KeyValue> + Clone,
        groups: Groups,
    ) -> std::io::Result<Self> {
        let mut looking = works.clone().filter(|work| work.workload.reads_at_one_moment());
        let seen = looking.next().map(|work| Tracked::new(work.records, work.threads));
        Ok(Self {
            groups,
            in_steps: works.into_iter().all(|work| work.workload.writes_together()),
            promise: Snapshots::No,
            seen: seen.transpose()?,
        })
    }
}

/// A group's values as they are looked at, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    first: Option<Option<(u16, u64)>>,
    is_torn: bool,
}

impl Step {
    /// Adds the next value. One that was written before the clock, record by record, counts as of the same
    /// step as all such.
    pub(super) fn add(&mut self, condition: Condition) {
        let Condition::Good { writer, sequence } = condition else { return };
        let stamp = (writer < AGER).then_some((writer, sequence));
        self.is_torn |= *self.first.get_or_insert(stamp) != stamp;
    }

    /// Whether the values so far are of several steps.
    pub(super) fn is_torn(self) -> bool {
        self.is_torn
    }
}

impl Lane<'_> {
    /// Overwrites all records of a group in one step.
    pub(super) fn write_together<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        index: u64,
        request: Request,
        timed: bool,
    ) -> u64 {
        let (group, bytes) = (self.moments.groups.of(request.record()), request.size());
        let length = length_of(&group);
        let mut writes = [Write::Delete { key: 0 }; Groups::TOGETHER_MAX];
        if self.ahead {
            let values = self.values.take(length * bytes).chunks_exact(bytes);
            for ((write, record), value) in writes.iter_mut().zip(group).zip(values) {
                *write = Write::Put { key: key_of(record), value };
            }
        } else {
            let writers = self.writers.iter_mut();
            for ((write, record), writer) in writes.iter_mut().zip(group).zip(writers) {
                writer.number_next(index);
                let key = key_of(record);
                *write = Write::Put { key, value: writer.value(key, bytes) };
            }
        }
        let put = calls::write_in_one_step::<E>(session, &writes[..length]);
        let ended = time(timed);
        match put {
            Some(put) => self.stored(index, request, put),
            None if E::TRAITS.keeps_values => {
                self.error = Some("the store cannot write several keys in one step".to_owned());
            }
            None => {}
        }
        ended
    }

    /// Reads all records of a group at one moment, and checks what was shown.
    pub(super) fn snapshot_read<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        request: Request,
        timed: bool,
    ) -> u64 {
        let group = self.moments.groups.of(request.record());
        self.note_promise(group.clone());
        let mut found = [Found::Absent; Groups::TOGETHER_MAX];
        let (buffer, slot_bytes) = (&mut *self.buffer, self.slot_bytes);
        let is_taken = calls::with_snapshot::<E>(session, &mut |snapshot| {
            for ((slot, record), found) in group.clone().enumerate().zip(&mut found) {
                let room = &mut buffer[slot * slot_bytes..(slot + 1) * slot_bytes];
                *found = calls::found(snapshot.get(key_of(record), room));
            }
        });
        let ended = time(timed);
        if !E::TRAITS.keeps_values {
            return ended;
        }
        if !is_taken {
            self.error = Some("the store has no snapshots".to_owned());
            return ended;
        }
        let stopped_ns = if timed { ended } else { monotonic_ns() };
        self.check_moment(group, &found);
        self.done.off_clock_ns += monotonic_ns() - stopped_ns;
        ended
    }

    /// Scans at one moment.
    pub(super) fn snapshot_scan<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        request: Request,
        timed: bool,
    ) -> u64 {
        self.scan_by::<E>(request, timed, |range, visit| {
            let mut shown = None;
            calls::with_snapshot::<E>(session, &mut |snapshot| shown = snapshot.scan(range, visit));
            shown
        })
    }

    /// Notes the versions that a snapshot, taken now, must show of the watched records of a group.
    fn note_promise(&mut self, group: Range<u64>) {
        if self.moments.promise == Snapshots::Linearizable {
            for (slot, record) in group.enumerate() {
                if self.shared.tracked.watches(record) {
                    self.note_bounds(slot, record);
                }
            }
        }
    }

    /// Checks what a snapshot showed of a group: `found` of each record, the values in its slot.
    fn check_moment(&mut self, group: Range<u64>, found: &[Found]) {
        let mut step = Step::default();
        for ((slot, record), found) in group.enumerate().zip(found) {
            self.done.verification.checked += 1;
            let Found::Value(length) = *found else {
                self.missing(*found);
                continue;
            };
            let value = &self.buffer[slot * self.slot_bytes..][..length];
            let condition = self.checker.check(key_of(record), value);
            if !condition.is_good() {
                note_damage(condition, &mut self.done.verification);
                continue;
            }
            step.add(condition);
            self.check_age(record, slot, condition);
        }
        if self.moments.in_steps {
            self.done.verification.torn += u64::from(step.is_torn());
        }
    }

    /// Checks that a watched record is not shown as it was before: before an earlier snapshot, and before
    /// this one if the store promises that.
    fn check_age(&mut self, record: u64, slot: usize, condition: Condition) {
        let Some(seen) = &self.moments.seen else { return };
        if !seen.watches(record) {
            return;
        }
        let bounds = &mut self.bounds[slot * self.threads..(slot + 1) * self.threads];
        if self.moments.promise != Snapshots::Linearizable {
            bounds.fill(0);
        }
        seen.raise(record, bounds);
        if is_old(condition, bounds) {
            self.done.verification.stale += 1;
        } else if let Condition::Good { writer, sequence } = condition
            && writer < AGER
        {
            seen.acknowledge(record, usize::from(writer), sequence);
        }
    }
}

fn length_of(group: &Range<u64>) -> usize {
    (group.end - group.start) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_value::kit::LOADER;

    fn is_torn(stamps: &[(u16, u64)]) -> bool {
        let mut step = Step::default();
        for &(writer, sequence) in stamps {
            step.add(Condition::Good { writer, sequence });
        }
        step.is_torn()
    }

    #[test]
    fn a_group_is_whole_if_all_its_values_are_of_one_step_or_of_none() {
        assert!(!is_torn(&[(0, 7), (0, 7), (0, 7)]));
        assert!(
            !is_torn(&[(LOADER, 4), (LOADER, 5), (AGER, 9), (AGER + 1, 3)]),
            "before the clock"
        );
        for torn in [[(0, 7), (0, 8)], [(0, 7), (1, 7)], [(LOADER, 4), (0, 7)], [(0, 7), (AGER, 7)]]
        {
            assert!(is_torn(&torn), "{torn:?}");
        }
    }
}
