//! oneTBB's map of byte strings under stress, alone and with faults planted in it.

use baseline_maps::{Bytes, Config, MapStore, OneTbb};
use kit::testing::{Plant, Planted, Stress, TestHeap};

fn store(object_memory_bytes: u64) -> MapStore<OneTbb<Bytes>> {
    let config = Config::new(TestHeap::leaked());
    let bound = Some(object_memory_bytes);
    MapStore::open(Config { object_memory_bytes: bound, ..config }).unwrap()
}

#[test]
fn values_of_byte_strings_lie_in_their_windows() {
    let bytes = 1 << 20;
    for fill_percent in [5, 90, 130] {
        let stress = Stress { threads: 2, operations: 200_000, fill_percent, seed: fill_percent };
        let done = stress.run(&store(bytes), bytes).unwrap();
        assert!(done.found > 0 && done.deletes > 0, "{done:?}");
        assert!(fill_percent < 100 || done.refused > 0, "{done:?}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    let bytes = 8 << 20;
    let stress = Stress { threads: 2, operations: 400_000, fill_percent: 1, seed: 1 };
    for plant in Plant::ALL {
        let inner = &store(bytes);
        let found = stress.run(&Planted { inner, plant }, bytes);
        assert!(found.is_err(), "{plant:?} is not found: {found:?}");
    }
}
