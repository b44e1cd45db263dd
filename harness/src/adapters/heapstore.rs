//! Opens the index over objects on a heap.

use baseline_heapstore::{Config, HeapStore};
use engine::OpenError;

use super::heap_of;
use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<HeapStore, OpenError> {
    open_with(setup, Options::new(&setup.options))
}

/// Opens it with what is left of the options.
pub(super) fn open_with(setup: &StoreSetup, mut options: Options) -> Result<HeapStore, OpenError> {
    let heap = heap_of(setup)?;
    let mut config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    options.read("shards", &mut config.shards)?;
    options.finish()?;
    HeapStore::open(config)
}
