//! The thesis's figures of modelled write amplification, as tables. Its own values are curves in images
//! that the text does not repeat; figures of real stores (4.3, 4.13) have no model.

use serde::Serialize;

use super::analysis::without_redundancy;
use super::answer::write_amplification;
use super::density::density;
use super::error::ParameterError;
use super::optimise::optimal_sizes;
use super::parameters::{LevelDb, Parameters, Sizes, System, Workload};
use super::popularity::Popularity;
use super::simulate::{Simulation, simulate};
use super::step::{Step, total};
use super::tree::Pick;
use super::unique::unique;

/// Rows of as many numbers as there are names. The last word of a name is its unit where it has one;
/// names without one are write amplifications.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    pub figure: &'static str,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<f64>>,
}

/// What a cell of a figure says, or why a parameter is refused.
type Rows = Result<Vec<Vec<f64>>, ParameterError>;

const SKEWS: [f64; 7] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.99, 1.2];

fn with_sizes(workload: Workload, store: &LevelDb, sizes: Sizes) -> Result<f64, ParameterError> {
    let system = System::LevelDb(LevelDb { sizes, ..store.clone() });
    Ok(write_amplification(&Parameters { workload, system })?.write_amplification)
}

/// `store` with the sizes of least write amplification.
fn with_optimal_sizes(workload: &Workload, store: &LevelDb) -> Result<LevelDb, ParameterError> {
    let mut items = optimal_sizes(workload, store)?.level_items;
    // The last level is implied.
    items.pop();
    Ok(LevelDb { sizes: Sizes::Given { items }, ..store.clone() })
}

/// Figure 4.4: distinct keys among requests, by skew.
///
/// # Errors
/// `keys` is out of range.
pub fn distinct_keys(keys: u64) -> Result<Table, ParameterError> {
    let mut rows = Vec::new();
    for skew in SKEWS {
        let popularity = Popularity::new(&Workload { keys, skew })?;
        for percent in (0..=400).step_by(20) {
            let requests = keys as f64 * f64::from(percent) / 100.0;
            rows.push(vec![skew, requests, unique(&popularity, requests)]);
        }
    }
    Ok(Table { figure: "4.4", columns: vec!["skew", "requests", "distinct_keys"], rows })
}

/// Figure 4.7: how full a level of `items` items is at a distance behind the last compacted key.
///
/// # Errors
/// `keys` is out of range.
pub fn densities(keys: u64, items: f64) -> Result<Table, ParameterError> {
    let mut rows = Vec::new();
    for skew in SKEWS {
        let popularity = Popularity::new(&Workload { keys, skew })?;
        rows.extend((0..=20).map(|twentieth| {
            let distance = f64::from(twentieth) / 20.0;
            vec![skew, distance, density(&popularity, items, distance)]
        }));
    }
    Ok(Table { figure: "4.7", columns: vec!["skew", "distance_share", "density"], rows })
}

/// Figure 4.9: write amplification by skew with `store`'s and with optimal sizes, and the worst case, in
/// which no insert meets an older one of its key.
///
/// # Errors
/// A parameter is out of range.
pub fn by_skew(keys: u64, store: &LevelDb) -> Result<Table, ParameterError> {
    let row = |skew: f64| {
        let workload = Workload { keys, skew };
        let worst = total(&without_redundancy(&workload, store)?);
        let found = optimal_sizes(&workload, store)?;
        Ok(vec![skew, found.before, found.write_amplification, worst])
    };
    let rows: Rows = SKEWS.into_iter().map(row).collect();
    let columns = vec!["skew", "default", "optimal", "worst_case"];
    Ok(Table { figure: "4.9", columns, rows: rows? })
}

/// Figure 4.14: `store`'s and the optimal sizes of each level but the last, by skew.
///
/// # Errors
/// A parameter is out of range.
pub fn sizes_by_skew(keys: u64, store: &LevelDb) -> Result<Table, ParameterError> {
    let default = store.level_items(keys as f64)?;
    let mut rows = Vec::new();
    for skew in SKEWS {
        let optimal = optimal_sizes(&Workload { keys, skew }, store)?.level_items;
        let levels = default.iter().zip(&optimal).take(default.len() - 1).enumerate();
        rows.extend(
            levels.map(|(level, (before, after))| vec![skew, (level + 1) as f64, *before, *after]),
        );
    }
    let columns = vec!["skew", "level", "default_items", "optimal_items"];
    Ok(Table { figure: "4.14", columns, rows })
}

