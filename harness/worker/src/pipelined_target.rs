//! Objects in a store behind a socket. Requests go out many at a time: one at a time, the way to the
//! server would take most of the cell, and memory is what the cell asks about.

use engine::{KvEngine, KvSession, Op, Outcome, PutOutcome, ValueBuffers};

use super::store_target::StoreTarget;
use super::target::{Refused, Target};
use record::Verification;

/// Requests that go out together, at most.
pub(super) const PIPELINE: usize = 64;
/// Value bytes after which they go out all the same.
const PIPELINE_BYTES: usize = 64 << 10;

/// Room for the values of one pipeline, whose objects have `value_bytes_max` bytes at most.
pub(super) const fn room_bytes(value_bytes_max: usize) -> usize {
    PIPELINE_BYTES + value_bytes_max
}

/// A request that waits.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    /// Its value has so many bytes, and follows those of the requests before it.
    Put {
        key: u64,
        bytes: usize,
    },
    Delete {
        key: u64,
    },
}

/// One thread's access to the store.
pub(super) struct PipelinedTarget<'engine, E: KvEngine + 'engine> {
    single: StoreTarget<'engine, E>,
    waiting: Vec<Waiting>,
    /// Values of the waiting PUTs, one after the other.
    values: Vec<u8>,
    /// Why a request that was already counted failed.
    broken: Option<String>,
}

impl<'engine, E: KvEngine> PipelinedTarget<'engine, E> {
    pub(super) fn new(mut single: StoreTarget<'engine, E>) -> Self {
        let mut values = std::mem::take(&mut single.values.room);
        values.clear();
        Self { single, waiting: Vec::with_capacity(PIPELINE), values, broken: None }
    }

    fn wait(&mut self, request: Waiting) {
        self.waiting.push(request);
        if self.waiting.len() == PIPELINE || self.values.len() >= PIPELINE_BYTES {
            self.send();
        }
    }

    /// Sends what waits and counts what the answers say.
    fn send(&mut self) {
        let mut rest = &self.values[..];
        let operations: Vec<Op<'_>> = self
            .waiting
            .iter()
            .map(|waiting| match *waiting {
                Waiting::Put { key, bytes } => {
                    let (value, after) = rest.split_at(bytes);
                    rest = after;
                    Op::Put { key, value }
                }
                Waiting::Delete { key } => Op::Delete { key },
            })
            .collect();
        let mut outcomes = [Outcome::Absent; PIPELINE];
        let outcomes = &mut outcomes[..operations.len()];
        self.single.session.execute(&operations, &mut ValueBuffers::new(&mut [], 0), outcomes);
        for outcome in outcomes {
            match *outcome {
                // A fresh key reported as an update means that another key's object is gone.
                Outcome::Put(PutOutcome::Updated) => self.single.verification.wrong += 1,
                Outcome::Put(PutOutcome::Inserted) | Outcome::Deleted(true) => {}
                Outcome::Deleted(false) => self.single.verification.lost += 1,
                other => self.broken = Some(format!("a request of a pipeline ended as {other:?}")),
            }
        }
        self.waiting.clear();
        self.values.clear();
    }
}

impl<E: KvEngine> Target for PipelinedTarget<'_, E> {
    fn create(&mut self, bytes: usize) -> Result<u64, Refused> {
        if let Some(reason) = self.broken.take() {
            return Err(Refused::Broken(reason));
        }
        let key = self.single.take_key();
        self.values.extend_from_slice(self.single.values.writer.value(key, bytes));
        self.wait(Waiting::Put { key, bytes });
        Ok(key)
    }

    fn destroy(&mut self, handle: u64, bytes: usize) {
        if self.single.is_check_due() {
            self.verify(handle, bytes);
        }
        self.wait(Waiting::Delete { key: handle });
    }

    fn verify(&mut self, handle: u64, bytes: usize) {
        self.send();
        self.single.verify(handle, bytes);
    }

    fn verification(&self) -> Verification {
        self.single.verification()
    }

    fn finish(&mut self) -> Result<(), Refused> {
        self.send();
        self.broken.take().map_or(Ok(()), |reason| Err(Refused::Broken(reason)))
    }

    fn trim(&mut self) {
        self.single.trim();
    }
}
