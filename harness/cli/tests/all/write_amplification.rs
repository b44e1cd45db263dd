//! The merge trees write as much as the model says of their sizes: what they count of bytes that they
//! hand to the system, beside the analytic model, after all keys were put three times more.

use std::collections::BTreeMap;

use engine::{KvEngine, KvSession, Setup};
use model::stages::{LevelDb, Parameters, Sizes, System, Workload, write_amplification};
use worker::registry::{self, StoreVisitor};
use workloads::{Rng, Seed, key_of};

/// Key and value together.
const ITEM_BYTES: u64 = 1000;
const KEY_BYTES: u64 = 8;
/// Puts after the load, as a multiple of the keys.
const ROUNDS: u64 = 3;
/// The model is of a store whose merges are never late, so they are waited for this often.
const PUTS_A_BUFFER: u64 = 4;

/// Sizes of a store: LevelDB's, divided by one number.
struct Shape {
    keys: u64,
    divided_by: u64,
}

impl Shape {
    fn store(&self) -> LevelDb {
        LevelDb {
            item_bytes: ITEM_BYTES,
            write_buffer_bytes: (4 << 20) / self.divided_by,
            level0_tables: 4,
            sizes: Sizes::Geometric { first_bytes: (10 << 20) / self.divided_by, growth: 10.0 },
        }
    }

    fn options(&self) -> BTreeMap<String, String> {
        let store = self.store();
        [
            ("write-buffer-bytes", store.write_buffer_bytes),
            ("level0-tables", store.level0_tables.into()),
            ("level1-bytes", (10 << 20) / self.divided_by),
            ("table-bytes", (2 << 20) / self.divided_by),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .into()
    }

    fn modelled(&self) -> f64 {
        let workload = Workload { keys: self.keys, skew: 0.0 };
        let parameters = Parameters { workload, system: System::LevelDb(self.store()) };
        write_amplification(&parameters).expect("sizes in range").write_amplification
    }
}

impl StoreVisitor for &Shape {
    /// Bytes handed to the system for each byte that was put, after the load.
    type Output = f64;

    fn visit<E: KvEngine>(self, engine: &E) -> f64 {
        let mut session = engine.session().expect("a session");
        let value = [7; (ITEM_BYTES - KEY_BYTES) as usize];
        let settle_every = self.store().write_buffer_bytes / ITEM_BYTES / PUTS_A_BUFFER;
        let mut put = |turn: u64, record: u64| {
            session.put(key_of(record), &value).expect("a short value");
            if turn.is_multiple_of(settle_every) {
                engine.settle();
            }
        };
        let written = || {
            let written = engine.statistics().into_iter().filter(|statistic| {
                ["log_bytes", "flushed_bytes", "merged_bytes"].contains(&statistic.name)
            });
            written.map(|statistic| statistic.value).sum::<f64>()
        };
        // Keys are in no order, whatever the order of records.
        (0..self.keys).for_each(|record| put(record, record));
        engine.settle();
        let before = written();
        let mut random = Rng::new(Seed(24));
        (0..ROUNDS * self.keys).for_each(|turn| put(turn, random.below(self.keys)));
        engine.settle();
        (written() - before) / (ROUNDS * self.keys * ITEM_BYTES) as f64
    }
}

fn measured(store: &str, shape: &Shape) -> f64 {
    let setup = Setup {
        object_memory_bytes: None,
        live_bytes: shape.keys * ITEM_BYTES,
        records_max: shape.keys,
        value_bytes_max: ITEM_BYTES as usize,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: false,
        options: shape.options(),
        folder: None,
        heap: None,
    };
    registry::with_store(store, &setup, shape).expect("it opens")
}

/// # Panics
/// If a store writes a tenth more or less than the model says.
fn expect_as_modelled(shape: &Shape) {
    let modelled = shape.modelled();
    for store in ["lsm", "clsm"] {
        let measured = measured(store, shape);
        println!("{store}, {} keys: {measured:.2}, modelled {modelled:.2}", shape.keys);
        let ratio = measured / modelled;
        assert!((0.9..=1.1).contains(&ratio), "{store}: {measured:.2}, modelled {modelled:.2}");
    }
}

#[test]
fn merge_trees_write_what_the_model_says() {
    expect_as_modelled(&Shape { keys: 100_000 / 16, divided_by: 16 });
}

#[test]
#[ignore = "gigabytes: cargo test --release -p harness --test all -- --ignored --nocapture write_ampl"]
fn merge_trees_of_full_size_write_what_the_model_says() {
    for keys in [100_000, 300_000] {
        expect_as_modelled(&Shape { keys, divided_by: 1 });
    }
}
