//! Opens the index over objects on a heap.

use baseline_heapstore::{Config, HeapStore};
use engine::{OpenError, Options, Setup};

pub(crate) fn open(setup: &Setup) -> Result<HeapStore, OpenError> {
    open_with(setup, setup.options())
}

/// Opens the store with the options that remain.
pub(super) fn open_with(setup: &Setup, mut options: Options) -> Result<HeapStore, OpenError> {
    let heap = setup.heap()?;
    let mut config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    options.read("shards", &mut config.shards)?;
    options.finish()?;
    HeapStore::open(config)
}
