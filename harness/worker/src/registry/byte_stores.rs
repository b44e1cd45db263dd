//! The stores that open when keys are byte strings.

use std::mem::ManuallyDrop;

use baseline_embedded::{LevelDb, LmdbBytes, RocksDb};
use baseline_heapstore::HeapBytes;
use baseline_maps::{Bytes, Dashmap, Flurry, MapStore, OneTbb, Papaya, Scc, Skiplist, Striped};
use baseline_masstree::Masstree;
use baseline_mica::{Crcw, Mica};
use baseline_null::Null;
use baseline_redis::RedisServers;
use engine::{AllocatorChoice, EngineTraits, Keys, KvEngine, OpenError, Setup};

use super::{StoreVisitor, opened, opening_of_its_own, store_traits};
use crate::adapters;
use crate::adapters::nibble::NibbleEngine;
use crate::byte_keys::{ByteKeys, Keys as KeysAsked};

/// As `for_each_store!`, with the stores that open when keys are byte strings. Each has the name of a store
/// of that list, and is the same design.
macro_rules! for_each_bytes_store {
    ($macro:ident) => {
        with_bytes_stores_that_register! { $macro
            (prices null Null, adapters::null::open),
            (keeps nibble NibbleEngine<[u8]>, adapters::nibble::open),
            (tested heapstore HeapBytes, adapters::heapstore::open),
            (tested dashmap MapStore<Dashmap<Bytes>>, adapters::maps::dashmap),
            (tested flurry MapStore<Flurry<Bytes>>, adapters::maps::flurry),
            (tested onetbb MapStore<OneTbb<Bytes>>, adapters::maps::onetbb),
            (tested papaya MapStore<Papaya<Bytes>>, adapters::maps::papaya),
            (tested scc MapStore<Scc<Bytes>>, adapters::maps::scc),
            (tested skiplist MapStore<Skiplist<Bytes>>, adapters::maps::skiplist),
            (tested striped MapStore<Striped<Bytes>>, adapters::maps::striped),
            (tested masstree Masstree, adapters::masstree::open),
            (tested mica Mica<Crcw, [u8]>, adapters::mica::store_of_bytes),
            (tested rocksdb RocksDb, adapters::embedded::rocksdb),
            (tested leveldb LevelDb, adapters::embedded::leveldb),
            (tested lmdb LmdbBytes, adapters::embedded::lmdb),
            (tested redis RedisServers, adapters::redis::open),
        }
    };
}

/// As [`with_store`](super::with_store), with the instance that takes byte strings, which are these keys of the
/// records.
///
/// # Errors
/// Besides, a store that takes words only.
pub(crate) fn with_bytes_store<V: StoreVisitor>(
    name: &str,
    setup: &Setup,
    keys: impl Into<KeysAsked>,
    visitor: V,
) -> Result<V::Output, OpenError> {
    macro_rules! open_named {
        ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
            $(if name == <$engine as KvEngine>::TRAITS.name {
                let engine: $engine = opened($open, setup)?;
                let engine = ByteKeys::of(engine, keys);
                let output = visitor.visit(&engine);
                if <$engine as KvEngine>::TRAITS.allocator == AllocatorChoice::Chosen {
                    let _kept = ManuallyDrop::new(engine);
                }
                return Ok(output);
            })*
        };
    }
    for_each_bytes_store!(open_named);
    Err(OpenError::BadSetting {
        setting: "key-bytes".to_owned(),
        value: name.to_owned(),
        accepted: bytes_store_names().join(", "),
    })
}

/// Names of the stores that take byte strings as keys, and are fit for publication.
#[must_use]
pub fn bytes_store_names() -> Vec<&'static str> {
    let takes = |traits: &&&EngineTraits| !traits.test_only && traits.keys != Keys::Word;
    store_traits().iter().filter(takes).map(|traits| traits.name).collect()
}

#[cfg(test)]
mod tests {
    use engine::{KvBytesEngine, Options};

    use super::super::conformance::setup;
    use super::*;
    use crate::adapters::Opening;

    /// Plans look at the traits, and workers at the list.
    #[test]
    fn stores_that_say_so_and_no_others_open_for_byte_strings() {
        macro_rules! listed {
            ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
                [$((<$engine as KvEngine>::TRAITS.name, <$engine as KvEngine>::TRAITS.keys)),*]
            };
        }
        let mut listed = for_each_bytes_store!(listed).to_vec();
        let said = store_traits().iter().map(|traits| (traits.name, traits.keys));
        let mut said: Vec<_> = said.filter(|(_, keys)| *keys != Keys::Word).collect();
        listed.sort_unstable_by_key(|(name, _)| *name);
        said.sort_unstable_by_key(|(name, _)| *name);
        assert_eq!(listed, said);
    }

    /// Runs the tests of byte keys on a store as cells open it; its crate runs the suite of words on byte
    /// strings.
    fn conforms<E: KvBytesEngine>(
        open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
    ) {
        let open = |bytes| opened(&open, &setup(bytes));
        if engine::conformance::is_missing::<E, _>(open) {
            return;
        }
        for test in engine::conformance::bytes_tests::<E>() {
            println!("{}: {}", E::TRAITS.name, test.name);
            (test.run)(&|bytes| engine::conformance::expect_open(open, bytes));
        }
    }

    /// Runs the first of them on a store whose crate runs them all.
    fn opens_right<E: KvBytesEngine>(
        open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
    ) {
        let open = |bytes| opened(&open, &setup(bytes));
        if !engine::conformance::is_missing::<E, _>(open) {
            let open = |bytes| engine::conformance::expect_open(open, bytes);
            engine::conformance::byte_keys_agree_with_a_reference_map::<E>(&open);
        }
    }

    macro_rules! conforms_as {
        (prices $engine:ty, $open:path) => {
            const { assert!(!<$engine as KvEngine>::TRAITS.keeps_values, "it is listed as `prices`") }
        };
        (keeps $engine:ty, $open:path) => {
            conforms::<$engine>($open)
        };
        (tested $engine:ty, $open:path) => {
            opens_right::<$engine>($open)
        };
    }

    macro_rules! conform {
        ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
            mod with_byte_keys {
                use super::*;

                $(#[test]
                fn $module() {
                    conforms_as!($kind $engine, $open);
                })*
            }
        };
    }

    for_each_bytes_store!(conform);
}
