//! Every store in the process under stress, alone and with faults planted in it. Small by default;
//! `scripts/stress-rivals` asks for more by environment variables:
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NIBBLE_STRESS_OPERATIONS` | operations on each store, a third at each fill | 1,800,000; 60,000 on a disk |
//! | `NIBBLE_STRESS_STORES` | names of stores, with commas between | all in the process that no machine lacks |

use std::env;

use engine::{AllocatorChoice, EngineTraits, FullMeaning, KvEngine, MemoryBound, Setup, Storage};
use kit::testing::{Done, Plant, Planted, Stress, VALUE_BYTES_MAX};

use crate::registry::{self, StoreVisitor, open_heap, store_traits, with_store};
use record::System;

const OBJECT_MEMORY_BYTES: u64 = 32 << 20;
const THREADS: usize = 4;
const OPERATIONS: u64 = 1_800_000;
/// Half full, nearly full, over-full.
const FILLS: [u64; 3] = [50, 90, 140];
/// Of a store on a disk a part is asked: its lookups wait for the device. It grows, so no fill is full; few
/// keys are written often.
const OPERATIONS_ON_DISK: u64 = OPERATIONS / 30;
const FILLS_ON_DISK: [u64; 1] = [4];

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
    let in_process = store_traits().iter().filter(|traits| {
        let prices = !traits.keeps_values || traits.test_only;
        !prices && !traits.processes && !traits.may_be_missing
    });
    let named = in_process.map(|traits| match traits.allocator {
        AllocatorChoice::Chosen => format!("{}:glibc", traits.name),
        _ => traits.name.to_owned(),
    });
    named.collect()
}

/// The fills of a store, and the operations at all of them.
fn asked_of(store: &str) -> (&'static [u64], u64) {
    if let Ok(asked) = env::var("NIBBLE_STRESS_OPERATIONS") {
        return (&FILLS, asked.parse().expect("a whole number of operations"));
    }
    let traits = traits_of(store);
    match (traits.storage, traits.full) {
        (Storage::Disk, FullMeaning::Grow) => (&FILLS_ON_DISK, OPERATIONS_ON_DISK),
        _ => (&FILLS, OPERATIONS),
    }
}

fn stressed(store: &str, stress: Stress, plant: Option<Plant>) -> Result<Done, String> {
    let system = registry::store(store)?;
    let System::Store { name, heap, options } = system else {
        return Err(format!("`{store}` is no store"));
    };
    let heap = heap.map(|heap| open_heap(&heap)).transpose();
    let setup = Setup {
        object_memory_bytes: Some(OBJECT_MEMORY_BYTES),
        live_bytes: OBJECT_MEMORY_BYTES,
        records_max: stress.keys(OBJECT_MEMORY_BYTES) + 1000,
        value_bytes_max: VALUE_BYTES_MAX,
        sessions: THREADS + 1,
        resident: false,
        tells_updates: true,
        options,
        heap: heap.map_err(|error| error.to_string())?,
    };
    let visited = with_store(&name, &setup, Visit { stress, plant });
    visited.map_err(|error| error.to_string())?
}

fn traits_of(store: &str) -> &'static EngineTraits {
    let system = registry::store(store).expect("a store");
    registry::traits_of(&system).expect("it is a store")
}

fn refuses(store: &str) -> bool {
    let traits = traits_of(store);
    traits.full == FullMeaning::Refuse && traits.memory_bound != MemoryBound::None
}

#[test]
fn values_lie_in_their_windows_however_full_a_store_is() {
    let mut wrong = Vec::new();
    for store in stores() {
        let (fills, operations) = asked_of(&store);
        let operations = operations / fills.len() as u64;
        for &fill_percent in fills {
            let stress = Stress { threads: THREADS, operations, fill_percent, seed: fill_percent };
            match stressed(&store, stress, None) {
                Ok(done) => {
                    println!("{store} at {fill_percent} %: {done:?}");
                    assert!(done.operations() + 4 * THREADS as u64 >= operations, "{done:?}");
                    assert!(done.found > 0 && done.deletes > 0, "{done:?}");
                    let must_refuse = fill_percent > 100 && refuses(&store);
                    assert!(!must_refuse || done.refused > 0, "{store} is over-full: {done:?}");
                }
                Err(error) => wrong.push(format!("{store} at {fill_percent} %: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_planted_fault_is_found_in_every_store() {
    let stress = Stress { threads: THREADS, operations: 400_000, fill_percent: 1, seed: 1 };
    let (mut found, mut missed) = (0, Vec::new());
    for store in stores() {
        for plant in Plant::ALL {
            // What evicts may lose any object.
            if plant == Plant::Vanish && traits_of(&store).full == FullMeaning::Evict {
                continue;
            }
            match stressed(&store, stress, Some(plant)) {
                Ok(_) => missed.push(format!("{plant:?} in {store}")),
                Err(error) => {
                    println!("{store}, {plant:?}: {error}");
                    found += 1;
                }
            }
        }
    }
    println!("{found} planted faults found");
    assert!(missed.is_empty(), "not found: {missed:?}");
}
