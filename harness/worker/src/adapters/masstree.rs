//! Opens Masstree on a heap.

use baseline_masstree::{Config, Masstree};
use engine::{OpenError, Setup};

pub(crate) fn open(setup: &Setup) -> Result<Masstree, OpenError> {
    setup.options().finish()?;
    let heap = setup.heap()?;
    Masstree::open(Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) })
}
