//! What can differ between two key-value cells, setting by setting, and what is the same in all.

use std::collections::{BTreeMap, BTreeSet};

use workloads::bytes::{format_bytes, parse_bytes};

use crate::figures::requests;
use record::repetition::Repetition;
use record::{Driver, System};

/// A setting that cells may differ in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    /// Which store, settings left out.
    Store,
    /// The workload's name.
    Workload,
    /// Keys' distribution.
    Keys,
    /// Value sizes.
    Values,
    /// Fill in percent.
    Fill,
    Threads,
    /// Operations per call.
    Batch,
    /// Scheduled requests per second.
    Rate,
    /// What the store went through.
    Ageing,
    /// Whether memory was made resident before the clock.
    Resident,
    /// A setting of the store.
    Option(String),
}

impl Axis {
    /// How an axis is called, with the unit.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Store => "store",
            Self::Workload => "workload",
            Self::Keys => "keys",
            Self::Values => "value size",
            Self::Fill => "fill, %",
            Self::Threads => "threads",
            Self::Batch => "operations per call",
            Self::Rate => "scheduled rate, requests/s",
            Self::Ageing => "ageing",
            Self::Resident => "memory resident before the clock",
            Self::Option(name) => name,
        }
        .to_owned()
    }

    /// `value` of this axis, as it reads alone.
    pub(super) fn words(&self, value: &str) -> String {
        match self {
            Self::Store | Self::Workload | Self::Keys => value.replace(':', " "),
            Self::Values => format!("values of {}", in_bytes(value)),
            Self::Fill => format!("{value} % fill"),
            Self::Threads if value == "1" => "1 thread".to_owned(),
            Self::Threads => format!("{value} threads"),
            Self::Batch if value == "1" => "single operations".to_owned(),
            Self::Batch => format!("batches of {value}"),
            Self::Rate => format!("{} requests/s", number(value).map_or_else(String::new, short)),
            Self::Ageing if value == "none" => "not aged".to_owned(),
            Self::Ageing => format!("ageing {}", value.replace(':', " ")),
            Self::Resident if value == "true" => "memory resident before the clock".to_owned(),
            Self::Resident => "memory touched within the clock".to_owned(),
            Self::Option(name) => format!("{name} {value}"),
        }
    }
}

/// A size with its unit: `64 B`, `1KiB`.
pub(super) fn in_bytes(size: &str) -> String {
    if size.ends_with('B') { size.to_owned() } else { format!("{size} B") }
}

/// `250k`, `1M`.
pub(super) fn short(number: f64) -> String {
    match number {
        number if number >= 1e6 => format!("{}M", number / 1e6),
        number if number >= 1e3 => format!("{}k", number / 1e3),
        number => number.to_string(),
    }
}

/// The number that `value` is, sizes included.
pub(super) fn number(value: &str) -> Option<f64> {
    value.parse().ok().or_else(|| parse_bytes(value).ok().map(|bytes| bytes as f64))
}

/// All settings of the cell of `one`.
pub(super) fn settings(one: &Repetition<'_>) -> BTreeMap<Axis, String> {
    let mut all = BTreeMap::new();
    if let System::Store { name, heap, options } = &one.cell.system {
        let bare =
            System::Store { name: name.clone(), heap: heap.clone(), options: BTreeMap::new() };
        all.insert(Axis::Store, bare.label());
        for (name, value) in options {
            all.insert(Axis::Option(name.clone()), readable(name, value));
        }
    }
    let Some(work) = requests(one) else { return all };
    all.insert(Axis::Workload, work.workload.name.clone());
    all.insert(Axis::Keys, work.distribution());
    all.insert(Axis::Values, work.workload.value_bytes.to_string());
    all.insert(Axis::Fill, work.fill_percent.to_string());
    all.insert(Axis::Threads, work.threads.to_string());
    match work.driver {
        Driver::Closed { batch } => all.insert(Axis::Batch, batch.to_string()),
        Driver::Open { rate_ops_per_s, .. } => all.insert(Axis::Rate, rate_ops_per_s.to_string()),
        Driver::Timed { speed } => all.insert(Axis::Rate, format!("the trace's × {speed}")),
    };
    all.insert(Axis::Ageing, work.ageing.to_string());
    all.insert(Axis::Resident, work.resident.to_string());
    all
}

/// Sizes as people write them, anything else as it is.
fn readable(option: &str, value: &str) -> String {
    match value.parse() {
        Ok(bytes) if option.ends_with("-bytes") => format_bytes(bytes),
        _ => value.to_owned(),
    }
}

/// The values that each axis takes in `all`.
pub(super) fn values(all: &[Repetition<'_>]) -> BTreeMap<Axis, BTreeSet<String>> {
    let mut values: BTreeMap<Axis, BTreeSet<String>> = BTreeMap::new();
    for one in all {
        for (axis, value) in settings(one) {
            values.entry(axis).or_default().insert(value);
        }
    }
    values
}

/// What all requests have in common, as a sentence; `None` of no cells.
pub(super) fn common(all: &[Repetition<'_>]) -> Option<String> {
    let same = values(all).into_iter().filter_map(|(axis, values)| {
        let about_requests = !matches!(axis, Axis::Store | Axis::Option(_));
        let shared = about_requests
            && values.len() == 1
            && all.iter().all(|one| settings(one).contains_key(&axis));
        shared.then(|| axis.words(values.first().expect("one value")))
    });
    let same: Vec<String> = same.collect();
    (!same.is_empty()).then(|| format!("In all cells: {}.", same.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_well() {
        assert_eq!([2.5e5, 1e6, 12.0].map(short), ["250k", "1M", "12"]);
        assert_eq!(Axis::Values.words("64"), "values of 64 B");
        assert_eq!(Axis::Values.words("1KiB"), "values of 1KiB");
        assert_eq!(Axis::Rate.words("250000"), "250k requests/s");
        assert_eq!(Axis::Option("heads".to_owned()).words("4"), "heads 4");
    }

    #[test]
    fn sizes_and_numbers_are_numbers_and_words_are_not() {
        assert_eq!(number("1KiB"), Some(1024.0));
        assert_eq!(number("2.5"), Some(2.5));
        for words in ["true", "rewrites:1", "cost-benefit", "100-200"] {
            assert_eq!(number(words), None, "{words}");
        }
    }
}
