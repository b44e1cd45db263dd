//! Threads that write, read and delete in a store that may be too small for them, and know for every
//! value that a GET finds between which versions it must lie.
//!
//! Each key has one writer. It says which version it begins and which one is in force; a reader notes
//! the second before its GET and the first after it, and what it finds lies in that window. The writer
//! itself knows exactly. A few keys have many writers: nobody may find an older version of one of them
//! than before.

mod thread;

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread as threads;

use engine::{FullMeaning, KvEngine, KvSession, Sharing};

use super::mix;
use thread::Thread;

/// The longest value.
pub const VALUE_BYTES_MAX: usize = 2048;
/// The shortest value that proves itself.
const VALUE_BYTES_MIN: usize = 16;
/// Roughly: key and mean value of a key, of which an eighth is absent.
const OBJECT_BYTES: u64 = 135;
/// Keys that all threads write.
const CONTENDED: u64 = 16;
const CONTENDED_FROM: u64 = 1 << 40;

/// How a store is stressed.
#[derive(Clone, Copy, Debug)]
pub struct Stress {
    pub threads: usize,
    /// Of all threads together.
    pub operations: u64,
    /// What the keys would fill of the object memory if all were stored; more than 100 is over-full.
    pub fill_percent: u64,
    pub seed: u64,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub gets: u64,
    /// Of them, those that found a value: each was checked.
    pub found: u64,
    pub puts: u64,
    /// Of them, those that were refused.
    pub refused: u64,
    pub deletes: u64,
}

impl Done {
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.gets + self.puts + self.deletes
    }

    fn add(&mut self, other: &Self) {
        self.gets += other.gets;
        self.found += other.found;
        self.puts += other.puts;
        self.refused += other.refused;
        self.deletes += other.deletes;
    }
}

/// Of one key: the version that its writer has begun last, and the one in force. 0 is absence.
#[derive(Debug, Default)]
struct Window {
    begun: AtomicU64,
    in_force: AtomicU64,
}

/// What all threads share.
struct Arena<'engine, E> {
    engine: &'engine E,
    stress: Stress,
    windows: Vec<Window>,
    /// Set by the first thread that finds something wrong.
    failed: AtomicBool,
}

impl Stress {
    /// Keys for a store of so much object memory.
    #[must_use]
    pub fn keys(&self, object_memory_bytes: u64) -> u64 {
        object_memory_bytes * self.fill_percent / 100 / OBJECT_BYTES
    }

    /// Stresses `engine`, which is empty and has so much object memory. Then checks all keys, the store's
    /// own invariants, and its count of objects.
    ///
    /// # Errors
    /// The first thing that was wrong.
    pub fn run<E: KvEngine>(self, engine: &E, object_memory_bytes: u64) -> Result<Done, String> {
        let windows = (0..self.keys(object_memory_bytes)).map(|_| Window::default()).collect();
        let arena = Arena { engine, stress: self, windows, failed: AtomicBool::new(false) };
        let (done, live) = arena.run()?;
        engine.settle();
        engine.check().map_err(|violation| format!("check(): {violation}"))?;
        let census = engine.memory();
        if census.complete && E::TRAITS.full != FullMeaning::Evict && census.live_objects != live {
            return Err(format!("{} live objects by the census of {live}", census.live_objects));
        }
        Ok(done)
    }
}

impl<'engine, E: KvEngine + 'engine> Arena<'engine, E> {
    /// What was done, and how many objects are live.
    fn run(&self) -> Result<(Done, u64), String> {
        let arena = self;
        let results: Vec<Result<(Done, u64), String>> = threads::scope(|scope| {
            let spawn = |number: usize| {
                scope.spawn(move || {
                    let session = arena.engine.worker_session(number, arena.stress.threads);
                    let session = session.map_err(|error| format!("no session: {error}"))?;
                    Thread::new(arena, number, session).run()
                })
            };
            let all: Vec<_> = (0..self.stress.threads).map(spawn).collect();
            let joined = all.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()))
            });
            joined.collect()
        });
        let (mut done, mut live) = (Done::default(), self.contended_live()?);
        for result in results {
            let (one, own) = result?;
            done.add(&one);
            live += own;
        }
        Ok((done, live))
    }

    /// Objects that are live under the keys of many writers: nobody deletes them.
    fn contended_live(&self) -> Result<u64, String> {
        if !self.contends() {
            return Ok(0);
        }
        let session = self.engine.session();
        let mut session = session.map_err(|error| format!("no session at the end: {error}"))?;
        let mut buffer = vec![0; VALUE_BYTES_MAX];
        let mut live = 0;
        for number in 0..CONTENDED {
            let key = CONTENDED_FROM + number;
            let found = session.get(stored(key), &mut buffer);
            let found = found.map_err(|error| format!("GET of key {key}: {error}"))?;
            live += u64::from(found.is_some());
        }
        Ok(live)
    }

    /// Whether several threads may write one key.
    fn contends(&self) -> bool {
        E::TRAITS.sharing == Sharing::Shared
    }

    fn writer_of(&self, key: u64) -> usize {
        let threads = self.stress.threads;
        self.engine.route(stored(key), threads).unwrap_or(key as usize % threads)
    }

    /// Whether a thread may read keys that others write.
    fn reads_others(&self) -> bool {
        E::TRAITS.sharing != Sharing::Partitioned
    }

    fn evicts(&self) -> bool {
        E::TRAITS.full == FullMeaning::Evict
    }
}

/// The key in the store of one that is counted from 0: spread over all, so that every partition has some.
fn stored(key: u64) -> u64 {
    mix(key)
}

/// Whether a version is a DELETE.
fn is_delete(key: u64, version: u64) -> bool {
    version == 0 || mix(key ^ version << 20).is_multiple_of(8)
}

/// Length of the value of a version: mostly short, few long.
fn value_bytes(key: u64, version: u64) -> usize {
    let random = mix(key ^ mix(version));
    let span = match random & 255 {
        0 => VALUE_BYTES_MAX - VALUE_BYTES_MIN,
        1..64 => 600,
        _ => 140,
    };
    VALUE_BYTES_MIN + (random >> 8) as usize % (span + 1)
}