/// Table 4.1: write amplification by step, from the log (step 0) and level 0 (step 1) to the last level,
/// with `store`'s and with optimal sizes.
///
/// # Errors
/// A parameter is out of range.
pub fn by_step(workload: Workload, store: &LevelDb) -> Result<Table, ParameterError> {
    let optimal = with_optimal_sizes(&workload, store)?;
    let [before, after] = [store, &optimal].map(|store| {
        let system = System::LevelDb(store.clone());
        write_amplification(&Parameters { workload, system })
    });
    let (before, after) = (before?, after?);
    let steps = before.steps.iter().zip(&after.steps).enumerate();
    let row = |(step, (before, after)): (usize, (&Step, &Step))| {
        vec![step as f64, before.write_amplification, after.write_amplification]
    };
    let rows = steps.map(row).collect();
    Ok(Table { figure: "Table 4.1", columns: vec!["step", "default", "optimal"], rows })
}

/// Figures 4.10, 4.12 and the right half of Table 4.1: model and simulator, with `store`'s and with
/// optimal sizes, by the number of keys. Time and memory are those of two simulations a row.
///
/// # Errors
/// A parameter is out of range.
pub fn simulated_by_keys(
    keys: &[u64],
    skew: f64,
    store: &LevelDb,
    seed: u64,
) -> Result<Table, ParameterError> {
    let row = |&keys: &u64| {
        let workload = Workload { keys, skew };
        let mut row = vec![keys as f64];
        for store in [store, &with_optimal_sizes(&workload, store)?] {
            row.push(with_sizes(workload, store, store.sizes.clone())?);
            let simulation = Simulation::new(workload, store.clone(), seed);
            row.push(simulate(&simulation)?.write_amplification);
        }
        Ok(row)
    };
    let rows: Rows = keys.iter().map(row).collect();
    let columns = vec!["keys", "default", "simulated", "optimal", "optimal_simulated"];
    Ok(Table { figure: "4.10, 4.12", columns, rows: rows? })
}

/// Figures 4.10 and 4.12: write amplification by the number of keys.
///
/// # Errors
/// A parameter is out of range.
pub fn by_keys(skew: f64, store: &LevelDb) -> Result<Table, ParameterError> {
    let row = |keys: u64| {
        let workload = Workload { keys, skew };
        let worst = total(&without_redundancy(&workload, store)?);
        let found = optimal_sizes(&workload, store)?;
        Ok(vec![keys as f64, found.before, found.write_amplification, worst])
    };
    let keys = [1, 3, 10, 33, 100, 330, 1000].map(|millions: u64| millions * 1_000_000);
    let rows: Rows = keys.into_iter().map(row).collect();
    let columns = vec!["keys", "default", "optimal", "worst_case"];
    Ok(Table { figure: "4.10, 4.12", columns, rows: rows? })
}

/// Figures 4.11 and 4.16: write amplification by the size of the write buffer, from LevelDB's to a tenth
/// of all keys, each twice the one before.
///
/// # Errors
/// A parameter is out of range.
pub fn by_buffer(workload: Workload, store: &LevelDb) -> Result<Table, ParameterError> {
    let mut rows = Vec::new();
    let mut store = store.clone();
    while store.buffer_items() <= workload.keys as f64 / 10.0 {
        let found = optimal_sizes(&workload, &store)?;
        rows.push(vec![store.buffer_items(), found.before, found.write_amplification]);
        store.write_buffer_bytes *= 2;
    }
    let columns = vec!["write_buffer_items", "default", "optimal"];
    Ok(Table { figure: "4.11, 4.16", columns, rows })
}

/// Figure 4.15: write amplification by the number of levels, with sizes that grow by one factor from
/// level 1's to all keys, and with optimal sizes.
///
/// # Errors
/// A parameter is out of range.
pub fn by_levels(workload: Workload, store: &LevelDb) -> Result<Table, ParameterError> {
    let keys = workload.keys as f64;
    let first = store.level_items(keys)?[0];
    let row = |levels: usize| {
        let growth = (keys / first).powf(1.0 / (levels - 1) as f64);
        let items = (0..levels - 1).map(|level| first * growth.powi(level as i32)).collect();
        let even = with_sizes(workload, store, Sizes::Given { items })?;
        let optimal = with_sizes(workload, store, Sizes::Optimal { levels })?;
        Ok(vec![levels as f64, growth, even, optimal])
    };
    let rows: Rows = (2..=8).map(row).collect();
    Ok(Table { figure: "4.15", columns: vec!["levels", "growth", "even", "optimal"], rows: rows? })
}

/// Figure 4.17: simulated write amplification with tables compacted in turn and with the largest first,
/// beside the model.
///
/// # Errors
/// A parameter is out of range.
pub fn by_pick(workload: Workload, store: &LevelDb, seed: u64) -> Result<Table, ParameterError> {
    let mut simulation = Simulation::new(workload, store.clone(), seed);
    let in_turn = simulate(&simulation)?.write_amplification;
    simulation.pick = Pick::Largest;
    let largest = simulate(&simulation)?.write_amplification;
    let model = with_sizes(workload, store, store.sizes.clone())?;
    let columns = vec!["keys", "in_turn", "largest", "model"];
    Ok(Table {
        figure: "4.17",
        columns,
        rows: vec![vec![workload.keys as f64, in_turn, largest, model]],
    })
}
