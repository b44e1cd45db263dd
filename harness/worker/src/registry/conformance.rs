//! The conformance suite, expanded for every registered store that keeps values, unless the tests of its crate
//! run it: of such a store the first test, as it is opened here.

use baseline_fjall::Fjall;
use baseline_lsm::{Clsm, Lsm, LsmPartitioned};
use baseline_memcached::Memcached;
use baseline_segcache::Segcache;
use baseline_silt::Silt;
use engine::Writes;

use super::*;

pub(super) fn setup(object_memory_bytes: u64) -> Setup {
    Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: object_memory_bytes,
        records_max: object_memory_bytes / 8,
        value_bytes_max: engine::conformance::VALUE_BYTES_MAX,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap: Some(open_heap("glibc").expect("the C library is here")),
    }
}

macro_rules! conformance_of {
    (prices $module:ident $engine:ty, $open:path) => {
        #[test]
        fn $module() {
            const { assert!(!<$engine>::TRAITS.keeps_values, "it is listed as `prices`") };
        }
    };
    (keeps $module:ident $engine:ty, $open:path) => {
        engine::conformance_tests!($module, $engine, |bytes| opened($open, &setup(bytes)));
    };
    (tested $module:ident $engine:ty, $open:path) => {
        #[test]
        fn $module() {
            opens_right::<$engine>($open);
        }
    };
}

fn opens_right<E: KvEngine>(open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>) {
    let open = |bytes| opened(&open, &setup(bytes));
    if !engine::conformance::is_missing::<E, _>(open) {
        let open = |bytes| engine::conformance::expect_open(open, bytes);
        engine::conformance::agrees_with_a_reference_map::<E>(&open);
    }
}

macro_rules! conformance_of_all {
    ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
        $(conformance_of!($kind $module $engine, $open);)*
    };
}

for_each_store!(conformance_of_all);

/// The stores that are blind where nobody asks whether a key was present.
macro_rules! for_each_blind_store {
    ($macro:ident) => {
        $macro! {
            (fjall Fjall, opening_of_its_own),
            (clsm Clsm, opening_of_its_own),
            (lsm Lsm, opening_of_its_own),
            (lsm_partitioned LsmPartitioned, opening_of_its_own),
            (memcached Memcached, opening_of_its_own),
            (segcache Segcache, opening_of_its_own),
            (silt Silt, opening_of_its_own),
            (leveldb LevelDb, adapters::embedded::leveldb),
            (leveldb_partitioned Partitions<LevelDb>, adapters::embedded::leveldb_partitioned),
            (redis RedisServers, adapters::redis::open),
            (rocksdb RocksDb, adapters::embedded::rocksdb),
        }
    };
}

/// Runs the suite on a store that nobody asks.
fn conforms_unasked<E: KvEngine>(
    open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
) {
    let unasked = |bytes| opened(&open, &Setup { tells_updates: false, ..setup(bytes) });
    if engine::conformance::is_missing::<E, _>(unasked) {
        return;
    }
    for test in engine::conformance::tests_unasked::<E>() {
        println!("{}: {}", E::TRAITS.name, test.name);
        (test.run)(&|bytes| {
            let store = engine::conformance::expect_open(unasked, bytes);
            assert_eq!(store.writes(), Writes::Blind, "nobody asks");
            store
        });
    }
}

macro_rules! conform_unasked {
    ($(($module:ident $engine:ty, $open:path)),* $(,)?) => {
        mod unasked {
            use super::*;

            $(
                #[test]
                fn $module() {
                    conforms_unasked::<$engine>($open);
                }
            )*
        }

        #[test]
        fn no_blind_store_is_left_out() {
            let mut asked = [$(<$engine as KvEngine>::TRAITS.name),*];
            asked.sort_unstable();
            let is_blind = |traits: &&&EngineTraits| {
                traits.writes == Writes::Blind && traits.keeps_values
            };
            let blind = store_traits().iter().filter(is_blind);
            let mut blind: Vec<&str> = blind.map(|traits| traits.name).collect();
            blind.sort_unstable();
            assert_eq!(blind, asked);
        }
    };
}

for_each_blind_store!(conform_unasked);

/// Counts on `open`'s store, if that claims to do so in one step.
fn counts<E: KvEngine>(
    open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
    increments: u64,
) {
    let plain = |bytes| opened(&open, &setup(bytes));
    if !E::TRAITS.keeps_values || engine::conformance::is_missing::<E, _>(plain) {
        return;
    }
    let open = |bytes| engine::conformance::expect_open(plain, bytes);
    let claims = engine::conformance::increments_are_exact::<E>(&open, increments);
    let way = if claims { "atomic, exact" } else { "get-then-put, not counted" };
    println!("{}: {way}", E::TRAITS.name);
}

macro_rules! count_on_all {
    ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
        #[test]
        #[ignore = "minutes; cargo test -p worker --release -- --ignored --nocapture counters"]
        fn counters_of_four_threads_are_exact_where_that_is_claimed() {
            $(counts::<$engine>($open, 10_000_000);)*
        }
    };
}

for_each_store!(count_on_all);
