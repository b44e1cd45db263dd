//! Threads read what others write, update and overwrite, while small logs go round many times: a
//! value is whole, its key's, and never older than one seen before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use super::small_cache::{LOG_BYTES, config};
use baseline_mica::cache::Eviction;
use baseline_mica::{Crcw, Crew, MicaCache, Mode};
use engine::{KvEngine, KvSession};
use kit::testing::{fill, statistic, version_of};

const THREADS: usize = 4;
const KEYS: u64 = 600;
/// Far more than there are keys, so that each has a bucket of its own: what overtakes an item then
/// leaves the version that its reader looks at alone.
const RECORDS_MAX: u64 = 100_000;
const VALUE_BYTES_MAX: usize = 16 << 10;
/// What each thread writes: forty laps of the logs, all together.
const WRITTEN_BYTES: u64 = 40 * LOG_BYTES * PARTITIONS as u64 / THREADS as u64;
const PARTITIONS: usize = 4;

/// A step of a sequence without a pattern.
fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

/// One thread: writes the keys that are its own, each with ever higher versions, and reads all.
struct Worker {
    buffer: Vec<u8>,
    /// The highest version of each key that it has written or seen.
    seen: Vec<u64>,
    random: u64,
    gets: u64,
}

impl Worker {
    fn new(number: usize) -> Self {
        let random = 0x9e37_79b9_7f4a_7c15 ^ number as u64;
        Self { buffer: vec![0; VALUE_BYTES_MAX], seen: vec![0; KEYS as usize], random, gets: 0 }
    }

    /// Puts the next version, mostly in sizes that stay what they were, so that many an update is
    /// in place.
    fn put(&mut self, session: &mut impl KvSession, key: u64) -> u64 {
        let version = self.seen[key as usize] + 1;
        let roll = next(&mut self.random) as usize;
        let value_bytes = if roll.is_multiple_of(8) {
            16 + (roll >> 8) % (VALUE_BYTES_MAX - 16)
        } else {
            16 + key as usize * 7 % 3000
        };
        fill(key, version, &mut self.buffer[..value_bytes]);
        assert!(session.put(key, &self.buffer[..value_bytes]).unwrap().is_stored());
        self.seen[key as usize] = version;
        value_bytes as u64
    }

    fn get(&mut self, session: &mut impl KvSession, key: u64) {
        self.gets += 1;
        let Some(value_bytes) = session.get(key, &mut self.buffer).expect("a long buffer") else {
            return;
        };
        let version = version_of(key, &self.buffer[..value_bytes]);
        let seen = &mut self.seen[key as usize];
        assert!(version >= *seen, "key {key} went back from version {seen} to {version}");
        *seen = version;
    }

    /// Keys of a few that are hot, or of all.
    fn some_key(&mut self) -> u64 {
        let roll = next(&mut self.random);
        if roll.is_multiple_of(2) { (roll >> 8) % 16 } else { (roll >> 8) % KEYS }
    }
}

/// Whether a worker writes a key: where keys belong to workers that one alone, else one as well,
/// so that versions are in order.
fn writes<M: Mode>(cache: &MicaCache<M>, worker: usize, key: u64) -> bool {
    cache.route(key, THREADS).unwrap_or(key as usize % THREADS) == worker
}

fn storm<M: Mode>(eviction: Eviction) {
    let cache = MicaCache::<M>::open(config(PARTITIONS, RECORDS_MAX, eviction)).unwrap();
    let done = AtomicBool::new(false);
    let gets: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let mut session = cache.worker_session(number, THREADS).unwrap();
                let (cache, done) = (&cache, &done);
                scope.spawn(move || {
                    let mut worker = Worker::new(number);
                    let mut written_bytes = 0;
                    while written_bytes < WRITTEN_BYTES && !done.load(Ordering::Relaxed) {
                        let key = worker.some_key();
                        if writes(cache, number, key) {
                            written_bytes += worker.put(&mut session, key);
                            if next(&mut worker.random).is_multiple_of(64) {
                                session.delete(key);
                            }
                        }
                        let key = worker.some_key();
                        worker.get(&mut session, key);
                    }
                    // All end together: nobody is left to write alone.
                    done.store(true, Ordering::Relaxed);
                    worker.gets
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a sound thread")).sum()
    });
    cache.check().unwrap();
    let counted = |name| statistic(&cache, name);
    assert_eq!(counted("get_hits") + counted("get_misses"), gets as f64);
    assert!(counted("log_wraps") >= 8.0, "{} laps", counted("log_wraps"));
    assert!(counted("in_place_updates") > 1000.0);
    assert!(counted("dangling_found") > 100.0);
    assert_eq!(counted("reinserted") > 0.0, eviction != Eviction::Fifo);
    // The reference: what is live is read back whole.
    let live = cache.memory().live_objects;
    let mut worker = Worker::new(0);
    let mut sessions: Vec<_> =
        (0..THREADS).map(|one| cache.worker_session(one, THREADS).unwrap()).collect();
    let before = counted("get_hits");
    for key in 0..KEYS {
        let owner = cache.route(key, THREADS).unwrap_or(0);
        worker.get(&mut sessions[owner], key);
    }
    let found = statistic(&cache, "get_hits") - before;
    // Reading may append again, and so evict.
    assert!(found <= live as f64 && found * 2.0 >= live as f64, "{found} of {live} live objects");
    cache.check().unwrap();
}

#[test]
fn readers_of_another_threads_partitions_see_whole_values() {
    for eviction in [Eviction::Fifo, Eviction::Lru, Eviction::ApproximateLru] {
        storm::<Crew>(eviction);
    }
}

