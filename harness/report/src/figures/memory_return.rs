//! Whether deletes return memory: what fillings of one process take, one after another.

use workloads::fragmentation::Phase;

use record::{MemoryPoint, Row, Work};

/// What a later filling may take of what the first one took.
pub const RATIO_MAX: f64 = 1.05;

/// What became of the memory of deleted objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// No filling took more than [`RATIO_MAX`] times what the first one took.
    Returned,
    /// Some did, and the growth came to an end: holes that do not fit are reused in the end.
    Fragmented,
    /// Some did, and they still grew when the cycles ended: memory that does not come back.
    Leaking,
}

impl Fate {
    /// The word used in tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Returned => "returned",
            Self::Fragmented => "fragmentation",
            Self::Leaking => "leak",
        }
    }

    /// Of fillings relative to the first. What a leak takes in the second half of the cycles is what
    /// it took in the first; fragmentation takes less than half of that, or it is none.
    fn of(fillings: &[f64]) -> Self {
        let highest = |ratios: &[f64]| ratios.iter().copied().fold(1.0, f64::max);
        let all = highest(fillings);
        let early = highest(&fillings[..fillings.len().div_ceil(2)]);
        match (all - early, early - 1.0) {
            _ if all <= RATIO_MAX => Self::Returned,
            (late, early) if late < early / 2.0 => Self::Fragmented,
            _ => Self::Leaking,
        }
    }
}

/// What the cycles of one process come to.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryReturn {
    /// Resident memory after the first filling.
    pub first_fill_bytes: u64,
    /// Resident ÷ live bytes after each filling, relative to the first.
    pub fillings: Vec<f64>,
    /// Resident memory after the deletes of each cycle ÷ [`Self::first_fill_bytes`].
    pub remainders: Vec<f64>,
    /// The highest of `fillings`.
    pub worst_ratio: f64,
    /// What that means.
    pub fate: Fate,
}

/// Judges the rows of one process, in any order; `None` where they are not of a pattern of cycles,
/// or some step of it was not observed. Where the live bytes differ from filling to filling (stores
/// that fill until they refuse), so may the memory: a store that refuses ever earlier leaks.
#[must_use]
pub fn returns_memory<'a>(
    rows: impl IntoIterator<Item = &'a Row, IntoIter: Clone>,
) -> Option<MemoryReturn> {
    let rows = rows.into_iter();
    let Work::Fragmentation(work) = &rows.clone().next()?.cell.work else { return None };
    work.pattern.cycles?;
    let (mut fillings, mut remainders) = (Vec::new(), Vec::new());
    let mut first: Option<MemoryPoint> = None;
    for step in work.pattern.steps() {
        let name = step.to_string();
        let seen = rows.clone().find(|row| row.step == name)?.memory.as_ref()?.at_once?;
        let first = first.get_or_insert(seen);
        let ratio = seen.resident_bytes as f64 / first.resident_bytes as f64;
        if step.phase == Phase::Delete {
            remainders.push(ratio);
        } else {
            fillings.push(ratio * first.live_bytes as f64 / seen.live_bytes as f64);
        }
    }
    let is_sound = |ratio: &f64| ratio.is_finite();
    (fillings.iter().all(is_sound) && remainders.iter().all(is_sound)).then(|| MemoryReturn {
        first_fill_bytes: first.map_or(0, |first| first.resident_bytes),
        worst_ratio: fillings.iter().copied().fold(0.0, f64::max),
        fate: Fate::of(&fillings),
        fillings,
        remainders,
    })
}

#[cfg(test)]
mod tests {
    use workloads::fragmentation::Pattern;

    use super::*;
    use crate::figures::fixture;
    use record::{Fragmentation, Memory};

    /// A process that has so many MiB resident and live after each filling, and a tenth of the
    /// resident ones after each delete.
    fn process(seen: &[(u64, u64)]) -> Vec<Row> {
        let pattern = Pattern::by_name("P1").unwrap();
        let pattern = Pattern { cycles: Some(seen.len() as u32), second: None, ..pattern };
        let work = Fragmentation { pattern, ..fixture::work("P1") };
        let steps: Vec<_> = work.pattern.steps().collect();
        let cell = fixture::cell(fixture::store("hashmap"), Work::Fragmentation(work), 0);
        let rows = steps.into_iter().enumerate().map(|(index, step)| {
            let (resident_mib, live_mib) = seen[index / 2];
            let (resident_bytes, live_bytes) = match step.phase {
                Phase::Delete => ((resident_mib << 20) / 10, 0),
                _ => (resident_mib << 20, live_mib << 20),
            };
            let at_once = MemoryPoint { resident_bytes, live_bytes, ..MemoryPoint::default() };
            let memory = Memory { at_once: Some(at_once), ..Memory::default() };
            Row { memory: Some(memory), ..fixture::row(&cell, &step.to_string()) }
        });
        rows.collect()
    }

    fn judged(resident_mib: &[u64]) -> (f64, Fate) {
        let seen: Vec<(u64, u64)> = resident_mib.iter().map(|&resident| (resident, 90)).collect();
        let found = returns_memory(&process(&seen)).unwrap();
        (found.worst_ratio, found.fate)
    }

    #[test]
    fn growth_that_ends_is_fragmentation_and_growth_that_goes_on_a_leak() {
        for (resident_mib, expected) in [
            (&[100, 100, 99, 101, 105, 100][..], (1.05, Fate::Returned)),
            (&[100, 60, 60, 60], (1.0, Fate::Returned)),
            (&[100, 160, 160, 161, 160, 160], (1.61, Fate::Fragmented)),
            (&[100, 130, 140, 145, 147, 148, 148, 148], (1.48, Fate::Fragmented)),
            (&[100, 102, 104, 106, 108, 110], (1.1, Fate::Leaking)),
            (&[100, 100, 100, 100, 120, 140], (1.4, Fate::Leaking)),
            (&[100, 106], (1.06, Fate::Leaking)),
        ] {
            assert_eq!(judged(resident_mib), expected, "{resident_mib:?}");
        }
    }

    #[test]
    fn a_store_that_refuses_ever_earlier_leaks_within_its_bound() {
        let found =
            returns_memory(&process(&[(100, 80), (100, 76), (100, 72), (100, 64)])).unwrap();
        assert_eq!((found.first_fill_bytes, found.worst_ratio), (100 << 20, 1.25));
        assert_eq!(found.fate, Fate::Leaking);
        assert_eq!(found.remainders, [0.1; 4]);
    }

    #[test]
    fn what_was_not_observed_is_not_judged() {
        let rows = process(&[(100, 80), (100, 80)]);
        assert!(returns_memory(&rows).is_some());
        assert_eq!(returns_memory(&rows[..3]), None, "the last deletes are missing");
        assert_eq!(returns_memory(&process(&[(100, 80), (100, 0)])), None);
        let paper = fixture::fragmentation(fixture::store("btree"), fixture::work("P1"), 0, 1.2);
        assert_eq!(returns_memory(&paper), None);
        assert_eq!(returns_memory(&[]), None);
    }
}
