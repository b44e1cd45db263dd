//! Opens stores that are slower or larger by a known share. They test the tools that compare stores.

use baseline_faulty::{Hindered, Hindrance, Naming};
use baseline_heapstore::HeapStore;
use engine::{OpenError, Options, Setup};

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

pub(crate) fn nibble(setup: &Setup) -> Result<HinderedNibble, OpenError> {
    let mut options = setup.options();
    let hindrance = hindrance(&mut options)?;
    Hindered::open(super::nibble::open_with(setup, options)?, hindrance)
}

pub(crate) fn heapstore(setup: &Setup) -> Result<HinderedHeapStore, OpenError> {
    let mut options = setup.options();
    let hindrance = hindrance(&mut options)?;
    Hindered::open(super::heapstore::open_with(setup, options)?, hindrance)
}

/// Takes the settings of the hindrance; the remaining ones are for the store below.
fn hindrance(options: &mut Options) -> Result<Hindrance, OpenError> {
    let mut hindrance = Hindrance::default();
    options.read("slow-percent", &mut hindrance.slow)?;
    options.read("jitter-percent", &mut hindrance.jitter)?;
    options.read("leak-percent", &mut hindrance.leak)?;
    Ok(hindrance)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::KvEngine;

    use super::*;
    use crate::adapters::made_up;
    use crate::registry::open_heap;

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
        let store = nibble(&setup(&[&own[..], &[("update", "in-place")]].concat())).unwrap();
        let settings = settings_of(&store);
        for (name, value) in own.into_iter().chain([("update", "in-place")]) {
            assert_eq!(settings[name], value, "{name}");
        }
        let store = heapstore(&setup(&[&own[..], &[("shards", "4")]].concat())).unwrap();
        assert_eq!(settings_of(&store)["shards"], "4");
        assert!((2.5..=6.5).contains(&store.slowed_percent()));
    }

    #[test]
    fn wrong_settings_say_what_is_accepted() {
        for (name, value, accepted) in [
            ("slow-percent", "-1", "numbers from 0 to 90, such as 5 or 2.5"),
            ("slow-percent", "95", "numbers from 0 to 90, such as 5 or 2.5"),
            ("slow-percent", "x", "numbers from 0 to 90, such as 5 or 2.5"),
            ("leak-percent", "101", "numbers from 0 to 100, such as 5 or 2.5"),
            ("slow", "5", "the settings slow-percent, jitter-percent, leak-percent, "),
            ("update", "never", "append, in-place"),
        ] {
            let message = nibble(&setup(&[(name, value)])).unwrap_err().to_string();
            let expected = format!("setting `{name}` = `{value}`: accepted are {accepted}");
            assert!(message.starts_with(&expected), "{message}");
        }
        let setup = setup(&[("shard", "4")]);
        let message = heapstore(&setup).unwrap_err().to_string();
        assert!(
            message.ends_with("slow-percent, jitter-percent, leak-percent, shards"),
            "{message}"
        );
    }
}
