//! The conformance suite, expanded for every registered store that keeps values.

use engine::Writes;

use super::*;

pub(super) fn setup(object_memory_bytes: u64) -> Setup {
    Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: object_memory_bytes,
        records_max: object_memory_bytes / 8,
        value_bytes_max: engine::conformance::VALUE_BYTES_MAX,
        sessions: 1,
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
}

macro_rules! conformance_of_all {
    ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
        $(conformance_of!($kind $module $engine, $open);)*
    };
}

for_each_store!(conformance_of_all);

/// Runs the suite on a store that nobody asks whether a key was present, if it is blind then.
fn conforms_unasked<E: KvEngine>(
    open: impl Fn(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
) {
    let unasked = |bytes| opened(&open, &Setup { tells_updates: false, ..setup(bytes) });
    if E::TRAITS.writes == Writes::Telling
        || !E::TRAITS.keeps_values
        || engine::conformance::is_missing::<E, _>(unasked)
    {
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
    ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
        #[test]
        fn blind_writes_are_right_where_nobody_asks() {
            $(conforms_unasked::<$engine>($open);)*
        }
    };
}

for_each_store!(conform_unasked);

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
