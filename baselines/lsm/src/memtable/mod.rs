//! The memory component: a lock-free skip list of versions, ordered by key and, within a key, from
//! the newest to the oldest.
//!
//! Nothing is ever removed, so readers need no protection but the component's own reference. Nodes
//! lie in an arena of words, one after the other in the order of their reservation; that order is
//! the log's queue ([`walk`](Memtable::walk)).
//!
//! The paper orders versions upwards. Here the newest version of a key follows the last node of a
//! smaller key, so a read-modify-write (paper, algorithm 3) needs one place: if what follows the
//! last smaller key is no newer version than the one that was read, exchanging that link fails
//! whenever anything has come between.
//!
//! | file | contents |
//! |---|---|
//! | `arena` | words and reservations |
//! | `node` | how a node lies in its words |
//! | `insert` | linking: puts, read-modify-writes |
//! | `walk` | nodes in the order of their reservation, for the log |

mod arena;
mod insert;
mod node;
mod walk;

use std::cmp::Ordering as Order;
use std::io;

pub(crate) use insert::Linked;
pub(crate) use node::{KEY_BYTES_MAX, Kind, words_for};
pub(crate) use walk::Step;

use crate::printed::Printed;
use crate::sync::Ordering;
use arena::Arena;
use node::{HEAD, HEIGHT_MAX, Node, Probe};

/// A node that is no node: the end of a list.
const NIL: u64 = 0;

/// A skip list of versions.
#[derive(Debug)]
pub(crate) struct Memtable {
    arena: Arena,
    printed: Printed,
}

impl Memtable {
    /// An empty list with about this many bytes for nodes, and at least the words of one record.
    ///
    /// # Errors
    /// The system's, if it has no address space.
    pub(crate) fn new(bytes: usize, least_words: u64, printed: Printed) -> io::Result<Self> {
        let words = (bytes as u64 / 8).max(least_words) + node::FIRST;
        Ok(Self { arena: Arena::new(words, node::FIRST)?, printed })
    }

    /// Bytes reserved by nodes.
    pub(crate) fn used_bytes(&self) -> u64 {
        (self.arena.used() - node::FIRST) * 8
    }

    /// Whether it holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.arena.used() == node::FIRST
    }

    /// Whether `words` more fit.
    pub(crate) fn has_room(&self, words: u64) -> bool {
        self.arena.used() + words <= self.arena.capacity()
    }

    /// The newest version of `key` no newer than `timestamp`.
    pub(crate) fn get(&self, key: &[u8], timestamp: u64) -> Option<Version<'_>> {
        let found = self.seek(&Probe::of(key), timestamp);
        (found != NIL && self.node(found).compare_key(&Probe::of(key)) == Order::Equal)
            .then_some(Version { list: self, at: found })
    }

    /// A cursor before the first version.
    pub(crate) fn first(&self) -> Option<Version<'_>> {
        let first = self.link(HEAD, 0);
        (first != NIL).then_some(Version { list: self, at: first })
    }

    /// The first version at or after `(key, timestamp)`.
    pub(crate) fn from(&self, key: &[u8], timestamp: u64) -> Option<Version<'_>> {
        let found = self.seek(&Probe::of(key), timestamp);
        (found != NIL).then_some(Version { list: self, at: found })
    }

    /// The first node at or after `(key, timestamp)`: O(log n) expected.
    fn seek(&self, probe: &Probe<'_>, timestamp: u64) -> u64 {
        let (mut before, mut after) = (HEAD, NIL);
        for level in (0..HEIGHT_MAX).rev() {
            let mut next = self.link(before, level);
            // What the level above has found to be behind need not be compared again.
            while next != NIL && next != after && self.node(next).is_before(probe, timestamp) {
                before = next;
                next = self.link(before, level);
            }
            after = next;
        }
        after
    }

    #[inline]
    fn node(&self, at: u64) -> Node<'_> {
        Node::new(self.arena.words(), at)
    }

    #[inline]
    fn link(&self, at: u64, level: usize) -> u64 {
        // LINK, to: the words of the node that the link leads to are written.
        self.arena.words()[node::link_of(at, level)].load(Ordering::Acquire)
    }
}

/// A version in the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version<'list> {
    list: &'list Memtable,
    at: u64,
}

impl<'list> Version<'list> {
    pub(crate) fn timestamp(&self) -> u64 {
        self.list.node(self.at).timestamp()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.list.node(self.at).kind()
    }

    pub(crate) fn value_bytes(&self) -> usize {
        self.list.node(self.at).value_bytes()
    }

    /// Copies the value into `to`, which has its length.
    pub(crate) fn copy_value(&self, to: &mut [u8]) {
        self.list.node(self.at).copy_value(to);
    }

    /// Replaces `to` by the key.
    pub(crate) fn read_key(&self, to: &mut Vec<u8>) {
        self.list.node(self.at).read_key(to);
    }

    /// Replaces `to` by the value.
    pub(crate) fn read_value(&self, to: &mut Vec<u8>) {
        to.resize(self.value_bytes(), 0);
        self.copy_value(to);
    }

    /// Where the version is, to come back to it.
    pub(crate) fn place(&self) -> u64 {
        self.at
    }

    /// The next version in order.
    pub(crate) fn next(&self) -> Option<Version<'list>> {
        let next = self.list.link(self.at, 0);
        (next != NIL).then_some(Version { list: self.list, at: next })
    }
}

impl Memtable {
    /// The version at a [`place`](Version::place).
    pub(crate) fn at(&self, place: u64) -> Version<'_> {
        Version { list: self, at: place }
    }
}
