//! The cuckoo table: how full it gets, and that it loses nothing.

use crate::cuckoo::Table;
use crate::key::{Buckets, of_word};

fn buckets(seed: u64, number: u64, bits: u32) -> Buckets {
    Buckets::of(&of_word(seed << 40 | number), bits)
}

/// Fills a table of `bits` until an insert fails. Then every entry is where it may be found.
fn filled(bits: u32, displacements: usize, seed: u64) -> Table {
    let mut table = Table::new(bits, displacements, seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
    let mut number = 0;
    while table.insert(buckets(seed, number, bits), number as u32).is_ok() {
        number += 1;
    }
    assert_eq!(table.entries() as u64, number);
    for number in 0..number {
        let found = |slot| table.place(slot) == number as u32;
        let is_there = table.candidates(buckets(seed, number, bits)).any(found);
        assert!(is_there, "seed {seed} lost {number}");
    }
    table
}

/// What does not fit changes nothing, however long its walk was.
#[test]
fn a_failed_insert_leaves_the_table_as_it_was() {
    for (seed, displacements) in (1..=30).zip([0, 1, 2, 7, 128].into_iter().cycle()) {
        let mut table = filled(6, displacements, seed);
        let contents = |table: &Table| -> Vec<_> {
            (0..table.tags().len()).map(|slot| (table.tags()[slot], table.place(slot))).collect()
        };
        let before = contents(&table);
        let mut failed = 0;
        for number in 1000..1100 {
            if table.insert(buckets(seed, number, 6), 7).is_ok() {
                break;
            }
            failed += 1;
            assert!(contents(&table) == before, "seed {seed}, {displacements} displacements");
        }
        assert!(failed > 0 || displacements < 128 || table.entries() > 230, "seed {seed}");
    }
}

/// About 93 % (§2.2.1).
#[test]
fn a_table_is_93_percent_full_when_an_insert_first_fails() {
    let shares: Vec<f64> = (1..=40)
        .map(|seed| {
            let table = filled(15, 128, seed);
            table.entries() as f64 / table.tags().len() as f64
        })
        .collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let (least, most) = shares
        .iter()
        .fold((1.0_f64, 0.0_f64), |(least, most), &share| (least.min(share), most.max(share)));
    println!("occupancy at first failure: mean {mean:.4}, {least:.4} to {most:.4}");
    assert!(least >= 0.90 && most <= 0.95, "{shares:?}");
    assert!((mean - 0.9375).abs() <= 0.004, "{mean}");
}
