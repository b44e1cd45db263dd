//! Objects in a store behind a socket. Requests go out many at a time: one at a time, the way to the
//! server would take most of the cell, and memory is what the cell asks about.

use engine::{DeleteOutcome, KvEngine, KvSession, Op, Outcome, PutOutcome, ValueBuffers};

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
                Outcome::Put(PutOutcome::Inserted | PutOutcome::Stored)
                | Outcome::Deleted(DeleteOutcome::Removed | DeleteOutcome::Done) => {}
                Outcome::Deleted(DeleteOutcome::Absent) => self.single.verification.lost += 1,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::Setup;

    use super::*;
    use crate::registry::{StoreVisitor, with_store};
    use crate::target::Values;

    const BYTES: usize = 100;
    const OBJECTS: usize = 1000;

    /// Creates objects, checks all and destroys all but the last; returns the checks, and how many objects
    /// the store has before and after `finish`.
    struct Visit;

    impl StoreVisitor for Visit {
        type Output = (Verification, u64, u64);

        fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
            let values = Values::new(0, BYTES).with_room(room_bytes(BYTES));
            let mut target = PipelinedTarget::new(StoreTarget::new(engine, 0, values).unwrap());
            let handles: Vec<u64> = (0..OBJECTS).map(|_| target.create(BYTES).unwrap()).collect();
            // All but what still waits.
            let before = engine.memory().live_objects;
            handles.iter().for_each(|&handle| target.verify(handle, BYTES));
            handles[1..].iter().for_each(|&handle| target.destroy(handle, BYTES));
            target.finish().unwrap();
            (target.verification(), before, engine.memory().live_objects)
        }
    }

    fn visited(store: &str, fault: Option<&str>) -> (Verification, u64, u64) {
        let options: BTreeMap<String, String> = fault
            .into_iter()
            .flat_map(|fault| [("fault", fault), ("after-puts", "0")])
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let setup = Setup {
            object_memory_bytes: Some(16 << 20),
            live_bytes: (OBJECTS * BYTES) as u64,
            records_max: OBJECTS as u64,
            value_bytes_max: BYTES,
            sessions: 2,
            cache_bytes: None,
            resident: false,
            tells_updates: true,
            options,
            folder: None,
            heap: None,
        };
        with_store(store, &setup, Visit).unwrap()
    }

    #[test]
    fn what_waits_is_sent_before_it_is_checked_and_at_the_end() {
        for store in ["nibble", "mica"] {
            let (verification, before, after) = visited(store, None);
            assert_eq!((verification.wrong, verification.lost), (0, 0), "{store}");
            assert!(verification.checked >= OBJECTS as u64, "{store}: {verification:?}");
            assert_eq!(before, (OBJECTS / PIPELINE * PIPELINE) as u64, "{store}");
            assert_eq!(after, 1, "{store}");
        }
    }

    #[test]
    fn what_a_store_loses_or_gets_wrong_in_a_pipeline_is_counted() {
        let lost = visited("faulty", Some("lose")).0;
        assert!(lost.lost >= OBJECTS as u64 / 100, "{lost:?}");
        let wrong = visited("faulty", Some("lie")).0;
        assert!(wrong.wrong > 0 && wrong.lost == 0, "{wrong:?}");
    }
}
