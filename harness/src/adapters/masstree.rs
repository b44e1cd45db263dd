//! Opens Masstree on a heap.

use baseline_masstree::{Config, Masstree};
use engine::OpenError;

use super::heap_of;
use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<Masstree, OpenError> {
    Options::new(&setup.options).finish()?;
    let heap = heap_of(setup)?;
    Masstree::open(Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) })
}
