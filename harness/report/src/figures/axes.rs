//! What can differ between two key-value cells, setting by setting, and what is the same in all.

use std::collections::{BTreeMap, BTreeSet};

use workloads::bytes::{format_bytes, parse_bytes};

use crate::figures::requests;
use record::{System, dimensions::DIMENSIONS, repetition::Repetition};

/// A setting that cells may differ in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Axis {
    /// Which store, settings left out.
    Store,
    /// A setting of the requests, by its place in the table of dimensions.
    Requests(usize),
    /// A setting of the store.
    Option(String),
}

impl Axis {
    /// How an axis is called, with the unit.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Store => "store".to_owned(),
            Self::Requests(place) => DIMENSIONS[*place].title.to_owned(),
            Self::Option(name) => name.clone(),
        }
    }

    /// `value` of this axis, as it reads alone; empty where it is the usual one.
    pub(super) fn words(&self, value: &str) -> String {
        match self {
            Self::Store => value.replace(':', " "),
            Self::Requests(place) => (DIMENSIONS[*place].words)(value),
            Self::Option(name) => format!("{name} {value}"),
        }
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
    for (place, dimension) in DIMENSIONS.iter().enumerate() {
        if let Some(value) = (dimension.get)(work) {
            all.insert(Axis::Requests(place), value);
        }
    }
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
    let same: Vec<String> = same.filter(|words| !words.is_empty()).collect();
    (!same.is_empty()).then(|| format!("In all cells: {}.", same.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_stores_have_their_names() {
        assert_eq!(Axis::Option("heads".to_owned()).words("4"), "heads 4");
        let titles: Vec<String> =
            (0..DIMENSIONS.len()).map(|place| Axis::Requests(place).title()).collect();
        assert!(titles.contains(&"fill, %".to_owned()), "{titles:?}");
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
