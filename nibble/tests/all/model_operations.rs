//! Random operations against a `HashMap`, in stores so small that compaction never rests.

use std::collections::HashMap;

use super::common::variants::{ROWS, everything, some};
use super::common::{Random, made, open, small};
use nibble::{Config, Put, PutError, Store};

struct Model {
    store: Store,
    truth: HashMap<u64, Vec<u8>>,
    buffer: Vec<u8>,
}

impl Model {
    fn new(config: Config) -> Self {
        let store = open(config);
        let buffer = vec![0; store.value_limit()];
        Self { store, truth: HashMap::new(), buffer }
    }

    fn run(&mut self, seed: u64, operations: u64, keys: u64, bytes_max: u64, live_max: u64) {
        let session = self.store.session().unwrap();
        let mut random = Random(seed);
        let mut live: u64 = self.truth.values().map(|value| value.len() as u64 + 12).sum();
        let mut full = 0;
        for version in 0..operations {
            let key = random.below(keys).wrapping_mul(0x0101_0101_0101_0101);
            let truth = self.truth.get(&key);
            match random.below(10) {
                0..4 => {
                    let found = session.get(key, &mut self.buffer).unwrap();
                    assert_eq!(found.map(|length| &self.buffer[..length]), truth.map(|v| &v[..]));
                }
                4..8 if live < live_max => {
                    let value = made(key, version, random.below(bytes_max + 1) as usize);
                    let expected = if truth.is_some() { Put::Updated } else { Put::Inserted };
                    let before = truth.map_or(0, |value| value.len() as u64 + 12);
                    match session.put(key, &value) {
                        Ok(put) => {
                            assert_eq!(put, expected);
                            live = live - before + value.len() as u64 + 12;
                            self.truth.insert(key, value);
                        }
                        Err(PutError::Full) => full += 1,
                        Err(error) => panic!("{error}"),
                    }
                }
                _ => {
                    live -= truth.map_or(0, |value| value.len() as u64 + 12);
                    assert_eq!(session.delete(key), Ok(self.truth.remove(&key).is_some()));
                }
            }
        }
        drop(session);
        let census = self.store.census();
        assert_eq!(
            (census.live_objects, census.live_object_bytes),
            (self.truth.len() as u64, live)
        );
        assert!(full * 100 <= operations, "{full} of {operations} refused below {live_max} bytes");
    }

    fn verify(&mut self) {
        let report = self.store.check().unwrap();
        assert_eq!(report.live_objects, self.truth.len() as u64);
        let session = self.store.session().unwrap();
        for (&key, value) in &self.truth {
            let length = session.get(key, &mut self.buffer).unwrap().expect("nothing is lost");
            assert_eq!(&self.buffer[..length], value);
        }
    }
}

#[test]
fn small_values_at_high_utilisation() {
    for row in 0..ROWS {
        let config = everything(&small(2 << 20, 64 << 10), row);
        println!("{config:?}");
        let (seed, mut model) = (row as u64, Model::new(config));
        for phase in 0..2 {
            model.run(seed * 100 + phase, 40_000, 20_000, 300, (2 << 20) * 85 / 100);
            model.verify();
        }
        assert!(model.store.statistics().segments_compacted > 20, "{:?}", model.store.statistics());
    }
}

#[test]
fn values_of_many_blocks() {
    for (seed, config) in some(&small(24 << 20, 512 << 10), 0).into_iter().enumerate() {
        println!("{config:?}");
        let (seed, mut model) = (seed as u64, Model::new(config));
        for phase in 0..2 {
            model.run(seed * 100 + phase, 6_000, 900, 60_000, (24 << 20) * 75 / 100);
            model.verify();
        }
        assert!(model.store.statistics().segments_compacted > 10, "{:?}", model.store.statistics());
    }
}

#[test]
fn mixed_sizes_with_one_worker_and_one_head() {
    let mut config = small(4 << 20, 256 << 10);
    (config.heads, config.compaction_workers) = (1, 1);
    config.index_partitions = 1;
    let mut model = Model::new(config);
    for seed in 0..3 {
        let bytes_max = [40, 4_000, 20_000][seed as usize];
        model.run(seed, 30_000, 4_000, bytes_max, (4 << 20) * 80 / 100);
        model.verify();
    }
}
