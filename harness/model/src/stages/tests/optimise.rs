//! The optimiser: recomputed optima, and what every optimum must satisfy.

use super::{HUNDRED_MILLION, assert_near, leveldb, workload};
use crate::stages::{LevelDb, Sizes, System, optimal_sizes, write_amplification};

#[test]
fn optima_are_as_recomputed() {
    let store = LevelDb::default();
    for (skew, amplification, sizes) in [
        (0.0, 23.67, [47_891.0, 321_362.0, 2_158_726.0, 14_603_647.0]),
        (0.99, 11.76, [32_165.0, 214_850.0, 1_507_573.0, 11_435_831.0]),
    ] {
        let found = optimal_sizes(&workload(HUNDRED_MILLION, skew), &store).unwrap();
        assert_near(found.write_amplification, amplification);
        for (got, expected) in found.level_items.iter().zip(sizes) {
            assert_near(*got, expected);
        }
        println!("{skew}: {} evaluations", found.evaluations);
        assert!(found.evaluations < 5_000, "{}", found.evaluations);
    }
}

/// A large buffer, where levels would fall without the constraint.
#[test]
fn sizes_do_not_fall_and_no_neighbour_is_better() {
    let workload = workload(10_000_000, 0.0);
    let store = LevelDb { write_buffer_bytes: 1_000_000_000, ..LevelDb::default() };
    let found = optimal_sizes(&workload, &store).unwrap();
    assert!(found.level_items.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
    assert!(found.write_amplification < found.before);
    let inner = found.level_items.len() - 1;
    for level in 0..inner {
        for by in [0.97, 1.03] {
            let mut items = found.level_items[..inner].to_vec();
            items[level] *= by;
            let mut parameters = leveldb(10_000_000, 0.0);
            let sizes = Sizes::Given { items };
            parameters.system = System::LevelDb(LevelDb { sizes, ..store.clone() });
            if let Ok(near) = write_amplification(&parameters) {
                assert!(near.write_amplification >= found.write_amplification * (1.0 - 1e-7));
            }
        }
    }
}

#[test]
fn fewer_levels_cost_more() {
    let with = |levels| {
        let mut parameters = leveldb(HUNDRED_MILLION, 0.0);
        let sizes = Sizes::Optimal { levels };
        parameters.system = System::LevelDb(LevelDb { sizes, ..LevelDb::default() });
        write_amplification(&parameters).unwrap()
    };
    let [three, four, five] = [3, 4, 5].map(with);
    assert_eq!(three.steps.len(), 5);
    assert!(three.write_amplification > four.write_amplification);
    assert!(four.write_amplification > five.write_amplification);
    assert_near(five.write_amplification, 23.67);
}
