//! One thread of a stress: writes its own keys, reads everybody's.

use std::sync::atomic::Ordering;

use engine::{KvEngine, KvSession, PutOutcome};

use super::super::{Random, fill, read_version};
use super::{
    Arena, CONTENDED, CONTENDED_FROM, Done, VALUE_BYTES_MAX, Window, is_delete, stored, value_bytes,
};

/// How often a thread looks whether another has failed.
const LOOK_EVERY: u64 = 256;

pub(super) struct Thread<'arena, 'engine, E: KvEngine + 'engine> {
    arena: &'arena Arena<'engine, E>,
    number: usize,
    session: E::Session<'engine>,
    random: Random,
    /// The keys that it writes.
    own: Vec<u64>,
    /// The newest version seen of each writer of each contended key.
    seen: Vec<[u64; CONTENDED as usize]>,
    written: u64,
    done: Done,
    value: Vec<u8>,
    buffer: Vec<u8>,
}

impl<'arena, 'engine, E: KvEngine + 'engine> Thread<'arena, 'engine, E> {
    pub(super) fn new(
        arena: &'arena Arena<'engine, E>,
        number: usize,
        session: E::Session<'engine>,
    ) -> Self {
        let keys = 0..arena.windows.len() as u64;
        Self {
            arena,
            number,
            session,
            random: Random(arena.stress.seed << 8 | number as u64),
            own: keys.filter(|&key| arena.writer_of(key) == number).collect(),
            seen: vec![[0; CONTENDED as usize]; arena.stress.threads],
            written: 0,
            done: Done::default(),
            value: vec![0; VALUE_BYTES_MAX],
            buffer: vec![0; VALUE_BYTES_MAX],
        }
    }

    /// What it did, and how many of its keys are live at the end.
    pub(super) fn run(mut self) -> Result<(Done, u64), String> {
        let result = self.load().and_then(|()| self.work()).and_then(|()| self.own_live());
        if result.is_err() {
            self.arena.failed.store(true, Ordering::Relaxed);
        }
        result.map(|live| (self.done, live))
    }

    /// Writes each of its keys once, so that the store is as full as it is to be.
    fn load(&mut self) -> Result<(), String> {
        (0..self.own.len()).try_for_each(|place| self.write(self.own[place]))
    }

    fn work(&mut self) -> Result<(), String> {
        let share = self.arena.stress.operations / self.arena.stress.threads as u64;
        while self.done.operations() < share {
            let looks = self.done.operations().is_multiple_of(LOOK_EVERY);
            // Relaxed: nothing is read that the failed thread wrote.
            if looks && self.arena.failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            if self.arena.contends() && self.random.below(16) == 0 {
                self.contend()?;
            } else if self.random.below(2) == 0 {
                let key = self.own[self.random.below(self.own.len() as u64) as usize];
                self.write(key)?;
                self.read_own(key)?;
            } else if self.arena.reads_others() {
                let key = self.random.below(self.arena.windows.len() as u64);
                self.read(key)?;
            } else {
                let key = self.own[self.random.below(self.own.len() as u64) as usize];
                self.read_own(key)?;
            }
        }
        Ok(())
    }

    fn window(&self, key: u64) -> &'arena Window {
        &self.arena.windows[key as usize]
    }

    /// The next version of one of its keys.
    fn write(&mut self, key: u64) -> Result<(), String> {
        let window = self.window(key);
        // Relaxed: only this thread writes either.
        let version = window.begun.load(Ordering::Relaxed) + 1;
        let in_force = window.in_force.load(Ordering::Relaxed);
        // STRESS-BEGUN, from: whoever finds the version sees that it was begun.
        window.begun.store(version, Ordering::Release);
        if is_delete(key, version) {
            self.done.deletes += 1;
            let was_there = self.session.delete(stored(key)).was_present();
            let expected = !is_delete(key, in_force);
            if was_there != expected && !(expected && self.arena.evicts()) {
                return Err(format!("DELETE of key {key} says {was_there}, not {expected}"));
            }
        } else if !self.put(key, version, value_bytes(key, version))? {
            return Ok(());
        }
        // STRESS-IN-FORCE, from: whoever reads this finds the version, or a later one.
        window.in_force.store(version, Ordering::Release);
        Ok(())
    }

    /// Whether the value was stored.
    fn put(&mut self, key: u64, version: u64, bytes: usize) -> Result<bool, String> {
        fill(key, version, &mut self.value[..bytes]);
        self.done.puts += 1;
        let outcome = self.session.put(stored(key), &self.value[..bytes]);
        let outcome = outcome.map_err(|error| format!("PUT of key {key}: {error}"))?;
        self.done.refused += u64::from(outcome == PutOutcome::Full);
        Ok(outcome.is_stored())
    }

    /// The version that is found; `None` is absence.
    fn get(&mut self, key: u64) -> Result<Option<u64>, String> {
        self.done.gets += 1;
        let found = self.session.get(stored(key), &mut self.buffer);
        let found = found.map_err(|error| format!("GET of key {key}: {error}"))?;
        let Some(bytes) = found else { return Ok(None) };
        self.done.found += 1;
        let version = read_version(key, &self.buffer[..bytes])?;
        if bytes != value_bytes(key, version) {
            return Err(format!("{bytes} bytes of key {key}, version {version}"));
        }
        Ok(Some(version))
    }

    /// One of its own keys, exactly.
    fn read_own(&mut self, key: u64) -> Result<(), String> {
        let in_force = self.window(key).in_force.load(Ordering::Relaxed);
        let expected = (!is_delete(key, in_force)).then_some(in_force);
        let found = self.get(key)?;
        if found == expected || (found.is_none() && self.arena.evicts()) {
            return Ok(());
        }
        Err(format!("its own key {key}: {found:?}, not {expected:?}"))
    }

    /// Anybody's key, within its window.
    fn read(&mut self, key: u64) -> Result<(), String> {
        let window = self.window(key);
        // STRESS-IN-FORCE, to: what is found is not older.
        let from = window.in_force.load(Ordering::Acquire);
        let found = self.get(key)?;
        // STRESS-BEGUN, to: what is found is not newer.
        let to = window.begun.load(Ordering::Acquire);
        let fits = match found {
            Some(version) => (from..=to).contains(&version) && !is_delete(key, version),
            None => self.arena.evicts() || (from..=to).any(|version| is_delete(key, version)),
        };
        if fits { Ok(()) } else { Err(format!("key {key}: {found:?}, not within {from}..={to}")) }
    }

    /// A key of many writers: versions hold their writer, and none goes back.
    fn contend(&mut self) -> Result<(), String> {
        let number = self.random.below(CONTENDED);
        let key = CONTENDED_FROM + number;
        if self.random.below(2) == 0 {
            self.written += 1;
            let version = self.written << 8 | self.number as u64;
            if self.put(key, version, value_bytes(key, version))? {
                self.seen[self.number][number as usize] = version;
            }
        }
        let Some(version) = self.get(key)? else { return Ok(()) };
        let seen = self.seen.get_mut((version & 255) as usize);
        let newest = &mut seen.ok_or_else(|| format!("nobody wrote {version}"))?[number as usize];
        if version < *newest {
            return Err(format!("key {key} went back from {newest} to {version}"));
        }
        *newest = version;
        Ok(())
    }

    /// Checks all its keys, and counts the live ones.
    fn own_live(&mut self) -> Result<u64, String> {
        let before = self.done;
        let mut live = 0;
        for key in std::mem::take(&mut self.own) {
            self.read_own(key)?;
            let in_force = self.window(key).in_force.load(Ordering::Relaxed);
            live += u64::from(!is_delete(key, in_force));
        }
        self.done = before;
        Ok(live)
    }
}
