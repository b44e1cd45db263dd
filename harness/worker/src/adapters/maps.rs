//! Opens the maps, each by its own name.

use baseline_maps::{Config, Dashmap, MapStore, Papaya, Scc, Skiplist, Striped};
use engine::{OpenError, Setup};

macro_rules! openers {
    ($($open:ident $map:ty),+ $(,)?) => {
        $(pub(crate) fn $open(setup: &Setup) -> Result<MapStore<$map>, OpenError> {
            MapStore::open(config(setup)?)
        })+
    };
}
openers!(dashmap Dashmap, papaya Papaya, scc Scc, skiplist Skiplist, striped Striped);

fn config(setup: &Setup) -> Result<Config, OpenError> {
    let mut config = Config {
        object_memory_bytes: setup.object_memory_bytes,
        records_max: setup.records_max,
        ..Config::new(setup.heap()?)
    };
    let mut options = setup.options();
    let mut shards = 0;
    options.read("shards", &mut shards)?;
    config.shards = (shards > 0).then_some(shards);
    options.read("presize", &mut config.presize)?;
    options.finish()?;
    Ok(config)
}
