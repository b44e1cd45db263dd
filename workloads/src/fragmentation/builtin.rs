//! The patterns of the two papers.

use super::{Pattern, Volume};
use crate::SizeDistribution;

const NIBBLE: &str = "Nibble paper (PVLDB 11(4), 2017), Fig. 9";
const RAMCLOUD: &str = "RAMCloud paper (FAST 2014), Fig. 1; as recalled, heights unread";

const fn fixed(bytes: usize) -> SizeDistribution {
    SizeDistribution::Constant(bytes)
}

const fn kib(count: usize) -> SizeDistribution {
    SizeDistribution::Constant(count << 10)
}

const fn range(from: usize, to: usize) -> SizeDistribution {
    SizeDistribution::Uniform { from, to }
}

type Row = (&'static str, SizeDistribution, Option<SizeDistribution>, f64);

/// Fill, delete nine tenths, fill again. The paper's cap is 8 GiB.
const PAPER: [Row; 6] = [
    ("P1", fixed(60), Some(fixed(70)), 0.9),
    ("P2", fixed(1000), Some(fixed(1024)), 0.9),
    ("P3", fixed(1000), Some(fixed(1030)), 0.9),
    ("P4", kib(1), Some(kib(10)), 0.9),
    ("P5", kib(10), Some(kib(100)), 0.9),
    ("P6", kib(500), Some(kib(600)), 0.9),
];

/// Each filling allocates five times the cap. The paper's cap is 10 GB.
const RAMCLOUD_PAPER: [Row; 8] = [
    ("W1", fixed(100), None, 0.0),
    ("W2", fixed(100), Some(fixed(130)), 0.0),
    ("W3", fixed(100), Some(fixed(130)), 0.9),
    ("W4", range(100, 150), Some(range(200, 250)), 0.0),
    ("W5", range(100, 150), Some(range(200, 250)), 0.9),
    ("W6", range(100, 200), Some(range(1000, 2000)), 0.5),
    ("W7", range(1000, 2000), Some(range(1500, 2500)), 0.9),
    ("W8", range(50, 150), Some(range(5000, 15000)), 0.9),
];

/// Every built-in pattern: `P1` to `P6`, then `W1` to `W8`.
pub fn all() -> Vec<Pattern> {
    let paper = PAPER.map(|row| pattern(row, Volume::Fill, NIBBLE));
    let ramcloud = RAMCLOUD_PAPER.map(|row| pattern(row, Volume::Multiple(5.0), RAMCLOUD));
    paper.into_iter().chain(ramcloud).collect()
}

fn pattern(row: Row, volume: Volume, source: &str) -> Pattern {
    let (name, first, second, delete_fraction) = row;
    Pattern {
        name: name.to_owned(),
        label: Pattern::label_of(&first, second.as_ref()),
        first,
        second,
        delete_fraction,
        volume,
        cycles: None,
        source: source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_found_by_name() {
        let all = all();
        assert_eq!(all.len(), 14);
        for pattern in &all {
            assert_eq!(pattern.validate(), Ok(()));
            assert_eq!(Pattern::by_name(&pattern.name).as_ref(), Some(pattern));
        }
        assert_eq!(Pattern::by_name("W9"), None);
    }

    #[test]
    fn labels_are_the_papers() {
        let labels: Vec<String> = all().iter().map(ToString::to_string).collect();
        assert_eq!(
            labels,
            [
                "P1: 60 → 70 B, 90 % deleted",
                "P2: 1000 → 1024 B, 90 % deleted",
                "P3: 1000 → 1030 B, 90 % deleted",
                "P4: 1 → 10 KiB, 90 % deleted",
                "P5: 10 → 100 KiB, 90 % deleted",
                "P6: 500 → 600 KiB, 90 % deleted",
                "W1: 100 B",
                "W2: 100 → 130 B, 0 % deleted",
                "W3: 100 → 130 B, 90 % deleted",
                "W4: 100–150 → 200–250 B, 0 % deleted",
                "W5: 100–150 → 200–250 B, 90 % deleted",
                "W6: 100–200 → 1000–2000 B, 50 % deleted",
                "W7: 1000–2000 → 1500–2500 B, 90 % deleted",
                "W8: 50–150 → 5000–15000 B, 90 % deleted",
            ]
        );
    }
}
