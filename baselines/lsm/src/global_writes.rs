//! Writes of LevelDB's scheme: the writer at the front writes for a group.

use crate::config::LogMode;
use crate::error::Error;
use crate::memtable::{Kind, words_for};
use crate::schemes::Global;
use crate::schemes::global::{Turn, Waiter};
use crate::session::{Session, Write};
use crate::sync::lock;
use std::sync::Arc;

impl Session<'_> {
    pub(crate) fn write_global(
        &mut self,
        global: &Global,
        writes: &[Write<'_>],
    ) -> Result<(), Error> {
        {
            let mut batch = lock(&self.waiter.batch);
            batch.clear();
            for &(key, value) in writes {
                batch.add(key, value);
            }
        }
        match global.wait(&self.waiter) {
            Turn::Done(outcome) => outcome,
            Turn::Lead(group, last) => {
                let (last, outcome) = self.lead(&group, last);
                global.finish(&group, last, &outcome);
                outcome
            }
        }
    }

    /// Writes what a group wants, with timestamps after `last`. Answers the newest that it used.
    fn lead(&self, group: &[Arc<Waiter>], last: u64) -> (u64, Result<(), Error>) {
        let parts = self.parts();
        let batches: Vec<_> = group.iter().map(|waiter| lock(&waiter.batch)).collect();
        let sizes = |(key, value): Write<'_>| words_for(key.len(), value.map_or(0, <[u8]>::len));
        let words: u64 = batches.iter().flat_map(|batch| batch.writes()).map(sizes).sum();
        let view = loop {
            let view = parts.view.load_full();
            if view.memory.memtable.has_room(words) {
                break view;
            }
            if let Err(error) = parts.rotate(&view.memory, words) {
                return (last, Err(error));
            }
        };
        let memtable = &view.memory.memtable;
        let mut pendings = Vec::with_capacity(group.len());
        let mut timestamp = last;
        for batch in &batches {
            let writes = batch.writes();
            let count = writes.len();
            for (index, (key, value)) in writes.enumerate() {
                let kind = Kind { continues: index + 1 < count, ..Kind::of(value) };
                let mut pending = memtable.reserve(key, value, kind).expect("one writer at a time");
                timestamp += 1;
                pending.announce(timestamp);
                pendings.push((pending, timestamp));
            }
        }
        // The log before the memtable: what is read was acknowledged as the mode asks.
        let end = pendings.last().map_or(0, |(pending, _)| pending.end());
        let outcome = if parts.config.log == LogMode::Queued {
            Ok(())
        } else {
            parts.acknowledge(&view.memory, end).map_err(Error::after_applying)
        };
        for (pending, timestamp) in &mut pendings {
            pending.link(*timestamp);
        }
        (timestamp, outcome)
    }
}
