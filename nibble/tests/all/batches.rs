//! Batches of GET, PUT and DELETE, against a model that carries the operations out one by one.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::common::variants::{ROWS, disturb, everything, tiny, within};
use super::common::{Random, fill_store, made, open, verified};
use nibble::{
    Answer, Buffers, Compaction, Config, IndexLayout, Operation, Put, PutError, Session, Store,
    Update,
};

/// An operation that owns its value.
#[derive(Clone, Debug)]
enum Task {
    Get(u64),
    Put(u64, Vec<u8>),
    Delete(u64),
}

impl Task {
    fn operation(&self) -> Operation<'_> {
        match self {
            Self::Get(key) => Operation::Get { key: *key },
            Self::Put(key, value) => Operation::Put { key: *key, value },
            Self::Delete(key) => Operation::Delete { key: *key },
        }
    }
}

/// A batch as a client might keep it.
#[derive(Debug, Default)]
struct Tasks {
    tasks: Vec<Task>,
    slot_bytes: usize,
    bytes: Vec<u8>,
    answers: Vec<Answer>,
}

impl Tasks {
    /// Slots of `slot_bytes`, filled with what no value begins with.
    fn new(tasks: Vec<Task>, slot_bytes: usize) -> Self {
        let bytes = vec![0xEE; slot_bytes * tasks.len()];
        Self { tasks, slot_bytes, bytes, answers: Vec::new() }
    }

    /// Carries the batch out; every operation is answered once, in order.
    fn executed(mut self, session: &Session<'_>) -> Self {
        let operations = self.tasks.iter().map(Task::operation);
        let mut buffers = Buffers::new(&mut self.bytes, self.slot_bytes);
        session.execute(operations, &mut buffers, |index, answer| {
            assert_eq!(index, self.answers.len(), "answers come in order");
            self.answers.push(answer);
        });
        assert_eq!(self.answers.len(), self.tasks.len());
        self
    }

    fn slot(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.slot_bytes..][..self.slot_bytes]
    }
}

/// What the operations come to one by one, in the order of the batch.
#[derive(Debug, Default)]
struct Model(HashMap<u64, Vec<u8>>);

impl Model {
    /// Checks every answer of a batch that the store has carried out.
    fn expect(&mut self, batch: &Tasks) {
        for (index, (task, &answer)) in batch.tasks.iter().zip(&batch.answers).enumerate() {
            let expected = match task {
                Task::Get(key) => self.found(*key, batch.slot(index)),
                Task::Delete(key) => Answer::Deleted(self.0.remove(key).is_some()),
                // The old value stays.
                Task::Put(..) if is_without_room(answer) => answer,
                Task::Put(key, value) => match self.0.insert(*key, value.clone()) {
                    Some(_) => Answer::Stored(Put::Updated),
                    None => Answer::Stored(Put::Inserted),
                },
            };
            assert_eq!(answer, expected, "operation {index}: {task:?}");
        }
    }

    fn found(&self, key: u64, buffer: &[u8]) -> Answer {
        match self.0.get(&key) {
            None => Answer::Absent,
            Some(value) if value.len() > buffer.len() => {
                Answer::TooShort { value_bytes: value.len() }
            }
            Some(value) => {
                assert!(&buffer[..value.len()] == value, "key {key}: another value");
                assert!(buffer[value.len()..].iter().all(|&byte| byte == 0xEE));
                Answer::Found(value.len())
            }
        }
    }
}

/// Whether a PUT was refused for want of room.
fn is_without_room(answer: Answer) -> bool {
    matches!(answer, Answer::Refused(PutError::Full | PutError::Stalled { .. }))
}

const SLOT_BYTES: usize = 300;

/// Up to `most` operations on few keys, so that most keys come more than once; some values are
/// longer than their slots.
fn random_tasks(random: &mut Random, version: u64, most: u64) -> Tasks {
    let task = |random: &mut Random| {
        let key = random.below(300).wrapping_mul(0x0101_0101_0101_0101);
        match random.below(8) {
            0..3 => Task::Get(key),
            3 => Task::Delete(key),
            _ => Task::Put(key, made(key, version, random.below(340) as usize)),
        }
    };
    let count = random.below(most + 1);
    Tasks::new((0..count).map(|_| task(random)).collect(), SLOT_BYTES)
}

fn as_the_model(config: Config, seed: u64) {
    let (name, in_place) = (format!("{config:?}"), config.update == Update::InPlace);
    let store = open(config);
    let (session, mut model, mut random) =
        (store.session().unwrap(), Model::default(), Random(seed));
    for version in 0..400 {
        // Groups are of 64: less, a little more, several.
        let most = [8, 70, 400][version as usize % 3];
        let batch = random_tasks(&mut random, version, most).executed(&session);
        model.expect(&batch);
    }
    drop(session);
    let report = store.check().unwrap();
    assert_eq!(report.live_objects, model.0.len() as u64, "{name}");
    assert!(in_place || store.statistics().segments_compacted > 0, "{name}");
}

