//! Tests of threads, sessions and routes.

use std::collections::HashMap;
use std::sync::mpsc;
use std::thread;

use super::model::Model;
use super::value::{DESCRIBED_BYTES, Random, Version, assert_value, described, mix};
use super::{Opener, check, open_checked, session};
use crate::{FullMeaning, KvEngine, KvSession, SessionError, Sharing};

pub(super) const THREADS: usize = 4;
const OPERATIONS: u64 = 12_000;
const OWN_KEYS: u64 = 2000;
const CONTENDED_KEYS: u64 = 16;
/// Contended keys below this number are never deleted.
const CONTENDED_KEPT: u64 = 8;

/// Four threads work on their own keys, whose values must be exact afterwards, and compete for a
/// few keys that all of them write. A reader of those finds a complete value of some writer, never
/// older than one it has already seen from that writer.
///
/// In partitioned stores each thread is a worker and accesses only the keys routed to it.
///
/// # Panics
/// If a value is lost, wrong or torn.
pub fn threads_lose_no_keys<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let models = on_workers(&engine, |worker, session| {
        let mut model = Model::of(&engine);
        let mut contender = Contender::new(worker);
        let mut random = Random::new(worker as u64);
        for _ in 0..OPERATIONS {
            if random.percent(50) {
                let key = own_key(&engine, worker, &mut random);
                match random.below(10) {
                    0..5 => {
                        model.put(session, key, random.length(&(0..=600)));
                    }
                    5..8 => model.get(session, key),
                    _ => model.delete(session, key),
                }
            } else {
                let index = random.below(CONTENDED_KEYS);
                let key = contended_key(index);
                if engine.route(key, THREADS).is_none_or(|owner| owner == worker) {
                    contender.step(session, key, index >= CONTENDED_KEPT, &mut random);
                } else if E::TRAITS.sharing == Sharing::PartitionedWrites {
                    contender.get(session, key);
                }
            }
        }
        assert_eq!(model.refused, 0, "puts answered Full in a store that is nearly empty");
        model
    });
    check(&engine);
    let models: Vec<_> = models.into_iter().map(std::sync::Mutex::new).collect();
    on_workers(&engine, |worker, session| {
        // Where any worker may access any key, read another thread's keys: what one wrote, all can
        // read.
        let whose = match E::TRAITS.sharing {
            Sharing::Shared | Sharing::PartitionedWrites => (worker + 1) % THREADS,
            Sharing::Partitioned => worker,
        };
        models[whose].lock().expect("no thread panicked").verify(session);
        let mut reader = Contender::new(worker);
        for index in 0..CONTENDED_KEYS {
            let key = contended_key(index);
            if engine.route(key, THREADS).is_none_or(|owner| owner == worker) {
                let found = reader.get(session, key);
                let must_be_there = index < CONTENDED_KEPT && E::TRAITS.full != FullMeaning::Evict;
                assert!(found || !must_be_there, "contended key {key:#x} is lost");
            }
        }
    });
    check(&engine);
}

fn contended_key(index: u64) -> u64 {
    (1 << 40) + index
}

/// A random key that only `worker` accesses.
fn own_key<E: KvEngine>(engine: &E, worker: usize, random: &mut Random) -> u64 {
    loop {
        let number = random.below(OWN_KEYS);
        let key = mix(number);
        if engine.route(key, THREADS).unwrap_or(number as usize % THREADS) == worker {
            return key;
        }
    }
}

/// One thread's access to keys that all threads write.
struct Contender {
    worker: u64,
    puts: u64,
    /// The highest sequence seen for each key and writer.
    seen: HashMap<(u64, u64), u64>,
    value: Vec<u8>,
    buffer: Vec<u8>,
}

impl Contender {
    fn new(worker: usize) -> Self {
        let worker = worker as u64;
        Self { worker, puts: 0, seen: HashMap::new(), value: Vec::new(), buffer: vec![0; 700] }
    }

    fn step<S: KvSession>(
        &mut self,
        session: &mut S,
        key: u64,
        may_delete: bool,
        random: &mut Random,
    ) {
        match random.below(10) {
            0..4 => self.put(session, key),
            4 if may_delete => {
                session.delete(key);
            }
            _ => {
                self.get(session, key);
            }
        }
    }

    fn put<S: KvSession>(&mut self, session: &mut S, key: u64) {
        self.puts += 1;
        version_of(self.worker, self.puts).write(key, &mut self.value);
        let outcome = session.put(key, &self.value).expect("a short value");
        assert!(outcome.is_stored(), "a store that is nearly empty answers Full");
        self.seen.insert((key, self.worker), self.puts);
    }

