//! Writes of cLSM (paper, algorithms 2 and 3).

use std::sync::Arc;

use crate::error::Error;
use crate::log::Component;
use crate::memtable::{Kind, Linked, words_for};
use crate::parts::Counters;
use crate::schemes::Clsm;
use crate::session::{Decide, Decision, Session, Write, check_sizes};
use crate::view::{Found, View};

/// What became of an attempt.
enum Attempt<R> {
    Done(R),
    /// The memory component has no room for so many words.
    Full(Arc<Component>, u64),
    Again,
}

impl Session<'_> {
    pub(crate) fn write_clsm(
        &mut self,
        clsm: &Clsm,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.until_done(|session| Ok(session.insert(clsm, key, value)))
            .and_then(|(memory, end)| session_acknowledge(self, &memory, end))
    }

    /// Repeats an attempt until it is done, and makes room in between.
    fn until_done<R>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<Attempt<R>, Error>,
    ) -> Result<R, Error> {
        loop {
            match attempt(self)? {
                Attempt::Done(done) => return Ok(done),
                Attempt::Full(memory, words) => self.parts().rotate(&memory, words)?,
                Attempt::Again => Counters::add(&self.parts().counters.conflicts, 1),
            }
        }
    }

    /// Algorithm 2, lines 1–6: under the shared lock draw a timestamp, insert, retire it.
    fn insert(&self, clsm: &Clsm, key: &[u8], value: Option<&[u8]>) -> Attempt<Inserted> {
        let _shared = clsm.exclusion.share(self.slot);
        let view = self.parts().view.load();
        let Some(mut pending) = view.memory.memtable.reserve(key, value, Kind::of(value)) else {
            let words = words_for(key.len(), value.map_or(0, <[u8]>::len));
            return Attempt::Full(Arc::clone(&view.memory), words);
        };
        loop {
            let linked = pending.link(clsm.clock.draw(self.slot));
            clsm.clock.retire(self.slot);
            if linked == Linked::Done {
                break;
            }
        }
        Attempt::Done((self.to_acknowledge(&view), pending.end()))
    }

    /// Algorithm 3: what was read must still be the newest when the new version is linked.
    pub(crate) fn read_modify_write_clsm(
        &mut self,
        clsm: &Clsm,
        key: &[u8],
        decide: &mut Decision<'_>,
    ) -> Result<Decide, Error> {
        let (decided, logged) =
            self.until_done(|session| session.try_read_modify_write(clsm, key, decide))?;
        if let Some((memory, end)) = logged {
            session_acknowledge(self, &memory, end)?;
        }
        Ok(decided)
    }

    fn try_read_modify_write(
        &mut self,
        clsm: &Clsm,
        key: &[u8],
        decide: &mut Decision<'_>,
    ) -> Result<Attempt<(Decide, Option<Inserted>)>, Error> {
        let parts = self.parts();
        let _shared = clsm.exclusion.share(self.slot);
        let view = parts.view.load();
        let memtable = &view.memory.memtable;
        // All writes go to the memory component: what is newer than the read is there.
        let in_memory = memtable.get(key, u64::MAX);
        let base = in_memory.map(|found| found.timestamp());
        let found = match in_memory {
            Some(version) => Some(Found::Memory(version)),
            None => view.get(key, u64::MAX, &parts.cache)?,
        };
        let old = found.filter(|found| found.kind().has_value);
        if let Some(old) = &old {
            old.read_value(&mut self.old);
        }
        self.new.clear();
        // Before a timestamp is drawn: it may panic.
        let decided = decide(old.is_some().then_some(&self.old[..]), &mut self.new);
        let value = match decided {
            Decide::Keep => return Ok(Attempt::Done((decided, None))),
            Decide::Put => Some(&self.new[..]),
            Decide::Delete => None,
        };
        check_sizes(key, value)?;
        let kind = Kind { is_read_modify_write: true, ..Kind::of(value) };
        let Some(mut pending) = memtable.reserve(key, value, kind) else {
            let words = words_for(key.len(), value.map_or(0, <[u8]>::len));
            return Ok(Attempt::Full(Arc::clone(&view.memory), words));
        };
        let linked = pending.link_newest(clsm.clock.draw(self.slot), base);
        clsm.clock.retire(self.slot);
        if linked != Linked::Done {
            return Ok(Attempt::Again);
        }
        let logged = (self.to_acknowledge(&view), pending.end());
        Ok(Attempt::Done((decided, Some(logged))))
    }

    /// A batch excludes all other writes and all snapshots in the making (paper, section 4).
    pub(crate) fn batch_clsm(&mut self, clsm: &Clsm, writes: &[Write<'_>]) -> Result<(), Error> {
        let words = |&(key, value): &Write<'_>| words_for(key.len(), value.map_or(0, <[u8]>::len));
        let words: u64 = writes.iter().map(words).sum();
        let (memory, end) = self.until_done(|session| {
            Ok(clsm.exclusion.exclude(|| session.insert_all(clsm, writes, words)))
        })?;
        session_acknowledge(self, &memory, end)
    }

    fn insert_all(&self, clsm: &Clsm, writes: &[Write<'_>], words: u64) -> Attempt<Inserted> {
        let view = self.parts().view.load();
        let memtable = &view.memory.memtable;
        if !memtable.has_room(words) {
            return Attempt::Full(Arc::clone(&view.memory), words);
        }
        let mut end = 0;
        for (index, &(key, value)) in writes.iter().enumerate() {
            let kind = Kind { continues: index + 1 < writes.len(), ..Kind::of(value) };
            let mut pending = memtable.reserve(key, value, kind).expect("nobody else reserves");
            let linked = pending.link(clsm.clock.draw(self.slot));
            clsm.clock.retire(self.slot);
            debug_assert_eq!(linked, Linked::Done, "nobody else writes");
            end = pending.end();
        }
        Attempt::Done((self.to_acknowledge(&view), end))
    }

    /// The component whose log is waited for, where anything is.
    fn to_acknowledge(&self, view: &View) -> Acknowledge {
        let waits = self.parts().config.log != crate::config::LogMode::Queued;
        waits.then(|| Arc::clone(&view.memory))
    }
}

/// The component whose log is waited for, if any is.
type Acknowledge = Option<Arc<Component>>;
/// The same, and where the record ends in the log's queue.
type Inserted = (Acknowledge, u64);

/// Waits for the log, after the shared lock is given back.
fn session_acknowledge(session: &Session<'_>, memory: &Acknowledge, end: u64) -> Result<(), Error> {
    let Some(memory) = memory else { return Ok(()) };
    session.parts().acknowledge(memory, end).map_err(Error::after_applying)
}