#[test]
fn batches_do_what_their_operations_do() {
    for row in 0..ROWS {
        // A tenth of it is live; inline compaction is paid for between groups.
        as_the_model(everything(&tiny_of_any_kind(1 << 20), row), row as u64);
    }
}

/// What [`everything`] leaves open.
fn tiny_of_any_kind(object_memory_bytes: u64) -> Config {
    tiny(object_memory_bytes, Update::Append, Compaction::Inline, IndexLayout::Tagged)
}

fn every_kind(mut test: impl FnMut(Store)) {
    for &index in IndexLayout::ALL {
        for &update in Update::ALL {
            for &compaction in Compaction::ALL {
                test(open(tiny(1 << 20, update, compaction, index)));
            }
        }
    }
}

#[test]
fn operations_on_one_key_keep_their_order() {
    every_kind(|store| {
        let session = store.session().unwrap();
        let value = |version| made(7, version, 20 + version as usize);
        // Longer than a group, so that some neighbours are in different ones.
        let tasks = (0..200).flat_map(|version| {
            let deleted = (version % 5 == 4).then_some(Task::Delete(7));
            [Task::Put(7, value(version)), Task::Get(7)].into_iter().chain(deleted)
        });
        let batch = Tasks::new(tasks.collect(), SLOT_BYTES).executed(&session);
        Model::default().expect(&batch);
        assert_eq!(session.get(7, &mut [0; SLOT_BYTES]), Ok(None), "deleted last");
    });
}

#[test]
fn no_operation_is_a_batch_too() {
    every_kind(|store| {
        let session = store.session().unwrap();
        session.execute([], &mut Buffers::none(), |_, answer| panic!("{answer:?}"));
        assert_eq!(session.put(1, &[1; 10]), Ok(Put::Inserted), "the session goes on");
        store.check().unwrap();
    });
}

/// PUTs that find no room are refused one by one; those before and after them are carried out,
/// and a value beyond any segment is refused as such.
#[test]
fn a_full_store_refuses_single_operations_of_a_batch() {
    every_kind(|store| within(20, "a full batch", || refuses_single_operations(&store)));
}

fn refuses_single_operations(store: &Store) {
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| 500);
    let limit_bytes = store.value_limit();
    let tasks = vec![
        Task::Get(3),
        Task::Put(filled + 1, vec![1; 40_000]),
        Task::Put(3, vec![1; limit_bytes + 1]),
        Task::Get(3),
        Task::Delete(4),
        Task::Get(4),
        Task::Get(filled + 1),
    ];
    let batch = Tasks::new(tasks, 500).executed(&session);
    let too_large = PutError::ValueTooLarge { value_bytes: limit_bytes + 1, limit_bytes };
    let expected = [
        Answer::Found(500),
        Answer::Refused(PutError::Full),
        Answer::Refused(too_large),
        Answer::Found(500),
        Answer::Deleted(true),
        Answer::Absent,
        Answer::Absent,
    ];
    assert_eq!(batch.answers, expected);
    for read in [0, 3] {
        assert_eq!(verified(3, batch.slot(read)), 0);
    }
    // Room that a batch makes is room for its later operations.
    let freed = filled / 2;
    let deletes = (0..freed).map(Task::Delete);
    let puts = (0..freed / 2).map(|key| Task::Put((1 << 40) + key, made(key, 1, 500)));
    let batch = Tasks::new(deletes.chain(puts).collect(), 0).executed(&session);
    let stored = batch.answers.iter().filter(|&&one| one == Answer::Stored(Put::Inserted)).count();
    assert_eq!(stored as u64, freed / 2);
    drop(session);
    assert_eq!(store.check().unwrap().live_objects, filled - freed + freed / 2);
}

/// Without slots, a GET tells how long a value is, and an empty value is found.
#[test]
fn a_get_without_a_slot_tells_the_length() {
    every_kind(|store| {
        let session = store.session().unwrap();
        session.put(1, &[1; 10]).unwrap();
        session.put(2, &[]).unwrap();
        let mut answers = Vec::new();
        let gets = [1, 2, 3].map(|key| Operation::Get { key });
        session.execute(gets, &mut Buffers::none(), |_, answer| answers.push(answer));
        let expected = [Answer::TooShort { value_bytes: 10 }, Answer::Found(0), Answer::Absent];
        assert_eq!(answers, expected);
    });
}

