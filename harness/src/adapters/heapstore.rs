//! Opens the index over objects on a heap.

use baseline_heapstore::{Config, HeapStore};
use engine::OpenError;

use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<HeapStore, OpenError> {
    let heap = setup.heap.ok_or_else(|| OpenError::BadSetting {
        setting: "heap".to_owned(),
        value: String::new(),
        accepted: "a heap by name, as in heapstore:jemalloc".to_owned(),
    })?;
    let mut config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    let mut options = Options::new(&setup.options);
    options.read("shards", &mut config.shards)?;
    options.finish()?;
    HeapStore::open(config)
}
