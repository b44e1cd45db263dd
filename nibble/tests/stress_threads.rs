//! Many threads, little memory: own keys, shared keys, and compaction all the while.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::{Random, fill, made, open, small, variants, verified};
use nibble::{Config, PutError, Store};

const THREADS: u64 = 6;
const OWN_KEYS: u64 = 400;
const SHARED_KEYS: u64 = 64;
const SHARED: u64 = 1 << 40;

/// How long each storm lasts.
const STORM: Duration = Duration::from_millis(if cfg!(debug_assertions) { 600 } else { 2000 });

struct Client<'store> {
    store: &'store Store,
    number: u64,
    bytes_max: u64,
    /// What this thread's own keys hold: version and length.
    own: Vec<Option<(u64, usize)>>,
    /// No version of a shared key may be older than one seen before from the same writer.
    seen: Vec<[u64; THREADS as usize]>,
}

impl Client<'_> {
    fn run(mut self) -> (u64, u64) {
        let session = self.store.session().unwrap();
        let mut random = Random(self.number + 1);
        let mut buffer = vec![0; self.bytes_max as usize + 16];
        let (mut operations, mut full) = (0, 0);
        let begin = Instant::now();
        while operations % 64 != 0 || begin.elapsed() < STORM {
            operations += 1;
            let bytes = 16 + random.below(self.bytes_max) as usize;
            let version = operations * THREADS + self.number;
            if random.below(4) == 0 {
                let slot = random.below(SHARED_KEYS);
                let key = SHARED + slot;
                match random.below(8) {
                    0..4 => {
                        if let Some(length) = session.get(key, &mut buffer).unwrap() {
                            let version = verified(key, &buffer[..length]);
                            let last = &mut self.seen[slot as usize][(version % THREADS) as usize];
                            assert!(version >= *last, "key {key} went back in time");
                            *last = version;
                        }
                    }
                    4..7 => {
                        fill(&mut buffer[..bytes], key, version);
                        match session.put(key, &buffer[..bytes]) {
                            Ok(_) => self.seen[slot as usize][self.number as usize] = version,
                            Err(error) => assert_eq!(error, PutError::Full),
                        }
                    }
                    _ => drop(session.delete(key)),
                }
                continue;
            }
            let slot = random.below(OWN_KEYS);
            let key = self.number * 1_000_000 + slot;
            let own = &mut self.own[slot as usize];
            match random.below(10) {
                0..5 => {
                    let found = session.get(key, &mut buffer).unwrap();
                    let found = found.map(|length| (verified(key, &buffer[..length]), length));
                    assert_eq!(found, *own, "key {key}");
                }
                5..9 => match session.put(key, &made(key, version, bytes)) {
                    Ok(_) => *own = Some((version, bytes)),
                    Err(error) => {
                        assert_eq!(error, PutError::Full);
                        full += 1;
                    }
                },
                _ => assert_eq!(session.delete(key), own.take().is_some()),
            }
        }
        (operations, full)
    }
}

fn storm(config: Config, bytes_max: u64) {
    println!("{config:?}");
    let store = open(config);
    let totals = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let client = Client {
                    store: &store,
                    number,
                    bytes_max,
                    own: vec![None; OWN_KEYS as usize],
                    seen: vec![[0; THREADS as usize]; SHARED_KEYS as usize],
                };
                scope.spawn(move || client.run())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    store.check().unwrap();
    store.settle();
    let report = store.check().unwrap();
    let statistics = store.statistics();
    println!("{totals:?}\n{statistics:?}\n{report:?}");
    assert!(statistics.segments_compacted > 20, "{statistics:?}");
    let (operations, full) = totals.iter().fold((0, 0), |sum, &(a, b)| (sum.0 + a, sum.1 + b));
    assert!(full * 20 < operations, "{full} of {operations} refused");
}

#[test]
fn small_values() {
    for config in variants(&small(5 << 18, 64 << 10)) {
        storm(config, 480);
    }
}

#[test]
fn values_of_several_blocks() {
    for config in variants(&small(32 << 20, 1 << 20)) {
        storm(config, 14_000);
    }
}

#[test]
fn one_partition_growing_under_load() {
    let mut config = small(16 << 20, 512 << 10);
    config.index_partitions = 1;
    let store = open(config);
    const KEYS: u64 = 30_000;
    thread::scope(|scope| {
        for number in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let session = store.session().unwrap();
                let mut buffer = [0; 64];
                let mut random = Random(number);
                for step in 0..KEYS {
                    let key = step * 4 + number;
                    session.put(key, &made(key, key, 24)).unwrap();
                    // Something this thread stored before must be there, whatever is splitting.
                    let earlier = random.below(step + 1) * 4 + number;
                    let length = session.get(earlier, &mut buffer).unwrap().expect("not lost");
                    assert_eq!(verified(earlier, &buffer[..length]), earlier);
                    assert_eq!(session.get(key + (1 << 50), &mut buffer), Ok(None));
                }
            });
        }
    });
    let report = store.check().unwrap();
    assert_eq!(report.live_objects, 4 * KEYS);
    assert!(report.index_buckets >= 4 * KEYS / 15, "{report:?}");
}