/// What asks and what is told may use the session of the batch, batches included. Nothing they do
/// ends the epoch of a group, so the values that the group copies are whole.
#[test]
fn the_session_can_be_used_while_drawing_and_answering() {
    const KEYS: u64 = 150;
    every_kind(|store| {
        let session = store.session().unwrap();
        for round in 1..=20 {
            let mut bytes = vec![0; KEYS as usize * SLOT_BYTES];
            let mut answers = Vec::new();
            // Each GET asks for what was put when it was drawn.
            let gets = (0..KEYS).map(|key| {
                session.put(key, &made(key, round, 200)).unwrap();
                assert_eq!(session.delete(key + KEYS), Ok(round > 1));
                Operation::Get { key }
            });
            let mut buffers = Buffers::new(&mut bytes, SLOT_BYTES);
            session.execute(gets, &mut buffers, |index, answer| {
                let key = index as u64;
                assert_eq!(session.get(key, &mut [0; SLOT_BYTES]), Ok(Some(200)));
                let value = made(key + KEYS, round, 100);
                let put = Operation::Put { key: key + KEYS, value: &value };
                session.execute([put], &mut Buffers::none(), |_, inner| {
                    assert_eq!(inner, Answer::Stored(Put::Inserted));
                });
                answers.push(answer);
            });
            assert_eq!(answers, [Answer::Found(200); KEYS as usize]);
            for (key, slot) in (0..).zip(bytes.chunks(SLOT_BYTES)) {
                assert_eq!(verified(key, &slot[..200]), round);
            }
        }
        drop(session);
        assert_eq!(store.check().unwrap().live_objects, 2 * KEYS);
    });
}

/// The groups before the panic have taken effect, and the session, the store and compaction go on.
#[test]
fn a_panic_while_drawing_or_answering_leaves_the_store_usable() {
    every_kind(|store| within(20, "after a panic", || panics_while_drawing_and_answering(&store)));
}

fn panics_while_drawing_and_answering(store: &Store) {
    const KEYS: u64 = 200;
    // In the second group.
    const FAILS: u64 = 100;
    let session = store.session().unwrap();
    let value = &made(1, 1, 100)[..];
    let puts = |first: u64, fails: u64| {
        (first..first + KEYS).map(move |key| {
            if key == fails {
                std::panic::resume_unwind(Box::new("while drawing"));
            }
            Operation::Put { key, value }
        })
    };
    let drawing = catch_unwind(AssertUnwindSafe(|| {
        session.execute(puts(0, FAILS), &mut Buffers::none(), |_, _| {});
    }));
    assert!(drawing.is_err());
    let stored = |first: u64| {
        let found = |key: &u64| session.get(*key, &mut [0; 100]) == Ok(Some(100));
        (first..first + KEYS).filter(found).count()
    };
    assert_eq!(stored(0), 64, "the second group was not drawn to its end");
    let answering = catch_unwind(AssertUnwindSafe(|| {
        session.execute(puts(KEYS, u64::MAX), &mut Buffers::none(), |index, _| {
            if index as u64 == FAILS {
                std::panic::resume_unwind(Box::new("while answering"));
            }
        });
    }));
    assert!(answering.is_err());
    assert_eq!(stored(KEYS), 128, "the second group was executed");

    // Compaction waits for nobody.
    let filled = fill_store(&session, 0, |_| 500);
    assert!((0..filled).all(|key| session.delete(key) == Ok(true)));
    let again = fill_store(&session, 0, |_| 500);
    assert!(again * 10 >= filled * 9, "{again} of {filled} values fit after a panic");
    drop(session);
    store.check().unwrap();
}

/// Batches of several threads at once, on keys of their own, while everything is compacted.
#[test]
fn batches_of_many_threads() {
    const THREADS: u64 = 4;
    disturb();
    for row in (0..ROWS).step_by(4) {
        let store = open(everything(&tiny_of_any_kind(2 << 20), row));
        let client = |number: u64| {
            let session = store.session().unwrap();
            let (mut model, mut random) = (Model::default(), Random(number));
            for version in 0..60 {
                let mut batch = random_tasks(&mut random, version, 150);
                for task in &mut batch.tasks {
                    let (Task::Get(key) | Task::Put(key, _) | Task::Delete(key)) = task;
                    *key = key.wrapping_mul(THREADS).wrapping_add(number);
                }
                model.expect(&batch.executed(&session));
            }
            model.0.len() as u64
        };
        let live: u64 = within(20, "batches", || {
            std::thread::scope(|scope| {
                let client = &client;
                let threads: Vec<_> =
                    (0..THREADS).map(|number| scope.spawn(move || client(number))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            })
        });
        assert_eq!(store.check().unwrap().live_objects, live);
    }
}
