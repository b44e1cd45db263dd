//! Opens the maps, each by its own name.

use baseline_maps::{
    Config, Congee, Dashmap, Flurry, MapStore, OneTbb, OneTbbKey, Papaya, SHARDS_MAX, Scc,
    Skiplist, Striped,
};
use engine::{OpenError, Options, Setup, Whole};
use kit::key::Key;

use super::Opening;

/// What of a map can be set.
#[derive(Clone, Copy, Debug)]
struct Settable {
    /// The least number of shards, where it has shards.
    shards_min: Option<u64>,
    /// Whether it can be opened with a capacity.
    presize: bool,
}

macro_rules! openers {
    ($($open:ident [$($key:ident: $kind:ident)?] $map:ty, $shards_min:expr, $presize:literal;)+) => {
        $(pub(crate) fn $open<$($key: $kind)?>(
            setup: &Setup,
            options: &mut Options,
        ) -> Result<Opening<MapStore<$map>>, OpenError> {
            let settable = Settable { shards_min: $shards_min, presize: $presize };
            let config = config(setup, options, settable)?;
            Ok(Box::new(move || MapStore::<$map>::open(config)))
        })+
    };
}
openers! {
    congee [] Congee, None, false;
    dashmap [K: Key] Dashmap<K>, Some(2), true;
    flurry [K: Key] Flurry<K>, None, true;
    onetbb [K: OneTbbKey] OneTbb<K>, None, true;
    papaya [K: Key] Papaya<K>, None, true;
    scc [K: Key] Scc<K>, None, true;
    skiplist [K: Key] Skiplist<K>, None, false;
    striped [K: Key] Striped<K>, Some(1), true;
}

fn config(setup: &Setup, options: &mut Options, settable: Settable) -> Result<Config, OpenError> {
    let mut config = Config {
        object_memory_bytes: setup.object_memory_bytes,
        records_max: setup.records_max,
        ..Config::new(setup.heap()?)
    };
    if let Some(least) = settable.shards_min {
        let given = options.given("shards").is_some();
        let mut shards = 0;
        options.whole("shards", &mut shards, Whole::powers_of_two(least..=SHARDS_MAX as u64))?;
        config.shards = given.then_some(shards);
    }
    if settable.presize {
        options.switch("presize", &mut config.presize)?;
    }
    Ok(config)
}
