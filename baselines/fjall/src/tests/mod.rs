//! Tests of the crate as a whole, through what it shows to others.

mod conformance;
mod reopened;
mod settings;
mod stores;

use engine::{KvEngine, OpenError};

/// Runs `body` with an opener that succeeds. Where the tmpfs is too small that is said, and is no failure.
fn where_it_fits<E: KvEngine>(
    open: impl Fn() -> Result<E, OpenError>,
    body: impl FnOnce(&dyn Fn() -> E),
) {
    match open() {
        Ok(store) => drop(store),
        Err(error @ OpenError::Missing { .. }) => return eprintln!("skipped: {error}"),
        Err(error) => panic!("{error}"),
    }
    body(&|| open().unwrap_or_else(|error| panic!("{error}")));
}
