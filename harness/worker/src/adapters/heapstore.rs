//! Opens the index over objects on a heap.

use baseline_heapstore::{Config, Heaped, Layout, SHARDS_MAX};
use engine::{OpenError, Options, Setup, Whole};

use super::Opening;

pub(crate) fn open<K: Layout>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<Heaped<K>>, OpenError> {
    let heap = setup.heap()?;
    let mut config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    options.whole("shards", &mut config.shards, Whole::powers_of_two(1..=SHARDS_MAX as u64))?;
    options.switch("huge-pages", &mut config.huge_pages)?;
    Ok(Box::new(move || Heaped::open(config)))
}
