//! Nodes in the order of their reservation: the queue from which the log is written. Writers leave
//! records by writing them where they belong anyhow; nobody waits for the log, and it waits for a
//! writer only where that one's record is due.

use super::Memtable;
use super::node::{FIRST, Kind, Node, State, split_header};
use crate::sync::Ordering;

/// What is next in the queue.
#[derive(Debug)]
pub(crate) enum Step<'list> {
    /// A record, and where the next one begins.
    Record(Record<'list>, u64),
    /// A writer has reserved the place and is not done.
    Making,
    /// Nothing more is reserved.
    End,
}

/// A record for the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'list>(Node<'list>);

impl Record<'_> {
    pub(crate) fn timestamp(&self) -> u64 {
        self.0.timestamp()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.0.kind()
    }

    pub(crate) fn read_key(&self, to: &mut Vec<u8>) {
        self.0.read_key(to);
    }

    pub(crate) fn read_value(&self, to: &mut Vec<u8>) {
        to.resize(self.0.value_bytes(), 0);
        self.0.copy_value(to);
    }
}

impl Memtable {
    /// Where the queue begins.
    pub(crate) fn queue_start(&self) -> u64 {
        FIRST
    }

    /// Where it ends now.
    pub(crate) fn queue_end(&self) -> u64 {
        self.arena.used()
    }

    /// What is at a place in the queue, given up reservations left out.
    pub(crate) fn walk(&self, mut from: u64) -> Step<'_> {
        while from < self.arena.used() {
            // LOGGED, to: the node is written whole.
            let header = self.arena.words()[from as usize].load(Ordering::Acquire);
            let (words, height, state) = split_header(header);
            match state {
                State::Making => return Step::Making,
                State::GivenUp => from += words,
                State::Inserted => {
                    let node = Node::new(self.arena.words(), from + 1 + height as u64);
                    return Step::Record(Record(node), from + words);
                }
            }
        }
        Step::End
    }
}
