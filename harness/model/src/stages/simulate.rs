//! A levelled tree run key by key, to hold against the model (§4.3.5). It compacts at once and alone, in
//! memory, and leaves out what LevelDB does by opportunity: more tables of the upper level where that
//! adds no overlap, tables that bypass level 0, and more tables in level 0 under load.

use serde::Serialize;

use super::error::{ParameterError, within};
use super::parameters::{LevelDb, Workload};
use super::random::{Keys, Random};
use super::step::{Step, total};
use super::tree::{Limits, Pick, Tree};

/// A run of the simulator: all keys are inserted once, in any order, and then measured inserts follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    pub workload: Workload,
    pub store: LevelDb,
    /// Bytes at which a table ends.
    pub table_bytes: u64,
    /// Bytes of the level after the next that a table may overlap with before it ends.
    pub overlap_bytes: u64,
    pub pick: Pick,
    /// Measured inserts ÷ keys.
    pub rounds: f64,
    pub seed: u64,
}

impl Simulation {
    /// LevelDB's tables and choice, and the thesis's 3 rounds.
    #[must_use]
    pub fn new(workload: Workload, store: LevelDb, seed: u64) -> Self {
        Self {
            workload,
            store,
            table_bytes: 2 << 20,
            overlap_bytes: 20 << 20,
            pick: Pick::InTurn,
            rounds: 3.0,
            seed,
        }
    }
}

/// What a simulated tree wrote.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulated {
    pub write_amplification: f64,
    /// The same steps as the model's.
    pub steps: Vec<Step>,
    /// Measured inserts.
    pub requests: u64,
}

/// Runs `simulation`. Takes keys × rounds × write amplification steps, and 4 bytes for each item in the
/// tree (under skew 12 more for each key).
///
/// # Errors
/// A parameter is out of range.
pub fn simulate(simulation: &Simulation) -> Result<Simulated, ParameterError> {
    let Simulation { workload, store, .. } = simulation;
    workload.check()?;
    let must = "at most 2^31 to be simulated: simulate fewer, or ask the model";
    within("keys", workload.keys as f64, 2.0..=(1_u64 << 31) as f64, must)?;
    within("rounds", simulation.rounds, 0.01..=1000.0, "from 0.01 to 1000")?;
    let must = "at least item_bytes: give a table that holds an item";
    let least = store.item_bytes as f64..=f64::MAX;
    within("table_bytes", simulation.table_bytes as f64, least, must)?;
    let must = "at least table_bytes: give room for the overlap of one table with another";
    let least = simulation.table_bytes as f64..=f64::MAX;
    within("overlap_bytes", simulation.overlap_bytes as f64, least, must)?;
    let level_items = store.level_items(workload.keys as f64)?;
    let table_items = (simulation.table_bytes / store.item_bytes) as usize;
    let mut tree = Tree::new(Limits {
        level0_tables: store.level0_tables as usize,
        level_items: level_items.clone(),
        table_items,
        overlap_items: (simulation.overlap_bytes / store.item_bytes) as usize,
        pick: simulation.pick,
    });

    let keys = workload.keys as u32;
    let buffer_items = store.buffer_items() as usize;
    let mut random = Random(simulation.seed);
    let load = random.order(keys);
    for buffer in load.chunks(buffer_items) {
        tree.flush(buffer.to_vec());
    }
    let before = tree.written().to_vec();
    let draws = Keys::new(keys, workload.skew, &mut random);
    // Whole buffers, so that everything inserted was also written.
    let buffers = (f64::from(keys) * simulation.rounds / buffer_items as f64).ceil() as u64;
    for _ in 0..buffers {
        tree.flush((0..buffer_items).map(|_| draws.draw(&mut random)).collect());
    }
    let requests = buffers * buffer_items as u64;

    let mut steps = vec![Step::log()];
    for (level, (after, before)) in tree.written().iter().zip(&before).enumerate() {
        let from = if level == 0 { "memory".into() } else { format!("level {}", level - 1) };
        let step =
            Step::new(from, format!("level {level}"), (after - before) as f64 / requests as f64);
        steps.push(if level == 0 { step } else { step.into_room_for(level_items[level - 1]) });
    }
    Ok(Simulated { write_amplification: total(&steps), steps, requests })
}