    /// Reads a key and checks the value, if there is one.
    fn get<S: KvSession>(&mut self, session: &mut S, key: u64) -> bool {
        let found = session.get(key, &mut self.buffer).expect("a buffer for the longest value");
        let Some(value_bytes) = found else { return false };
        let found = &self.buffer[..value_bytes];
        let Some((_, number)) = described(found) else {
            panic!("contended key {key:#x} has {value_bytes} bytes, which nobody wrote")
        };
        let (writer, sequence) = (number >> 32, number & u64::from(u32::MAX));
        assert!(writer < THREADS as u64, "contended key {key:#x}: no writer {writer}");
        version_of(writer, sequence).write(key, &mut self.value);
        assert_value(key, &self.value, found);
        let newest = self.seen.entry((key, writer)).or_insert(sequence);
        assert!(
            sequence >= *newest,
            "contended key {key:#x} went back from put {newest} of writer {writer} to {sequence}"
        );
        *newest = sequence;
        true
    }
}

/// The version of a writer's put. Its length is derived, so that a wrong length is noticed.
fn version_of(writer: u64, sequence: u64) -> Version {
    let number = (writer << 32) | sequence;
    Version { number, value_bytes: Random::new(number).length(&(DESCRIBED_BYTES..=600)) }
}

/// Runs `work` on [`THREADS`] threads, each with a session. Sessions are opened in worker order.
pub(super) fn on_workers<E: KvEngine, R: Send>(
    engine: &E,
    work: impl Fn(usize, &mut E::Session<'_>) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in 0..THREADS {
            let (opened, is_opened) = mpsc::channel();
            let work = &work;
            threads.push(scope.spawn(move || {
                let mut session = engine
                    .worker_session(worker, THREADS)
                    .unwrap_or_else(|error| panic!("a session of worker {worker}: {error}"));
                opened.send(()).expect("the spawner waits");
                work(worker, &mut session)
            }));
            if is_opened.recv().is_err() {
                break; // It panicked: joining says why.
            }
        }
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    })
}

/// Any thread may open and drop sessions at any time, several at once, and a slot that is given
/// back can be used again. Later sessions read what earlier ones wrote.
///
/// # Panics
/// If a session cannot be opened or reads something else.
pub fn sessions_can_come_and_go<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    let mut model = Model::of(&engine);
    for number in 0..1000 {
        let mut session = session(&engine);
        model.put(&mut session, number % 50, number as usize % 100);
        model.get(&mut session, (number + 1) % 50);
    }
    drop(at_once(&engine, 64));
    let limit = at_once(&engine, 64).len();
    assert!(limit >= 1, "not even one session");
    if E::TRAITS.sharing.is_partitioned() {
        on_workers(&engine, |_, _| ());
    } else if limit >= THREADS {
        on_workers(&engine, |_, _| ());
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| (0..100).for_each(|_| drop(session(&engine))));
            }
        });
    }
    assert_eq!(at_once(&engine, 64).len(), limit, "slots got lost");
    model.verify(&mut session(&engine));
    assert_eq!(model.refused, 0, "puts answered Full in a store that is nearly empty");
    check(&engine);
}

/// Opens as many sessions as can be held at a time, at most `wanted`.
fn at_once<E: KvEngine>(engine: &E, wanted: usize) -> Vec<E::Session<'_>> {
    let mut sessions = Vec::new();
    while sessions.len() < wanted {
        match engine.session() {
            Ok(session) => sessions.push(session),
            Err(SessionError::TooManySessions { limit }) => {
                assert_eq!(limit, sessions.len(), "the limit told, and the sessions held");
                break;
            }
            Err(SessionError::Claimed { .. }) if E::TRAITS.sharing.is_partitioned() => break,
            Err(error) => panic!("session {}: {error}", sessions.len()),
        }
    }
    sessions
}

/// A partitioned store always routes a key to the same worker and leaves no worker idle; a shared
/// store does not route.
///
/// # Panics
/// If the store behaves otherwise.
pub fn route_is_stable<E: KvEngine>(open: Opener<'_, E>) {
    const KEYS: u64 = 4096;
    let engine = open_checked(open);
    for workers in 1..=8 {
        let routes: Vec<_> = (0..KEYS).map(|key| engine.route(mix(key), workers)).collect();
        if E::TRAITS.sharing == Sharing::Shared {
            assert!(routes.iter().all(Option::is_none), "a shared store routes");
            continue;
        }
        let mut keys_of = vec![0; workers];
        for route in &routes {
            let worker = route.expect("a partitioned store routes every key");
            assert!(worker < workers, "worker {worker} of {workers}");
            keys_of[worker] += 1;
        }
        assert!(keys_of.iter().all(|&keys| keys > 0), "keys of each worker: {keys_of:?}");
        let mut session = session(&engine);
        if workers == 1 {
            session.put(1, b"1").expect("a short value");
        }
        let again: Vec<_> = (0..KEYS).map(|key| engine.route(mix(key), workers)).collect();
        assert_eq!(again, routes, "routes moved");
    }
    check(&engine);
}
