//! What the tests share: stores that are opened only where their library is installed.
#![allow(dead_code, reason = "each test file uses a part")]

use engine::{KvEngine, OpenError};

/// Runs `body` with an opener that succeeds. Where the store misses something on this machine
/// that is said, and is no failure.
pub(crate) fn where_installed<E: KvEngine>(
    open: impl Fn() -> Result<E, OpenError>,
    body: impl FnOnce(&dyn Fn() -> E),
) {
    match open() {
        Ok(store) => drop(store),
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped {}: {error}", E::TRAITS.name);
            return;
        }
        Err(error) => panic!("{}: {error}", E::TRAITS.name),
    }
    body(&|| open().unwrap_or_else(|error| panic!("{}: {error}", E::TRAITS.name)));
}

/// A statistic's value.
pub(crate) fn statistic(store: &impl KvEngine, name: &str) -> f64 {
    let statistics = store.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == name);
    found.unwrap_or_else(|| panic!("no statistic `{name}`: {statistics:?}")).value
}
