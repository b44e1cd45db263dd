//! Tests of the model against published and recomputed values, its own algebra, and the simulator.

mod figures;
mod optimise;
mod parameters;
mod primitives;
mod simulate;
mod systems;

use super::{LevelDb, Parameters, Popularity, System, Workload};

pub(super) const HUNDRED_MILLION: u64 = 100_000_000;

pub(super) fn workload(keys: u64, skew: f64) -> Workload {
    Workload { keys, skew }
}

pub(super) fn popularity(keys: u64, skew: f64) -> Popularity {
    Popularity::new(&workload(keys, skew)).unwrap()
}

/// LevelDB as it is by default.
pub(super) fn leveldb(keys: u64, skew: f64) -> Parameters {
    let system = System::LevelDb(LevelDb::default());
    Parameters { workload: workload(keys, skew), system }
}

/// `got` is `expected` to a thousandth.
pub(super) fn assert_near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-3, "{got} is not {expected} to 0.1 %");
}
