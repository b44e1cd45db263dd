//! Opens the sharded hash map.

use baseline_hashmap::{Config, ShardedMap};
use engine::OpenError;

use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<ShardedMap, OpenError> {
    let mut config = Config::default();
    let mut options = Options::new(&setup.options);
    options.read("shards", &mut config.shards)?;
    options.finish()?;
    ShardedMap::open(config)
}
