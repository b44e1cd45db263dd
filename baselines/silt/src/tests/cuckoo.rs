//! The cuckoo table: how full it gets, and that it loses nothing.

use crate::cuckoo::Table;
use crate::key::{Buckets, of_word};

/// Fills a table of `bits` and returns its occupancy when an insert first fails. Then the table is
/// as it was before that insert, and every entry is where it may be found.
fn occupancy(bits: u32, displacements: usize, seed: u64) -> f64 {
    let mut table = Table::new(bits, displacements, seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
    let buckets = |number: u64| Buckets::of(&of_word(seed << 40 | number), bits);
    let slots = table.tags().len();
    for number in 0.. {
        let before = (seed % 20 == 0).then(|| (table.tags().to_vec(), places(&table)));
        if table.entries() * 100 < slots * 85 || before.is_none() {
            if table.insert(buckets(number), number as u32).is_ok() {
                continue;
            }
        } else if table.insert(buckets(number), number as u32).is_ok() {
            continue;
        }
        assert_eq!(table.entries() as u64, number);
        if let Some((tags, places_before)) = before {
            assert!(table.tags() == tags && places(&table) == places_before, "unchanged");
        }
        for number in 0..number {
            let found = |slot| table.place(slot) == number as u32;
            assert!(table.candidates(buckets(number)).any(found), "seed {seed} lost {number}");
        }
        break;
    }
    table.entries() as f64 / slots as f64
}

fn places(table: &Table) -> Vec<u32> {
    (0..table.tags().len()).map(|slot| table.place(slot)).collect()
}

/// About 93 % (§2.2.1).
#[test]
fn a_table_is_93_percent_full_when_an_insert_first_fails() {
    let shares: Vec<f64> = (1..=40).map(|seed| occupancy(15, 128, seed)).collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let (least, most) = shares
        .iter()
        .fold((1.0_f64, 0.0_f64), |(least, most), &share| (least.min(share), most.max(share)));
    println!("occupancy at first failure: mean {mean:.4}, {least:.4} to {most:.4}");
    assert!(least >= 0.90 && most <= 0.95, "{shares:?}");
    assert!((mean - 0.9375).abs() <= 0.004, "{mean}");
}
