//! Opens stores that are slower or larger by a known share. They test the tools that compare stores.

use baseline_faulty::{Hindered, Hindrance, Naming, SLOWED_PERCENT_MAX};
use baseline_heapstore::HeapStore;
use engine::{OpenError, Options, Setup};

use super::Opening;
use super::nibble::NibbleEngine;

/// Name of the hindered Nibble.
#[derive(Debug)]
pub(crate) struct NibbleBelow;

impl Naming for NibbleBelow {
    const NAME: &'static str = "hindered";
}

/// Name of the hindered index over objects on any heap.
#[derive(Debug)]
pub(crate) struct HeapStoreBelow;

impl Naming for HeapStoreBelow {
    const NAME: &'static str = "hindered-heapstore";
}

pub(crate) type HinderedNibble = Hindered<NibbleEngine, NibbleBelow>;
pub(crate) type HinderedHeapStore = Hindered<HeapStore, HeapStoreBelow>;

pub(crate) fn nibble(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<HinderedNibble>, OpenError> {
    let hindrance = hindrance(options)?;
    let below = super::nibble::open(setup, options)?;
    Ok(Box::new(move || Hindered::open(below()?, hindrance)))
}

pub(crate) fn heapstore(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<HinderedHeapStore>, OpenError> {
    let hindrance = hindrance(options)?;
    let below = super::heapstore::open(setup, options)?;
    Ok(Box::new(move || Hindered::open(below()?, hindrance)))
}

/// Reads the settings of the hindrance; the others are for the store below.
fn hindrance(options: &mut Options) -> Result<Hindrance, OpenError> {
    let mut hindrance = Hindrance::default();
    options.decimal("slow-percent", &mut hindrance.slow, SLOWED_PERCENT_MAX)?;
    options.decimal("jitter-percent", &mut hindrance.jitter, SLOWED_PERCENT_MAX)?;
    options.decimal("leak-percent", &mut hindrance.leak, 100)?;
    hindrance.check()?;
    Ok(hindrance)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::KvEngine;

    use super::*;
    use crate::adapters::made_up;
    use crate::registry::{open_heap, opened};

    fn setup(options: &[(&str, &str)]) -> Setup {
        let heap = Some(open_heap("glibc").expect("the C library is here"));
        Setup { heap, ..made_up::setup(options) }
    }

    fn settings_of(store: &impl KvEngine) -> BTreeMap<String, String> {
        store.settings().into_iter().map(|setting| (setting.name, setting.value)).collect()
    }

    #[test]
    fn settings_are_its_own_or_of_the_store_below() {
        let own = [("slow-percent", "2.5"), ("jitter-percent", "4"), ("leak-percent", "1")];
        let setup_of = |more: &[(&str, &str)]| setup(&[&own[..], more].concat());
        let store = opened(nibble, &setup_of(&[("update", "in-place")])).unwrap();
        let settings = settings_of(&store);
        for (name, value) in own.into_iter().chain([("update", "in-place")]) {
            assert_eq!(settings[name], value, "{name}");
        }
        let store = opened(heapstore, &setup_of(&[("shards", "4")])).unwrap();
        assert_eq!(settings_of(&store)["shards"], "4");
        assert!((2.5..=6.5).contains(&store.slowed_percent()));
    }

    #[test]
    fn wrong_settings_say_what_is_accepted() {
        let shares = "accepted are numbers from 0 to 90, such as 5 or 2.5";
        for (name, value, expected) in [
            ("slow-percent", "-1", format!("{shares}; the nearest is 0")),
            ("slow-percent", "95", format!("{shares}; the nearest is 90")),
            ("slow-percent", "x", shares.to_owned()),
            ("leak-percent", "101", "such as 5 or 2.5; the nearest is 100".to_owned()),
            ("slow", "5", "unknown setting `slow`: there are slow-percent, jitter".to_owned()),
            ("update", "never", "accepted are append, in-place".to_owned()),
        ] {
            let message = opened(nibble, &setup(&[(name, value)])).unwrap_err().to_string();
            assert!(message.contains(&expected), "{message}");
        }
        let both = setup(&[("slow-percent", "50"), ("jitter-percent", "41")]);
        let message = opened(nibble, &both).unwrap_err().to_string();
        assert!(message.contains("90 at most together with slow-percent = 50"), "{message}");
        let message = opened(heapstore, &setup(&[("shard", "4")])).unwrap_err().to_string();
        assert!(
            message.ends_with("slow-percent, jitter-percent, leak-percent, shards, huge-pages"),
            "{message}"
        );
    }
}
