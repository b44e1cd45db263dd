//! Refused parameters, and the form of answers.

use super::{leveldb, workload};
use crate::stages::{
    Cascade, LevelDb, ParameterError, Parameters, Popularity, Silt, Simulation, Sizes, System,
    simulate, write_amplification,
};

fn refusal(keys: u64, skew: f64, system: System) -> String {
    let parameters = Parameters { workload: workload(keys, skew), system };
    write_amplification(&parameters).unwrap_err().to_string()
}

fn sized(sizes: Sizes) -> System {
    System::LevelDb(LevelDb { sizes, ..LevelDb::default() })
}

#[test]
fn refusals_name_the_value_and_the_remedy() {
    let given = |items: &[f64]| sized(Sizes::Given { items: items.to_vec() });
    let default = || System::LevelDb(LevelDb::default());
    let buffer = LevelDb { write_buffer_bytes: 999, ..LevelDb::default() };
    let none = LevelDb { level0_tables: 0, ..LevelDb::default() };
    let silt = Silt { table_slots: 1 << 20, ..Silt::default() };
    for (keys, skew, system, parts) in [
        (1, 0.0, default(), ["keys is 1", "from 2"]),
        (100, -1.0, default(), ["skew is -1", "0.99"]),
        (100, f64::NAN, default(), ["skew is NaN", "from 0"]),
        (100, 0.0, System::LevelDb(buffer), ["write_buffer_bytes is 999", "holds an item"]),
        (100, 0.0, System::LevelDb(none), ["level0_tables is 0", "from 1"]),
        (
            100,
            0.0,
            sized(Sizes::Geometric { first_bytes: 10_000, growth: 1.0 }),
            ["growth is 1", "from 1.5"],
        ),
        (100, 0.0, sized(Sizes::Optimal { levels: 0 }), ["levels is 0", "from 1 to 12"]),
        (100, 0.0, given(&[20.0, 10.0]), ["level 2 holds 10", "do not fall"]),
        (100, 0.0, given(&[20.0, 200.0]), ["level 3 holds 100", "number of keys"]),
        (100, 0.0, given(&[f64::NAN]), ["level 1 holds NaN", "do not fall"]),
        (100, 0.0, System::Cola(Cascade { growth: 1, ..Cascade::default() }), ["growth is 1", "2"]),
        (
            100,
            0.0,
            System::Samt(Cascade { levels: Some(0), ..Cascade::default() }),
            ["levels is 0", "left out"],
        ),
        (1_000_000, 0.0, System::Silt(silt), ["table_slots is 1048576", "smaller tables"]),
        (
            1_000_000,
            0.0,
            System::Silt(Silt { occupancy: 1.5, ..Silt::default() }),
            ["occupancy is 1.5", "0.93"],
        ),
    ] {
        let text = refusal(keys, skew, system);
        assert!(parts.iter().all(|part| text.contains(part)), "{parts:?}: {text}");
    }
    let mut many = Simulation::new(workload(1 << 33, 0.0), LevelDb::default(), 1);
    assert!(simulate(&many).unwrap_err().to_string().contains("simulate fewer"));
    many.workload.keys = 1000;
    many.table_bytes = 1;
    let refused = simulate(&many).unwrap_err();
    assert!(matches!(refused, ParameterError::Range { name: "table_bytes", .. }));
    assert!(Popularity::new(&workload(2, 4.0)).is_ok(), "the ends of the ranges are allowed");
}

/// Programs read names and numbers from here.
#[test]
fn answers_say_what_was_asked_and_every_step() {
    let answer = write_amplification(&leveldb(1_000_000, 0.99)).unwrap();
    let text = toml::to_string(&answer).unwrap();
    for part in [
        "[parameters.system]",
        "name = \"leveldb\"",
        "rule = \"geometric\"",
        "skew = 0.99",
        "from = \"level 2\"",
        "to = \"level 3\"",
        "target_items = 1000000.0",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let sum: f64 = answer.steps.iter().map(|step| step.write_amplification).sum();
    assert!((sum - answer.write_amplification).abs() < 1e-12);
}

/// A store so small that one level holds every key.
#[test]
fn a_small_store_has_one_level() {
    let answer = write_amplification(&leveldb(1_000, 0.0)).unwrap();
    assert_eq!(answer.steps.len(), 3);
    assert!(answer.steps.iter().all(|step| step.write_amplification.is_finite()));
}
