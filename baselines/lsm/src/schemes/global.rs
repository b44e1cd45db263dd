//! What LevelDB's scheme keeps beside the components: a mutex, a queue of writers, and the newest
//! timestamp that reads see. The writer at the front of the queue writes for those behind it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::sync::lock;

/// The most bytes that a writer writes for itself and others, and what it adds to a small write of
/// its own, so that those are not slowed down by large ones.
const GROUP_BYTES_MAX: usize = 1 << 20;
const GROUP_BYTES_SMALL: usize = 128 << 10;

/// The state behind the mutex.
#[derive(Debug)]
pub(crate) struct Global {
    queue: Mutex<Queue>,
}

#[derive(Debug)]
pub(crate) struct Queue {
    waiting: VecDeque<Arc<Waiter>>,
    /// The newest timestamp whose version is in the memtable.
    pub(crate) last: u64,
}

/// A session's place in the queue.
#[derive(Debug, Default)]
pub(crate) struct Waiter {
    /// What it writes. The writer at the front reads it.
    pub(crate) batch: Mutex<Batch>,
    /// What became of it. Behind the queue's mutex in effect: it is locked inside it only.
    outcome: Mutex<Option<Result<(), Error>>>,
    woken: Condvar,
}

/// Writes as bytes, to be used again without a new allocation.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// For each write: where its key begins and ends, and where its value ends, if it has one.
    writes: Vec<(usize, usize, Option<usize>)>,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.writes.clear();
    }

    pub(crate) fn add(&mut self, key: &[u8], value: Option<&[u8]>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.writes.push((start, key_end, value.map(|_| self.bytes.len())));
    }

    /// Keys and values, in order.
    pub(crate) fn writes(&self) -> impl ExactSizeIterator<Item = (&[u8], Option<&[u8]>)> {
        self.writes.iter().map(|&(start, key_end, value_end)| {
            let value = value_end.map(|end| &self.bytes[key_end..end]);
            (&self.bytes[start..key_end], value)
        })
    }
}

/// What a writer has to do after its turn has come.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Write these, its own first, with timestamps after the given one.
    Lead(Vec<Arc<Waiter>>, u64),
    /// Nothing: another has written it.
    Done(Result<(), Error>),
}

impl Global {
    pub(crate) fn new(last: u64) -> Self {
        Self { queue: Mutex::new(Queue { waiting: VecDeque::new(), last }) }
    }

    /// The mutex that reads take at both ends.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    pub(crate) fn last(&self) -> u64 {
        self.lock().last
    }

    pub(crate) fn exclude<R>(&self, work: impl FnOnce() -> R) -> R {
        let _queue = self.lock();
        work()
    }

    /// Stands in the queue until the front is reached, or somebody has written for us.
    pub(crate) fn wait(&self, waiter: &Arc<Waiter>) -> Turn {
        let mut queue = self.lock();
        queue.waiting.push_back(Arc::clone(waiter));
        loop {
            if let Some(outcome) = lock(&waiter.outcome).take() {
                return Turn::Done(outcome);
            }
            if queue.waiting.front().is_some_and(|front| Arc::ptr_eq(front, waiter)) {
                let group = group(&queue.waiting);
                return Turn::Lead(group, queue.last);
            }
            queue = waiter.woken.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tells a group what became of it, and lets the next one lead. `last` is the newest timestamp
    /// that is used.
    pub(crate) fn finish(&self, group: &[Arc<Waiter>], last: u64, outcome: &Result<(), Error>) {
        let mut queue = self.lock();
        queue.last = last;
        for (index, waiter) in group.iter().enumerate() {
            let front = queue.waiting.pop_front().expect("a group is at the front of the queue");
            debug_assert!(Arc::ptr_eq(&front, waiter), "nobody goes before a group");
            if index > 0 {
                *lock(&waiter.outcome) = Some(outcome.clone());
                waiter.woken.notify_one();
            }
        }
        if let Some(next) = queue.waiting.front() {
            next.woken.notify_one();
        }
    }
}

/// Those at the front whose writes go together.
fn group(waiting: &VecDeque<Arc<Waiter>>) -> Vec<Arc<Waiter>> {
    let mut group = Vec::with_capacity(waiting.len());
    let (mut bytes, mut most) = (0, GROUP_BYTES_MAX);
    for waiter in waiting {
        bytes += lock(&waiter.batch).bytes.len();
        if group.is_empty() && bytes <= GROUP_BYTES_SMALL {
            most = bytes + GROUP_BYTES_SMALL;
        } else if bytes > most && !group.is_empty() {
            break;
        }
        group.push(Arc::clone(waiter));
    }
    group
}
