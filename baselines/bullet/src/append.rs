//! Puts and removes through a log: room, bucket, record, tail, name, and only then gleaners.

use std::sync::atomic::Ordering;

use engine::PutOutcome;
use kit::spin::Spin;

use crate::back;
use crate::counts::add;
use crate::faults::{Fault, Step};
use crate::front::{Locked, Pair};
use crate::glean;
use crate::logs::Log;
use crate::record::{self, Header, Opcode, Reference};
use crate::session::BulletSession;
use crate::store::Shared;

impl<'a> BulletSession<'a> {
    fn log(&self) -> &'a Log {
        self.log.expect("a rung with logs")
    }

    /// Makes sure that the log has room, before anything is locked (B5). Where it has none, another
    /// log is taken, or this writer becomes a gleaner until it has. `false` if there is nothing left
    /// to glean into.
    fn reserve(&mut self, words: u64) -> bool {
        if self.log().room() >= words {
            return true;
        }
        let shared = self.shared;
        add(&shared.counters.full_logs, 1);
        let mut spin = Spin::default();
        loop {
            if self.log().room() >= words || (shared.rung.is_dynamic() && self.switch(words)) {
                return true;
            }
            let first = self.log().number as usize;
            let gleaned = glean::all(shared, &mut self.me, first);
            let moved = glean::advance(shared, false);
            if gleaned == 0 && !moved {
                // Relaxed: set by whoever found nothing, long before.
                if shared.is_back_full.load(Ordering::Relaxed) {
                    return false;
                }
                spin.wait();
            }
        }
    }

    /// Takes a log that has room and no writer.
    fn switch(&mut self, words: u64) -> bool {
        let logs = &self.shared.logs;
        let first = self.log().number as usize;
        for index in 1..logs.len() {
            let log = &logs[(first + index) % logs.len()];
            if log.room() < words || !log.claim() {
                continue;
            }
            if log.room() >= words {
                self.log().disown();
                self.log = Some(log);
                add(&self.shared.counters.log_switches, 1);
                return true;
            }
            log.disown();
        }
        false
    }

    /// B5 as the text has it: waits for room with the bucket taken. A test ends it when nobody can
    /// make room any more.
    #[cold]
    fn wait_with_bucket(&mut self, words: u64) {
        let first = self.log().number as usize;
        while self.log().room() < words {
            let gleaned = glean::all(self.shared, &mut self.me, first);
            let moved = glean::advance(self.shared, false);
            assert!(gleaned > 0 || moved, "stuck: a full log, and its bucket is taken");
        }
    }

    /// The length of a key's live value, under its bucket's lock.
    fn old_bytes(&mut self, pair: Option<&Pair>, key: u64) -> Option<u64> {
        match pair {
            Some(pair) => (!pair.buried).then_some(pair.bytes),
            None if self.shared.is_complete => None,
            None => self.shared.back().value_bytes(&mut self.me.touched, key),
        }
    }

    /// Puts or removes through the log. `None` if there is no room.
    pub(crate) fn append(&mut self, key: u64, value: &[u8], opcode: Opcode) -> Option<PutOutcome> {
        let shared = self.shared;
        let record_words = record::record_words(value.len() as u64);
        let waits_late = shared.faults.has(Fault::WaitsWithBucket);
        if !waits_late && !self.reserve(record_words) {
            // The region is three times as large as what puts may fill.
            assert!(opcode == Opcode::Put, "no persistent memory is left to glean into");
            return None;
        }
        let front = shared.front();
        let bucket = front.lock(key);
        if waits_late {
            self.wait_with_bucket(record_words);
        }
        let pair = bucket.find(key);
        let old = self.old_bytes(pair.as_ref(), key).map(Shared::size);
        let removes = opcode == Opcode::Remove;
        let new = Shared::size(value.len() as u64);
        if removes {
            old?;
        } else if !shared.live.admit(old, new, shared.object_bytes) {
            return None;
        }
        // A tombstone is the pair itself, if there is one.
        let block = match pair {
            Some(_) if removes => Some(0),
            _ => front.fill(self.slot, key, value, removes),
        };
        let base = shared.rung.links_the_back();
        let entry = self.log().next();
        let previous = pair.map_or(Reference::NONE, |pair| pair.entry);
        let named = match (block, base) {
            (None, _) => false,
            (Some(_), false) => {
                self.write(key, value, opcode, previous);
                true
            }
            (Some(_), true) => self.write_and_name(key, value, opcode, previous, entry),
        };
        if !named {
            if let Some(block) = block.filter(|&block| block != 0) {
                front.free(self.slot, block, value.len() as u64);
            }
            if !removes {
                shared.live.replace(Some(new), old);
            }
            return None;
        }
        self.name(&bucket, pair, block.unwrap_or_default(), entry);
        if removes {
            shared.live.replace(old, None);
        }
        shared.faults.at(Step::Named);
        // Only now may gleaners have it: the pair names it (B1).
        self.log().publish();
        drop(bucket);
        Some(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
    }

    /// Lets the front show what is durable.
    fn name(&self, bucket: &Locked<'_>, pair: Option<Pair>, block: u64, entry: Reference) {
        match pair {
            Some(pair) if block == 0 => bucket.bury(pair, entry),
            _ => bucket.link(self.slot, pair, block, entry),
        }
    }

    /// Writes a record, then the tail behind it: two barriers.
    fn write(&mut self, key: u64, value: &[u8], opcode: Opcode, previous: Reference) {
        let shared = self.shared;
        let (region, log) = (&shared.back().region, self.log());
        let header = Header {
            value_bytes: value.len() as u64,
            opcode,
            applied: false,
            // Relaxed: any recent epoch.
            epoch: shared.epoch.load(Ordering::Relaxed) as u32,
            checksum: 0,
            previous,
            key,
        };
        back::to_words(value, &mut self.words);
        header.encode(&self.words, &mut self.record);
        log.write(region, &self.record);
        shared.faults.at(Step::RecordDurable);
        log.commit(region, self.record.len() as u64);
        shared.faults.at(Step::TailDurable);
    }

    /// The same with a base put's additions: the persistent pair is found, or made, and names the
    /// record. `false` if there is no memory for the pair; then nothing is written.
    fn write_and_name(
        &mut self,
        key: u64,
        value: &[u8],
        opcode: Opcode,
        previous: Reference,
        entry: Reference,
    ) -> bool {
        let back = self.shared.back();
        back.exclusively(key, || {
            let mut tx = self.me.begin(&back.region, &back.heap);
            let Ok(block) = back.pair_in(&mut tx, key) else { return false };
            if !tx.is_empty() {
                tx.commit(&back.layout);
            }
            drop(tx);
            self.write(key, value, opcode, previous);
            back.name(block, entry.word());
            true
        })
    }
}
