//! The suite every store passes, for one owner, as many as there are cores, and more.

use baseline_mica::handover::{Config, MicaHandover};
use baseline_mica::store;
use engine::OpenError;

fn handover(object_memory_bytes: u64, owners: Option<usize>) -> Result<MicaHandover, OpenError> {
    let store = store::Config::new(object_memory_bytes, object_memory_bytes / 256);
    let config = Config::new(store);
    MicaHandover::open(Config { owners: owners.unwrap_or(config.owners), ..config })
}

engine::conformance_tests!(an_owner_each_core, MicaHandover, |bytes| handover(bytes, None));
engine::conformance_tests!(one_owner, MicaHandover, |bytes| handover(bytes, Some(1)));
engine::conformance_tests!(four_owners, MicaHandover, |bytes| handover(bytes, Some(4)));
