//! Linking: first at the bottom, which makes a version visible, then level by level upwards.

use std::cmp::Ordering as Order;

use super::node::{self, HEAD, HEIGHT_MAX, Kind, Probe, State, header};
use super::{Memtable, NIL};
use crate::mutant::{Mutant, mutated};
use crate::sync::Ordering;

/// How linking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    /// The version is in the list.
    Done,
    /// A newer read-modify-write of the key is there, which has not read this version: the version
    /// needs another timestamp (fault D3).
    NeedsNewer,
    /// The key has a newer version than the one that was read.
    Conflict,
}

/// A node that is written, and not linked. If it is dropped before, it is given up.
#[derive(Debug)]
pub(crate) struct Pending<'list, 'key> {
    list: &'list Memtable,
    probe: Probe<'key>,
    start: u64,
    words: u64,
    height: usize,
    kind: Kind,
    is_settled: bool,
}

/// Where a node belongs: what is before it and behind it on each level.
struct Place {
    before: [u64; HEIGHT_MAX],
    behind: [u64; HEIGHT_MAX],
}

impl Memtable {
    /// Reserves and writes a node; `None` if there is no room.
    pub(crate) fn reserve<'key>(
        &self,
        key: &'key [u8],
        value: Option<&[u8]>,
        kind: Kind,
    ) -> Option<Pending<'_, 'key>> {
        let bytes = value.unwrap_or_default();
        // The height must be known before the place, so it comes from where the place will be about.
        let height = height_at(self.arena.used() ^ (key.len() as u64) << 48 ^ bytes_of(key));
        let words = node::node_words(height, key.len(), bytes.len());
        let start = self.arena.reserve(words)?;
        let pending = Pending {
            list: self,
            probe: Probe::of(key),
            start,
            words,
            height,
            kind,
            is_settled: false,
        };
        self.node(pending.at()).write(key, bytes);
        Some(pending)
    }

    /// Where `(key, timestamp)` belongs.
    fn place(&self, probe: &Probe<'_>, timestamp: u64) -> Place {
        let mut place = Place { before: [HEAD; HEIGHT_MAX], behind: [NIL; HEIGHT_MAX] };
        let (mut before, mut after) = (HEAD, NIL);
        for level in (0..HEIGHT_MAX).rev() {
            let mut next = self.link(before, level);
            while next != NIL && next != after && self.node(next).is_before(probe, timestamp) {
                before = next;
                next = self.link(before, level);
            }
            after = next;
            (place.before[level], place.behind[level]) = (before, next);
        }
        place
    }

    /// Links `at` between two nodes of a level, if they are neighbours.
    fn exchange(&self, level: usize, before: u64, behind: u64, at: u64) -> bool {
        let words = self.arena.words();
        // Relaxed: nobody has the node's place on this level yet.
        words[node::link_of(at, level)].store(behind, Ordering::Relaxed);
        // LINK, from: the node is written before it can be found.
        words[node::link_of(before, level)]
            .compare_exchange(behind, at, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }
}

/// The last bytes of a key, as a number.
fn bytes_of(key: &[u8]) -> u64 {
    key.iter().rev().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// A height from a number that is as good as random.
fn height_at(seed: u64) -> usize {
    if cfg!(loom) {
        return 1;
    }
    let word = (seed ^ (seed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let quarters = (word ^ (word >> 31)).trailing_zeros() / 2;
    (1 + quarters as usize).min(HEIGHT_MAX)
}

impl Pending<'_, '_> {
    fn at(&self) -> u64 {
        self.start + 1 + self.height as u64
    }

    /// Where the record ends in the queue.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.words
    }

    /// Inserts the version where its timestamp belongs.
    pub(crate) fn link(&mut self, timestamp: u64) -> Linked {
        let (list, at) = (self.list, self.at());
        list.node(at).stamp(timestamp, self.kind);
        let mut place;
        loop {
            place = list.place(&self.probe, timestamp);
            if self.is_below_read_modify_write(place.before[0]) {
                return Linked::NeedsNewer;
            }
            if list.exchange(0, place.before[0], place.behind[0], at) {
                break;
            }
        }
        self.raise(place, timestamp);
        self.settle(State::Inserted);
        Linked::Done
    }

    /// Whether the node before is a newer read-modify-write of the same key: its reader has taken
    /// what is below it, and did not find this version.
    fn is_below_read_modify_write(&self, before: u64) -> bool {
        if before == HEAD || self.list.printed.unguarded() || mutated(Mutant::PutUnguarded) {
            return false;
        }
        let before = self.list.node(before);
        before.kind().is_read_modify_write && before.compare_key(&self.probe) == Order::Equal
    }

    /// Inserts the version as its key's newest, if the newest still is the one of time `base` in
    /// this list, or there is none in this list.
    pub(crate) fn link_newest(&mut self, timestamp: u64, base: Option<u64>) -> Linked {
        let (list, at) = (self.list, self.at());
        list.node(at).stamp(timestamp, self.kind);
        let place = list.place(&self.probe, u64::MAX);
        let behind = place.behind[0];
        let newest = (behind != NIL && list.node(behind).compare_key(&self.probe) == Order::Equal)
            .then(|| list.node(behind).timestamp());
        if newest != base && !mutated(Mutant::ConflictUnseen) {
            return Linked::Conflict;
        }
        if !list.exchange(0, place.before[0], behind, at) {
            return Linked::Conflict;
        }
        self.raise(place, timestamp);
        self.settle(State::Inserted);
        Linked::Done
    }

    /// Tells the log of a node that is linked later, under a lock that keeps all others away. Its
    /// timestamp is final.
    pub(crate) fn announce(&mut self, timestamp: u64) {
        self.list.node(self.at()).stamp(timestamp, self.kind);
        self.settle(State::Inserted);
    }

    /// Links on the upper levels. The node is found without them, only later.
    fn raise(&self, mut place: Place, timestamp: u64) {
        let (list, at) = (self.list, self.at());
        for level in 1..self.height {
            while !list.exchange(level, place.before[level], place.behind[level], at) {
                place = list.place(&self.probe, timestamp);
            }
        }
    }

    fn settle(&mut self, state: State) {
        if !self.is_settled {
            self.is_settled = true;
            let header = header(self.words, self.height, state);
            // LOGGED, from: whoever finds the header finds the whole node.
            self.list.arena.words()[self.start as usize].store(header, Ordering::Release);
        }
    }
}

impl Drop for Pending<'_, '_> {
    fn drop(&mut self) {
        self.settle(State::GivenUp);
    }
}
