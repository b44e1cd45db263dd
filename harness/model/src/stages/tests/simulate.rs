//! The simulator: that its tree keeps every key in order, and that model and simulator agree.

use super::{leveldb, workload};
use crate::stages::tree::{Limits, Pick, Tree};
use crate::stages::{LevelDb, Simulated, Simulation, Sizes, System, simulate, write_amplification};

/// A store scaled down: an item of 1000 bytes, and room for `buffer` of them where the default has 4 Mi.
fn scaled(keys: u64, skew: f64, buffer: u64) -> Simulation {
    let store = LevelDb {
        write_buffer_bytes: buffer * 1000,
        sizes: Sizes::Geometric { first_bytes: buffer * 2500, growth: 10.0 },
        ..LevelDb::default()
    };
    let mut simulation = Simulation::new(workload(keys, skew), store, 7);
    simulation.table_bytes = buffer * 500;
    simulation.overlap_bytes = buffer * 5000;
    simulation
}

/// The model's write amplification ÷ the simulator's, with both printed by step.
fn compare(simulation: &Simulation) -> (f64, Simulated) {
    let mut parameters = leveldb(0, 0.0);
    parameters.workload = simulation.workload;
    parameters.system = System::LevelDb(simulation.store.clone());
    let model = write_amplification(&parameters).unwrap();
    let simulated = simulate(simulation).unwrap();
    println!("{:?}: {} requests", simulation.workload, simulated.requests);
    for (model, simulated) in model.steps.iter().zip(&simulated.steps) {
        assert_eq!((&model.from, &model.to), (&simulated.from, &simulated.to));
        let (to, of) = (&model.to, model.write_amplification);
        println!("  {to:8} model {of:6.3}  simulator {:6.3}", simulated.write_amplification);
    }
    let (of, got) = (model.write_amplification, simulated.write_amplification);
    println!("  total    model {of:6.3}  simulator {got:6.3}  ratio {:.4}", of / got);
    (of / got, simulated)
}

#[test]
fn the_model_agrees_with_a_small_tree() {
    for skew in [0.0, 0.99] {
        let (ratio, _) = compare(&scaled(30_000, skew, 125));
        assert!((ratio - 1.0).abs() < 0.05, "{skew}: {ratio}");
    }
}

#[test]
#[ignore = "a million keys take seconds: cargo test -p model --release -- --ignored --nocapture"]
fn the_model_agrees_with_a_million_keys() {
    for skew in [0.0, 0.99] {
        let (ratio, _) =
            compare(&Simulation::new(workload(1_000_000, skew), LevelDb::default(), 1));
        assert!((ratio - 1.0).abs() < 0.05, "{skew}: {ratio}");
    }
}

/// The thesis's own simulator, whose steps and total Table 4.1 has.
#[test]
#[ignore = "a hundred million keys take minutes: cargo test -p model --release -- --ignored --nocapture"]
fn the_simulator_agrees_with_the_published_one() {
    let keys = workload(100_000_000, 0.0);
    let (_, simulated) = compare(&Simulation::new(keys, LevelDb::default(), 1));
    let published = [1.00, 1.00, 1.60, 4.38, 6.04, 6.09, 5.20];
    for (step, published) in simulated.steps.iter().zip(published) {
        assert!((step.write_amplification / published - 1.0).abs() < 0.05, "{step:?}: {published}");
    }
    assert!((simulated.write_amplification / 25.31 - 1.0).abs() < 0.03, "{simulated:?}");
}

#[test]
fn a_seed_decides_a_run() {
    let mut simulation = scaled(5_000, 0.99, 100);
    let first = simulate(&simulation).unwrap();
    assert_eq!(first, simulate(&simulation).unwrap());
    simulation.seed += 1;
    assert_ne!(first, simulate(&simulation).unwrap());
}

/// A table that may overlap with less ends sooner, and more tables mean more edges.
#[test]
fn a_tight_limit_of_overlap_makes_smaller_tables() {
    let mut simulation = scaled(30_000, 0.0, 125);
    let wide = simulate(&simulation).unwrap();
    simulation.overlap_bytes = simulation.table_bytes;
    assert_ne!(wide.write_amplification, simulate(&simulation).unwrap().write_amplification);
    simulation.overlap_bytes -= 1;
    let refused = simulate(&simulation).unwrap_err().to_string();
    assert!(
        refused.contains("overlap_bytes is 62499: it must be at least table_bytes"),
        "{refused}"
    );
}

/// §4.7: the choice of the largest table writes more than the choice in turn.
#[test]
fn the_largest_table_costs_more_than_the_next() {
    let mut simulation = scaled(30_000, 0.0, 125);
    let in_turn = simulate(&simulation).unwrap().write_amplification;
    simulation.pick = Pick::Largest;
    let largest = simulate(&simulation).unwrap().write_amplification;
    println!("in turn {in_turn:.3}, largest {largest:.3}");
    assert!(largest > in_turn * 1.02, "{in_turn} {largest}");
}

#[test]
fn levels_stay_within_their_limits_and_keep_every_key() {
    let limits = Limits {
        level0_tables: 2,
        level_items: vec![20.0, 60.0, 1000.0],
        table_items: 5,
        overlap_items: 20,
        pick: Pick::InTurn,
    };
    let mut tree = Tree::new(limits);
    for round in 0..400_u32 {
        tree.flush((0..10).map(|i| (round * 10 + i) * 7919 % 1000).collect());
        tree.check();
        let items = tree.level_items();
        assert!(items[0] < 20 && items[1] < 60, "{items:?}");
    }
    // 7919 and 1000 have no common factor: all keys were there after 100 rounds.
    assert_eq!(tree.keys(), (0..1000).collect::<Vec<u32>>());
}