#[test]
fn writers_of_one_partition_leave_values_whole() {
    for eviction in [Eviction::Fifo, Eviction::Lru, Eviction::ApproximateLru] {
        storm::<Crcw>(eviction);
    }
}

/// Few and long values in a log that holds seven of them: to copy one takes long enough for the
/// tail to overtake it, reading or updating in place.
#[test]
fn values_that_the_tail_overtakes_are_not_seen() {
    fn overtake<M: Mode>(eviction: Eviction) {
        const KEYS: u64 = 8;
        const ROUNDS: u64 = 1500;
        let cache = MicaCache::<M>::open(config(1, RECORDS_MAX, eviction)).unwrap();
        thread::scope(|scope| {
            for number in 0..2 {
                let mut session = cache.worker_session(number, 2).unwrap();
                let cache = &cache;
                scope.spawn(move || {
                    let mut buffer = vec![0; LOG_BYTES as usize / 7];
                    let mut last = [0; KEYS as usize];
                    let mut random = 77 + number as u64;
                    for version in 1..=ROUNDS {
                        let key = next(&mut random) % KEYS;
                        if cache.route(key, 2).unwrap_or(key as usize % 2) == number {
                            let roll = next(&mut random) as usize % 2;
                            let value_bytes = buffer.len() - 40_000 * roll;
                            fill(key, version, &mut buffer[..value_bytes]);
                            session.put(key, &buffer[..value_bytes]).unwrap();
                            last[key as usize] = version;
                        }
                        let key = next(&mut random) % KEYS;
                        if let Some(value_bytes) = session.get(key, &mut buffer).unwrap() {
                            let found = version_of(key, &buffer[..value_bytes]);
                            let last = &mut last[key as usize];
                            assert!(found >= *last, "key {key}: from {last} to {found}");
                            *last = found;
                        }
                    }
                });
            }
        });
        cache.check().unwrap();
        assert!(statistic(&cache, "log_wraps") >= 10.0);
        assert!(statistic(&cache, "in_place_updates") >= 50.0);
    }
    overtake::<Crew>(Eviction::Fifo);
    overtake::<Crew>(Eviction::Lru);
    overtake::<Crcw>(Eviction::Fifo);
    overtake::<Crcw>(Eviction::Lru);
}

/// One thread updates its few long values in place without end, another appends: no append is
/// damaged by an update of what it has just overtaken.
#[test]
fn updates_in_place_do_not_reach_into_what_was_appended_over_them() {
    const APPENDS: u64 = 1500;
    const UPDATED_KEYS: u64 = 3;
    const UPDATES_MIN: u64 = 200;
    let cache = MicaCache::<Crcw>::open(config(1, RECORDS_MAX, Eviction::Fifo)).unwrap();
    let (done, updates) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let (cache, done, updates) = (&cache, &done, &updates);
        scope.spawn(move || {
            let mut session = cache.session().unwrap();
            let value = vec![0xaa; LOG_BYTES as usize / 7];
            for turn in 0.. {
                session.put(turn % UPDATED_KEYS, &value).unwrap();
                updates.store(turn, Ordering::Relaxed);
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        scope.spawn(move || {
            let mut session = cache.session().unwrap();
            let value = vec![0xbb; LOG_BYTES as usize / 20];
            let mut buffer = value.clone();
            let go_on =
                |append: &u64| *append < APPENDS || updates.load(Ordering::Relaxed) < UPDATES_MIN;
            let damaged = (0..).take_while(go_on).find(|append| {
                let key = UPDATED_KEYS + append;
                session.put(key, &value).unwrap();
                buffer.fill(0);
                // The other appends no more than its keys, for which there is room behind this one.
                session.get(key, &mut buffer) != Ok(Some(value.len())) || buffer != value
            });
            done.store(true, Ordering::Relaxed);
            assert_eq!(damaged, None);
        });
    });
    cache.check().unwrap();
    assert!(statistic(&cache, "in_place_updates") >= 1.0);
    assert!(statistic(&cache, "log_wraps") >= (APPENDS / 40) as f64);
}

/// One key, written without end by one thread in one size, in place, and read by others: nothing
/// but the version of its bucket tells them.
#[test]
fn updates_in_place_are_never_seen_half_done() {
    fn contend<M: Mode>() {
        const UPDATES: u64 = 30_000;
        let cache = MicaCache::<M>::open(config(1, 10, Eviction::Fifo)).unwrap();
        let mut writer = cache.worker_session(0, 2).unwrap();
        let written = AtomicBool::new(false);
        thread::scope(|scope| {
            let (cache, written) = (&cache, &written);
            scope.spawn(move || {
                let mut value = [0; 4000];
                for version in 1..=UPDATES {
                    fill(1, version, &mut value);
                    writer.put(1, &value).unwrap();
                }
                written.store(true, Ordering::Relaxed);
            });
            scope.spawn(move || {
                let mut session = cache.worker_session(1, 2).unwrap();
                let mut buffer = [0; 4000];
                let mut last = 0;
                while !written.load(Ordering::Relaxed) {
                    if let Some(value_bytes) = session.get(1, &mut buffer).unwrap() {
                        let version = version_of(1, &buffer[..value_bytes]);
                        assert!(version >= last, "from {last} to {version}");
                        last = version;
                    }
                }
            });
        });
        assert_eq!(statistic(&cache, "in_place_updates"), (UPDATES - 1) as f64);
    }
    contend::<Crew>();
    contend::<Crcw>();
}
