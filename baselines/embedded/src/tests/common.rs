//! What the tests share: stores that are opened only where their library is installed.

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
