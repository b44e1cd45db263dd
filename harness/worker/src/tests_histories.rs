//! Every store in the process is linearizable: four threads work on keys that all of them want, and what
//! each operation answered, between which ticks, must be what a register answers.
//!
//! What a store promises decides what its answers tell. A blind one does not say whether a key was there. One
//! that evicts may have dropped it, so *nothing* tells nothing; but what it has deleted or replaced must not
//! come back. In partitioned ones a key is written by its owner alone, or touched by its owner alone.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use engine::{DeleteOutcome, FullMeaning, KvEngine, KvSession, PutOutcome, Setup, Sharing, Writes};
use history::{Kind, Operation, Recorder, Registers, Ticks};
use kit::testing::{Plant, Planted, Random, VALUE_BYTES_MAX, fill, mix, read_version};

use crate::registry::StoreVisitor;
use crate::tests_stores::{in_process, traits_of, visit};

/// Doubled for stores that do not open with so little.
const OBJECT_MEMORY_BYTES: u64 = 8 << 20;
const OBJECT_MEMORY_BYTES_MAX: u64 = 64 << 20;
const THREADS: usize = 4;
/// Keys that all threads fight for.
const HOT_KEYS: u64 = 16;
/// Keys that make room scarce.
const FILLER_KEYS: u64 = 10_000;
/// Of each thread in a round: enough PUTs for planted faults to come up where a quarter of the keys is its own.
const OPERATIONS: u64 = 12_000;
/// Rounds go on until operations on one key have overlapped so often, and what was written would have filled
/// the memory twice.
const OVERLAPPING: u64 = 10;
const ROUNDS_MAX: usize = 1_000;
const VALUE_BYTES_MIN: u64 = 16;
const VALUE_BYTES_USUAL: u64 = 500;

/// Records what threads do on the store it visits, or on one around it with a fault.
#[derive(Clone, Copy)]
struct Histories {
    plant: Option<Plant>,
    memory_bytes: u64,
}

/// What was done and found right.
#[derive(Debug, Default)]
struct Checked {
    rounds: usize,
    operations: u64,
    overlapping: u64,
    refused: u64,
}

impl StoreVisitor for Histories {
    type Output = Result<Checked, String>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        match self.plant {
            None => self.check(engine),
            Some(plant) => self.check(&Planted { inner: engine, plant }),
        }
    }
}

impl Histories {
    fn check<E: KvEngine>(self, engine: &E) -> Result<Checked, String> {
        let (ticks, mut registers) = (Ticks::default(), Registers::default());
        let (mut checked, mut written) = (Checked::default(), 0);
        let never_overlap = E::TRAITS.sharing == Sharing::Partitioned;
        while written < 2 * self.memory_bytes
            || (checked.overlapping < OVERLAPPING && !never_overlap)
        {
            if checked.rounds == ROUNDS_MAX {
                return Err(format!("too little happened at the same time: {checked:?}"));
            }
            let (operations, bytes) = round(engine, &ticks, checked.rounds as u64)?;
            let refused = operations.iter().filter(|one| one.kind == Kind::Refused);
            checked.refused += refused.count() as u64;
            let summary =
                registers.check(operations.into_iter()).map_err(|wrong| wrong.to_string())?;
            checked.rounds += 1;
            checked.operations += summary.operations;
            checked.overlapping += summary.overlapping;
            written += bytes;
        }
        engine.settle();
        engine.check().map_err(|violation| format!("check(): {violation}"))?;
        let (census, (sure, possible)) = (engine.memory(), registers.present());
        let counts = census.complete && E::TRAITS.full != FullMeaning::Evict;
        if counts && !(sure..=possible).contains(&census.live_objects) {
            let live = census.live_objects;
            return Err(format!("{live} live objects by the census, not {sure} to {possible}"));
        }
        Ok(checked)
    }
}

/// What all threads did in a round, and how many bytes they wrote.
fn round<E: KvEngine>(
    engine: &E,
    ticks: &Ticks,
    number: u64,
) -> Result<(Vec<Operation>, u64), String> {
    let all = Mutex::new((Vec::new(), 0));
    let work = |worker: usize| {
        let session = engine.worker_session(worker, THREADS).map_err(|error| error.to_string())?;
        let mut client = Client::new(engine, session, ticks, worker, number);
        (0..OPERATIONS).try_for_each(|_| client.turn())?;
        let mut all = all.lock().expect("no thread panicked");
        all.0.append(&mut client.recorder.operations);
        all.1 += client.written;
        Ok(())
    };
    let ended: Vec<Result<(), String>> = thread::scope(|scope| {
        let work = &work;
        let spawned: Vec<_> =
            (0..THREADS).map(|worker| scope.spawn(move || work(worker))).collect();
        spawned.into_iter().map(|thread| thread.join().expect("it answers with errors")).collect()
    });
    ended.into_iter().collect::<Result<(), String>>()?;
    Ok(all.into_inner().expect("no thread panicked"))
}

struct Client<'a, E: KvEngine + 'a> {
    engine: &'a E,
    session: E::Session<'a>,
    recorder: Recorder<'a>,
    worker: usize,
    random: Random,
    /// The key of the last operation.
    key: u64,
    /// No two PUTs write the same.
    value: u64,
    written: u64,
    buffer: Vec<u8>,
}

impl<'a, E: KvEngine> Client<'a, E> {
    fn new(
        engine: &'a E,
        session: E::Session<'a>,
        ticks: &'a Ticks,
        worker: usize,
        round: u64,
    ) -> Self {
        let recorder = Recorder::new(ticks, worker as u8);
        let (random, value) =
            (Random(mix(round) ^ worker as u64), (round << 8 | worker as u64) << 32);
        let buffer = vec![0; VALUE_BYTES_MAX];
        let mut client =
            Self { engine, session, recorder, worker, random, key: 0, value, written: 0, buffer };
        client.key = client.draw();
        client
    }

