//! Every store in the process under stress, alone and with faults planted in it. Small by default;
//! `scripts/stress-rivals` asks for more by environment variables:
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NIBBLE_STRESS_OPERATIONS` | operations on each store, a third at each fill | 1,800,000; 56,250 on a disk, or of transactions |
//! | `NIBBLE_STRESS_STORES` | names of stores, with commas between | all in the process that this machine has |

use std::collections::BTreeMap;
use std::env;
use std::time::Instant;

use engine::{EngineTraits, FullMeaning, KvEngine, MemoryBound, Setup, Storage};
use kit::testing::{Done, Plant, Planted, Stress, VALUE_BYTES_MAX};

use crate::registry::StoreVisitor;
use crate::tests_stores::{in_process, traits_of, visit};

const OBJECT_MEMORY_BYTES: u64 = 32 << 20;
const THREADS: usize = 4;
const OPERATIONS: u64 = 1_200_000;
/// Half full, nearly full, over-full.
const FILLS: [u64; 3] = [50, 90, 140];
/// Of slow stores a part is asked.
const PART_OF_SLOW: u64 = 32;
/// Lookups of a store on a disk wait for the device. It grows, so no fill is full; few keys are written often.
const FILLS_ON_DISK: [u64; 1] = [4];
/// As the figures of the papers have them.
const MORE: [&str; 2] = ["masstree:jemalloc", "ramcloud@instances=2"];

/// Stresses the store it visits, or one around it with a fault.
struct Visit {
    stress: Stress,
    plant: Option<Plant>,
    object_memory_bytes: u64,
}

impl StoreVisitor for Visit {
    type Output = Result<Done, String>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        match self.plant {
            None => self.stress.run(engine, self.object_memory_bytes),
            Some(plant) => {
                self.stress.run(&Planted { inner: engine, plant }, self.object_memory_bytes)
            }
        }
    }
}

/// The stores that are asked for, as cells name them.
fn stores() -> Vec<String> {
    if let Ok(named) = env::var("NIBBLE_STRESS_STORES") {
        return named.split(',').map(str::to_owned).collect();
    }
    in_process().into_iter().chain(MORE.map(str::to_owned)).collect()
}

/// What is asked of one store.
struct Asked {
    fills: &'static [u64],
    /// At all fills together.
    operations: u64,
    object_memory_bytes: u64,
}

fn asked_of(store: &str) -> Asked {
    let whole =
        Asked { fills: &FILLS, operations: OPERATIONS, object_memory_bytes: OBJECT_MEMORY_BYTES };
    if let Ok(asked) = env::var("NIBBLE_STRESS_OPERATIONS") {
        return Asked { operations: asked.parse().expect("a whole number of operations"), ..whole };
    }
    let (traits, operations) = (traits_of(store), OPERATIONS / PART_OF_SLOW);
    match (traits.storage, traits.full) {
        (Storage::Disk, FullMeaning::Grow) => Asked { fills: &FILLS_ON_DISK, operations, ..whole },
        // As many operations for each key as elsewhere, so that a store gets as full.
        _ if traits_of(store).commits_each_write => {
            Asked { operations, object_memory_bytes: OBJECT_MEMORY_BYTES / PART_OF_SLOW, ..whole }
        }
        _ => whole,
    }
}

fn stressed(
    store: &str,
    object_memory_bytes: u64,
    stress: Stress,
    plant: Option<Plant>,
) -> Result<Done, String> {
    let setup = Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: object_memory_bytes,
        records_max: stress.keys(object_memory_bytes) + 1000,
        value_bytes_max: VALUE_BYTES_MAX,
        sessions: THREADS + 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap: None,
    };
    visit(store, setup, Visit { stress, plant, object_memory_bytes })?
}

fn refuses(traits: &EngineTraits) -> bool {
    traits.full == FullMeaning::Refuse && traits.memory_bound != MemoryBound::None
}

/// Stresses `store` at one fill; returns how many operations that were.
fn phase(store: &str, asked: &Asked, fill_percent: u64) -> Result<u64, String> {
    let operations = asked.operations / asked.fills.len() as u64;
    let stress = Stress { threads: THREADS, operations, fill_percent, seed: fill_percent };
    let begin = Instant::now();
    let done = stressed(store, asked.object_memory_bytes, stress, None);
    let done = done.map_err(|error| format!("{store} at {fill_percent} %: {error}"))?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{store} at {fill_percent} %: {seconds:.1} s, {done:?}");
    assert!(done.operations() + 4 * THREADS as u64 >= operations, "{done:?}");
    assert!(done.found > 0 && done.deletes > 0, "{done:?}");
    let must_refuse = fill_percent > 100 && refuses(traits_of(store));
    assert!(!must_refuse || done.refused > 0, "{store} is over-full: {done:?}");
    Ok(done.operations())
}

#[test]
fn values_lie_in_their_windows_however_full_a_store_is() {
    let mut wrong = Vec::new();
    for store in stores() {
        let asked = asked_of(&store);
        let (fills, begin) = (asked.fills, Instant::now());
        let done: Result<u64, String> = fills.iter().map(|&fill| phase(&store, &asked, fill)).sum();
        match done {
            Ok(done) => {
                let seconds = begin.elapsed().as_secs_f64();
                println!("{store}: {done} operations in {seconds:.1} s at {fills:?} % are right");
            }
            Err(error) => {
                println!("{error}");
                wrong.push(error);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_planted_fault_is_found_in_every_store() {
    let stress = Stress { threads: THREADS, operations: 400_000, fill_percent: 1, seed: 1 };
    let mut missed = Vec::new();
    for store in stores() {
        // What evicts may lose any object.
        let may_vanish = traits_of(&store).full == FullMeaning::Evict;
        let plants = Plant::ALL.into_iter().filter(|&plant| !may_vanish || plant != Plant::Vanish);
        let (mut planted, mut found, begin) = (0, 0, Instant::now());
        for plant in plants {
            planted += 1;
            match stressed(&store, OBJECT_MEMORY_BYTES, stress, Some(plant)) {
                Ok(_) => missed.push(format!("{plant:?} in {store}")),
                Err(error) => {
                    println!("{store}, {plant:?}: {error}");
                    found += 1;
                }
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        println!("{store}: {planted} faults planted, {found} found in {seconds:.1} s");
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}
