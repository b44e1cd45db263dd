//! Batches of GET, PUT and DELETE, against a model that carries the operations out one by one.

use std::collections::HashMap;

use super::common::variants::{ROWS, disturb, everything, tiny, within};
use super::common::{Random, fill_store, made, open, verified};
use nibble::{
    Answer, Batch, Compaction, Config, IndexLayout, Operation, Put, PutError, Session, Store,
    Update,
};

/// An operation that owns its value.
#[derive(Clone, Debug)]
enum Task {
    Get(u64),
    Put(u64, Vec<u8>),
    Delete(u64),
}

/// A batch as a client might keep it.
#[derive(Debug, Default)]
struct Tasks {
    tasks: Vec<Task>,
    buffers: Vec<Vec<u8>>,
    answers: Vec<Option<Answer>>,
}

impl Tasks {
    /// Buffers of `buffer_bytes`, filled with what no value begins with.
    fn new(tasks: Vec<Task>, buffer_bytes: usize) -> Self {
        let buffers = vec![vec![0xEE; buffer_bytes]; tasks.len()];
        let answers = vec![None; tasks.len()];
        Self { tasks, buffers, answers }
    }

    /// Carries the batch out; every operation is answered once.
    fn executed(mut self, session: &Session<'_>) -> Self {
        session.execute(&mut self);
        assert!(self.answers.iter().all(Option::is_some), "{:?}", self.answers);
        self
    }

    fn answers(&self) -> Vec<Answer> {
        self.answers.iter().copied().map(Option::unwrap).collect()
    }
}

impl Batch for Tasks {
    fn len(&self) -> usize {
        self.tasks.len()
    }

    fn operation(&self, index: usize) -> Operation<'_> {
        match &self.tasks[index] {
            Task::Get(key) => Operation::Get { key: *key },
            Task::Put(key, value) => Operation::Put { key: *key, value },
            Task::Delete(key) => Operation::Delete { key: *key },
        }
    }

    fn buffer(&mut self, index: usize) -> &mut [u8] {
        &mut self.buffers[index]
    }

    fn answer(&mut self, index: usize, answer: Answer) {
        let before = self.answers[index].replace(answer);
        assert_eq!(before, None, "operation {index} is answered once");
    }
}

/// What the operations come to one by one, in the order of the batch.
#[derive(Debug, Default)]
struct Model(HashMap<u64, Vec<u8>>);

impl Model {
    /// Checks every answer of a batch that the store has carried out.
    fn expect(&mut self, batch: &Tasks) {
        for (index, (task, answer)) in batch.tasks.iter().zip(batch.answers()).enumerate() {
            let expected = match task {
                Task::Get(key) => self.found(*key, &batch.buffers[index]),
                Task::Delete(key) => Answer::Deleted(self.0.remove(key).is_some()),
                // The old value stays.
                Task::Put(..) if answer == Answer::Refused(PutError::Full) => answer,
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
                assert!(buffer.iter().all(|&byte| byte == 0xEE), "the buffer is unchanged");
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

const BUFFER_BYTES: usize = 300;

/// Up to `most` operations on few keys, so that most keys come more than once; some values are
/// longer than the buffers.
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
    Tasks::new((0..count).map(|_| task(random)).collect(), BUFFER_BYTES)
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
        let batch = Tasks::new(tasks.collect(), BUFFER_BYTES).executed(&session);
        Model::default().expect(&batch);
        assert_eq!(session.get(7, &mut [0; BUFFER_BYTES]), Ok(None), "deleted last");
    });
}

#[test]
fn no_operation_is_a_batch_too() {
    every_kind(|store| {
        let session = store.session().unwrap();
        let mut empty = Tasks::default();
        assert!(empty.is_empty());
        session.execute(&mut empty);
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
    assert_eq!(batch.answers(), expected);
    for read in [0, 3] {
        assert_eq!(verified(3, &batch.buffers[read]), 0);
    }
    // Room that a batch makes is room for its later operations.
    let freed = filled / 2;
    let deletes = (0..freed).map(Task::Delete);
    let puts = (0..freed / 2).map(|key| Task::Put((1 << 40) + key, made(key, 1, 500)));
    let batch = Tasks::new(deletes.chain(puts).collect(), 0).executed(&session);
    let stored =
        batch.answers().iter().filter(|&&one| one == Answer::Stored(Put::Inserted)).count();
    assert_eq!(stored as u64, freed / 2);
    drop(session);
    assert_eq!(store.check().unwrap().live_objects, filled - freed + freed / 2);
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
