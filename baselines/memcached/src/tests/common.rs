//! What the tests share: opening a server where it is installed.

use baseline_memcached::{Config, Memcached};
use engine::OpenError;

/// Opens the server; `None` where this machine lacks it, which is said and is no failure.
pub(crate) fn opened(config: Config) -> Option<Memcached> {
    match Memcached::open(config) {
        Ok(store) => Some(store),
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
