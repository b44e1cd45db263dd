//! Every store in the process under stress, alone and with faults planted in it. Small by default;
//! `scripts/stress-rivals` asks for more by environment variables:
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NIBBLE_STRESS_OPERATIONS` | operations on each store, a third at each fill | 1,800,000; 60,000 on a disk, or of transactions |
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
const OPERATIONS: u64 = 1_800_000;
/// Half full, nearly full, over-full.
const FILLS: [u64; 3] = [50, 90, 140];
/// Of slow stores a part is asked.
const OPERATIONS_OF_SLOW: u64 = OPERATIONS / 30;
/// Lookups of a store on a disk wait for the device. It grows, so no fill is full; few keys are written often.
const FILLS_ON_DISK: [u64; 1] = [4];
/// Stores that make a transaction of each write.
const OF_TRANSACTIONS: [&str; 1] = ["redb"];
/// As the figures of the papers have them.
const MORE: [&str; 2] = ["masstree:jemalloc", "ramcloud@instances=2"];

/// Stresses the store it visits, or one around it with a fault.
struct Visit {
    stress: Stress,
    plant: Option<Plant>,
}

impl StoreVisitor for Visit {
    type Output = Result<Done, String>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        match self.plant {
            None => self.stress.run(engine, OBJECT_MEMORY_BYTES),
            Some(plant) => self.stress.run(&Planted { inner: engine, plant }, OBJECT_MEMORY_BYTES),
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

/// The fills of a store, and the operations at all of them.
fn asked_of(store: &str) -> (&'static [u64], u64) {
    if let Ok(asked) = env::var("NIBBLE_STRESS_OPERATIONS") {
        return (&FILLS, asked.parse().expect("a whole number of operations"));
    }
    let traits = traits_of(store);
    match (traits.storage, traits.full) {
        (Storage::Disk, FullMeaning::Grow) => (&FILLS_ON_DISK, OPERATIONS_OF_SLOW),
        _ if OF_TRANSACTIONS.contains(&traits.name) => (&FILLS, OPERATIONS_OF_SLOW),
        _ => (&FILLS, OPERATIONS),
    }
}

fn stressed(store: &str, stress: Stress, plant: Option<Plant>) -> Result<Done, String> {
    let setup = Setup {
        object_memory_bytes: Some(OBJECT_MEMORY_BYTES),
        live_bytes: OBJECT_MEMORY_BYTES,
        records_max: stress.keys(OBJECT_MEMORY_BYTES) + 1000,
        value_bytes_max: VALUE_BYTES_MAX,
        sessions: THREADS + 1,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap: None,
    };
    visit(store, setup, Visit { stress, plant })?
}

fn refuses(traits: &EngineTraits) -> bool {
    traits.full == FullMeaning::Refuse && traits.memory_bound != MemoryBound::None
}

/// Stresses `store` at one fill; returns how many operations that were.
fn phase(store: &str, operations: u64, fill_percent: u64) -> Result<u64, String> {
    let stress = Stress { threads: THREADS, operations, fill_percent, seed: fill_percent };
    let begin = Instant::now();
    let done = stressed(store, stress, None);
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
        let (fills, operations) = asked_of(&store);
        let each = operations / fills.len() as u64;
        let begin = Instant::now();
        let done: Result<u64, String> = fills.iter().map(|&fill| phase(&store, each, fill)).sum();
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
            match stressed(&store, stress, Some(plant)) {
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