    fn owns(&self, key: u64) -> bool {
        self.engine.route(key, THREADS).is_none_or(|owner| owner == self.worker)
    }

    /// A key that it may access.
    fn draw(&mut self) -> u64 {
        loop {
            let key = match self.random.below(3) {
                0 => mix(HOT_KEYS + self.random.below(FILLER_KEYS)),
                _ => mix(self.random.below(HOT_KEYS)),
            };
            if E::TRAITS.sharing != Sharing::Partitioned || self.owns(key) {
                return key;
            }
        }
    }

    fn turn(&mut self) -> Result<(), String> {
        // Half of the operations look at what the one before has left.
        if self.random.below(2) == 0 {
            self.key = self.draw();
        }
        let what = self.random.below(16);
        match what {
            7..14 if self.owns(self.key) => self.put(),
            14.. if self.owns(self.key) => {
                self.delete();
                Ok(())
            }
            _ => self.get(),
        }
    }

    fn get(&mut self) -> Result<(), String> {
        let Self { recorder, session, key, buffer, .. } = self;
        let (found, interval) = recorder.timed(|| session.get(*key, buffer));
        let found = found.map_err(|error| format!("GET of key {key}: {error}"))?;
        let value = found.map(|bytes| read_version(*key, &buffer[..bytes])).transpose()?;
        if value.is_some() || !self.evicts() {
            self.recorder.add(self.key, Kind::Get(value), interval);
        }
        Ok(())
    }

    fn put(&mut self) -> Result<(), String> {
        self.value += 1;
        let span = match self.random.below(64) {
            0 => VALUE_BYTES_MAX as u64 - VALUE_BYTES_MIN,
            _ => VALUE_BYTES_USUAL,
        };
        let bytes = (VALUE_BYTES_MIN + self.random.below(span)) as usize;
        self.written += bytes as u64;
        let tells = self.engine.writes() == Writes::Telling;
        let Self { recorder, session, key, value, buffer, .. } = self;
        fill(*key, *value, &mut buffer[..bytes]);
        let (outcome, interval) = recorder.timed(|| session.put(*key, &buffer[..bytes]));
        let value = *value;
        let kind = match outcome.map_err(|error| format!("PUT of key {key}: {error}"))? {
            PutOutcome::Full => Kind::Refused,
            PutOutcome::Updated if tells => Kind::Put { value, updated: true },
            PutOutcome::Inserted if tells && !self.evicts() => Kind::Put { value, updated: false },
            PutOutcome::Inserted | PutOutcome::Updated | PutOutcome::Stored => {
                Kind::BlindPut { value }
            }
        };
        self.recorder.add(self.key, kind, interval);
        Ok(())
    }

    fn delete(&mut self) {
        let Self { recorder, session, key, .. } = self;
        let (outcome, interval) = recorder.timed(|| session.delete(*key));
        let kind = match outcome {
            DeleteOutcome::Removed => Kind::Delete { found: true },
            DeleteOutcome::Absent if !self.evicts() => Kind::Delete { found: false },
            DeleteOutcome::Absent | DeleteOutcome::Done => Kind::BlindDelete,
        };
        self.recorder.add(self.key, kind, interval);
    }

    fn evicts(&self) -> bool {
        E::TRAITS.full == FullMeaning::Evict
    }
}

fn checked(store: &str, plant: Option<Plant>) -> Result<Checked, String> {
    let mut memory_bytes = OBJECT_MEMORY_BYTES;
    loop {
        let setup = Setup {
            object_memory_bytes: Some(memory_bytes),
            live_bytes: memory_bytes,
            records_max: HOT_KEYS + FILLER_KEYS,
            value_bytes_max: VALUE_BYTES_MAX,
            sessions: THREADS + 1,
            cache_bytes: None,
            resident: false,
            // A store that would have to look tells nothing: it looks and writes in two steps.
            tells_updates: traits_of(store).writes == Writes::Telling,
            options: BTreeMap::new(),
            folder: None,
            heap: None,
        };
        match visit(store, setup, Histories { plant, memory_bytes }) {
            Ok(answer) => return answer,
            Err(_) if memory_bytes < OBJECT_MEMORY_BYTES_MAX => memory_bytes *= 2,
            Err(refused) => return Err(refused),
        }
    }
}

#[test]
fn every_store_is_linearizable() {
    let mut wrong = Vec::new();
    for store in in_process() {
        match checked(&store, None) {
            Ok(checked) => println!("{store}: {checked:?}"),
            Err(error) => wrong.push(format!("{store}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// PUTs that are acknowledged and come too late or never; and whatever the faulty store can do to values.
#[test]
fn every_planted_fault_is_found_in_every_history() {
    let mut missed = Vec::new();
    for store in in_process() {
        for plant in [Plant::Delay, Plant::Lose] {
            match checked(&store, Some(plant)) {
                Ok(checked) => missed.push(format!("{plant:?} in {store}: {checked:?}")),
                Err(error) => {
                    println!("{store}, {plant:?}: {}", error.lines().next().unwrap_or(""))
                }
            }
        }
    }
    for fault in ["lie", "lose", "tear", "stale", "resurrect"] {
        let store = format!("faulty@fault={fault}");
        missed.extend(checked(&store, None).ok().map(|checked| format!("{store}: {checked:?}")));
    }
    checked("faulty@fault=none", None).expect("the store around the faults is right");
    assert!(missed.is_empty(), "not found: {missed:#?}");
}
