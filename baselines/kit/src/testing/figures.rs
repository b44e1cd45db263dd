//! Statistics and settings of a store by name; a name that is not there fails the test.

use engine::KvEngine;

/// A statistic's value.
///
/// # Panics
/// If there is none of this name.
pub fn statistic(store: &impl KvEngine, name: &str) -> f64 {
    let statistics = store.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic `{name}`: {statistics:?}")).value
}

/// A statistic that is a whole number.
///
/// # Panics
/// If there is none of this name.
pub fn counter(store: &impl KvEngine, name: &str) -> u64 {
    statistic(store, name) as u64
}

/// A setting's value.
///
/// # Panics
/// If there is none of this name.
pub fn setting(store: &impl KvEngine, name: &str) -> String {
    let settings = store.settings();
    let found = settings.iter().find(|setting| setting.name == name);
    found.unwrap_or_else(|| panic!("no setting `{name}`: {settings:?}")).value.clone()
}
