//! Files in memory, of which a crash leaves what was synced, and of the rest some prefix. The disk
//! may also be full, and a table's creation may be held up. Files that have neither a name nor a
//! user take no memory.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use baseline_lsm::files::{File, Files};
use kit::testing::Random;

/// A disk.
#[derive(Debug, Default)]
pub(super) struct Backend {
    state: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// Changes of names since the folder was synced.
    changes: Vec<Change>,
    contents: Vec<Contents>,
    /// Contents that have lost a name since the folder was synced, or are still in use.
    nameless: Vec<usize>,
    calls: u64,
    /// After so many calls that change something, none does any more.
    calls_max: Option<u64>,
    is_full: bool,
    holds_tables: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Name(String, usize),
    Remove(String),
    Rename(String, String),
}

#[derive(Clone, Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<(u64, Vec<u8>)>,
    users: usize,
}

fn write(bytes: &mut Vec<u8>, at: u64, from: &[u8]) {
    let end = at as usize + from.len();
    bytes.resize(bytes.len().max(end), 0);
    bytes[at as usize..end].copy_from_slice(from);
}

fn apply(names: &mut BTreeMap<String, usize>, change: &Change) {
    match change {
        Change::Name(name, contents) => _ = names.insert(name.clone(), *contents),
        Change::Remove(name) => _ = names.remove(name),
        Change::Rename(from, to) => {
            if let Some(contents) = names.remove(from) {
                names.insert(to.clone(), contents);
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call that changes something; an error once the machine has stopped.
    fn call(&self, needs_space: bool) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        state.calls += 1;
        if state.calls_max.is_some_and(|most| state.calls > most) {
            return Err(io::Error::other("the machine has stopped"));
        }
        if needs_space && state.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(state)
    }
}

impl State {
    fn change(&mut self, change: Change) {
        let lost = match &change {
            Change::Name(name, _) | Change::Remove(name) | Change::Rename(_, name) => {
                self.names.get(name)
            }
        };
        self.nameless.extend(lost);
        apply(&mut self.names, &change);
        self.changes.push(change);
    }

    /// Frees what no crash can bring back and nobody uses.
    fn free_nameless(&mut self) {
        let contents = &mut self.contents;
        self.nameless.retain(|&at| {
            let is_used = contents[at].users > 0;
            if !is_used {
                contents[at] = Contents::default();
            }
            is_used
        });
    }

    fn open(&mut self, contents: usize, state: &Arc<Shared>) -> Box<dyn File> {
        self.contents[contents].users += 1;
        Box::new(Open { state: Arc::clone(state), contents })
    }
}

impl Backend {
    /// Stops the machine after so many more calls.
    pub(super) fn stop_after(&self, calls: u64) {
        let mut state = self.state.lock();
        state.calls_max = Some(state.calls + calls);
    }

    pub(super) fn fill(&self, is_full: bool) {
        self.state.lock().is_full = is_full;
    }

    /// Holds up whoever creates a table, until it is told otherwise.
    pub(super) fn hold_tables(&self, holds: bool) {
        self.state.lock().holds_tables = holds;
        self.state.changed.notify_all();
    }

    /// What is left after a crash now: of names and of each file a prefix of what was not synced,
    /// often nothing, the last write perhaps torn.
    pub(super) fn crash(&self, random: &mut Random) -> Self {
        let state = self.state.lock();
        let mut names = state.durable_names.clone();
        let kept = prefix(state.changes.len(), random);
        for change in &state.changes[..kept] {
            apply(&mut names, change);
        }
        let survive = |contents: &Contents, random: &mut Random| {
            let mut bytes = contents.durable.clone();
            let kept = prefix(contents.unsynced.len(), random);
            for (at, from) in &contents.unsynced[..kept] {
                write(&mut bytes, *at, from);
            }
            if let Some((at, from)) = contents.unsynced.get(kept)
                && random.below(2) == 0
            {
                let torn = random.below(from.len() as u64 + 1) as usize;
                write(&mut bytes, *at, &from[..torn]);
            }
            Contents { durable: bytes.clone(), bytes, ..Contents::default() }
        };
        let named: BTreeSet<usize> = names.values().copied().collect();
        let survivor = |(at, contents): (usize, &Contents)| match named.contains(&at) {
            true => survive(contents, random),
            false => Contents::default(),
        };
        let contents = state.contents.iter().enumerate().map(survivor).collect();
        let left = State { durable_names: names.clone(), names, contents, ..State::default() };
        Self { state: Arc::new(Shared { state: Mutex::new(left), changed: Condvar::new() }) }
    }

    /// Changes the bytes of the file whose name ends so, behind the store's back.
    pub(super) fn edit(&self, ends: &str, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state.lock();
        let found = state.names.iter().find(|(name, _)| name.ends_with(ends));
        let contents = *found.unwrap_or_else(|| panic!("a file *{ends}")).1;
        edit(&mut state.contents[contents].bytes);
    }

    /// Names that end so, and how many bytes their files have.
    pub(super) fn files(&self, ends: &str) -> Vec<(String, usize)> {
        let state = self.state.lock();
        let files = state.names.iter().filter(|(name, _)| name.ends_with(ends));
        files.map(|(name, &at)| (name.clone(), state.contents[at].bytes.len())).collect()
    }
}

/// Nothing, all, or anything between.
fn prefix(length: usize, random: &mut Random) -> usize {
    match random.below(3) {
        0 => 0,
        1 => length,
        _ => random.below(length as u64 + 1) as usize,
    }
}

impl Files for Backend {
    fn create(&self, name: &str) -> io::Result<Box<dyn File>> {
        let mut state = self.state.call(true)?;
        while state.holds_tables && name.ends_with(".table") {
            state = self.state.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let contents = state.contents.len();
        state.contents.push(Contents::default());
        state.change(Change::Name(name.to_owned(), contents));
        Ok(state.open(contents, &self.state))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn File>> {
        let mut state = self.state.lock();
        let contents = *state.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(state.open(contents, &self.state))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state.call(false)?;
        state.change(Change::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state.call(false)?;
        state.change(Change::Remove(name.to_owned()));
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.state.lock().names.keys().cloned().collect())
    }

    fn sync_folder(&self) -> io::Result<()> {
        let mut state = self.state.call(false)?;
        state.durable_names = state.names.clone();
        state.changes.clear();
        state.free_nameless();
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let state = self.state.lock();
        state.names.values().map(|&contents| state.contents[contents].bytes.len() as u64).sum()
    }

    fn is_in_memory(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Open {
    state: Arc<Shared>,
    contents: usize,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.state.lock().contents[self.contents].users -= 1;
    }
}

impl File for Open {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut state = self.state.call(true)?;
        let contents = &mut state.contents[self.contents];
        write(&mut contents.bytes, offset, bytes);
        contents.unsynced.push((offset, bytes.to_vec()));
        Ok(())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.state.lock();
        let bytes = &state.contents[self.contents].bytes;
        let from = bytes.get(offset as usize..).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state.call(false)?;
        let contents = &mut state.contents[self.contents];
        contents.durable = contents.bytes.clone();
        contents.unsynced.clear();
        Ok(())
    }

    fn bytes(&self) -> io::Result<u64> {
        Ok(self.state.lock().contents[self.contents].bytes.len() as u64)
    }
}
