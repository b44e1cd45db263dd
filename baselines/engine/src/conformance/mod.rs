//! The tests that every store passes before any of its numbers is published.
//!
//! A crate runs the suite for an engine with one line in its tests:
//!
//! ```ignore
//! engine::conformance_tests!(sharded, ShardedMap, |object_memory_bytes| {
//!     ShardedMap::open(Config { object_memory_bytes: Some(object_memory_bytes), shards: 16 })
//! });
//! ```
//!
//! The closure opens an empty store with about the given number of bytes for objects. It returns a
//! `Result`, and it may be called from several threads and several times in one test. A store that
//! runs as processes needs programs that a machine may lack: if its opener returns
//! [`OpenError::Missing`], its tests say so and pass. [`tests`] is the same suite as a table, for
//! programs that run it themselves.
//!
//! | file | contents |
//! |---|---|
//! | `operations` | one session: compared with a reference, edge cases, typed errors |
//! | `capacity` | full stores, compaction, the census |
//! | `sharing` | threads, sessions, routes |
//! | `lifetimes` | objects that end by themselves |
//! | `modify` | read-modify-write, put-if-absent, counters of several threads |
//! | `model` | the reference map: runs an operation and checks the answer |
//! | `bytes/` | keys of any length |
//! | `reopened` | stores that survive their end; not in the table, for it opens what there is |
//! | `value` | values derived from key, version and length; the random numbers |
//!
//! The engine's traits decide what the suite requires: a store that evicts may lose a value but
//! must never return a wrong one; in a partitioned store only a key's own worker accesses the key.
//! The suite does not apply to engines that keep no values. `src/tests/conformance_catches.rs` has, for
//! each test, a broken store that fails it.

mod bytes;
mod capacity;
mod lifetimes;
mod model;
mod modify;
mod moments;
mod operations;
mod reopened;
mod sharing;
mod value;

pub use bytes::{
    Spelled, byte_keys_agree_with_a_reference_map, byte_keys_keep_their_moments,
    byte_scans_are_in_order, bytes_tests, keys_of_every_length_differ,
    too_long_keys_are_typed_errors,
};
pub use capacity::{census_adds_up, full_is_reported_not_crashed, values_survive_compaction};
pub use lifetimes::lifetimes_end;
pub use model::VALUE_BYTES_MAX;
pub use modify::{increments_are_exact, read_modify_writes_are_what_they_claim};
pub use moments::moments_are_whole;
pub use operations::{
    agrees_with_a_reference_map, empty_value_and_extreme_keys, scan_is_ordered_or_absent,
    short_buffer_is_an_error, too_large_is_a_typed_error,
};
pub use reopened::keeps_what_it_acknowledged;
pub use sharing::{route_is_stable, sessions_can_come_and_go, threads_lose_no_keys};

use std::any::Any;

use crate::{EngineTraits, KvEngine, OpenError, Storage};

/// The object memory that tests request: enough for a store of 32 segments of 2 MiB, and
/// little enough to be filled several times within a second.
pub const OBJECT_MEMORY_BYTES: u64 = 64 << 20;

/// What a test asks of the store `E`, where it asks `whole` of one in memory: an eighth of one on a disk,
/// because its lookups wait for the device, and of one that commits each write.
fn part_of<E: KvEngine>(whole: u64) -> u64 {
    match E::TRAITS.storage {
        _ if E::TRAITS.commits_each_write => whole / 8,
        Storage::Disk | Storage::FilesInMemory => whole / 8,
        Storage::Memory | Storage::EmulatedPersistentMemory => whole,
    }
}

/// The object memory that a test requests of the store `E`.
fn object_memory_bytes<E: KvEngine>() -> u64 {
    part_of::<E>(OBJECT_MEMORY_BYTES)
}

/// Opens an empty store with about this many bytes of object memory.
pub type Opener<'a, E> = &'a dyn Fn(u64) -> E;

/// One test of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Test<E> {
    /// The name of the test, as it appears in test output.
    pub name: &'static str,
    /// Runs it. A panic is a failure and says what was wrong.
    pub run: fn(Opener<'_, E>),
}

/// The suite as a table.
#[must_use]
pub fn tests<E: KvEngine>() -> Vec<Test<E>> {
    macro_rules! table {
        ($($name:ident)*) => { vec![$(Test { name: stringify!($name), run: $name::<E> }),*] };
    }
    table! {
        agrees_with_a_reference_map
        threads_lose_no_keys
        full_is_reported_not_crashed
        values_survive_compaction
        census_adds_up
        short_buffer_is_an_error
        too_large_is_a_typed_error
        empty_value_and_extreme_keys
        scan_is_ordered_or_absent
        read_modify_writes_are_what_they_claim
        moments_are_whole
        lifetimes_end
        sessions_can_come_and_go
        route_is_stable
    }
}

/// The tests for a store that nobody asks whether a key was present, so that its writes may be blind: those
/// that need neither a bound nor a count of what is live, which such a store may not have.
#[must_use]
pub fn tests_unasked<E: KvEngine>() -> Vec<Test<E>> {
    const NEED_COUNTS: [&str; 4] = [
        "full_is_reported_not_crashed",
        "values_survive_compaction",
        "census_adds_up",
        "too_large_is_a_typed_error",
    ];
    tests().into_iter().filter(|test| !NEED_COUNTS.contains(&test.name)).collect()
}

/// Expands the suite for one engine: `conformance_tests!(module, Engine, opener)`. The opener is a
/// closure or function from the bytes of object memory to `Result<Engine, impl Debug>`.
#[macro_export]
macro_rules! conformance_tests {
    ($module:ident, $engine:ty, $opener:expr) => {
        mod $module {
            #[allow(unused_imports, reason = "an opener may name everything its caller can")]
            use super::*;

            fn open(object_memory_bytes: u64) -> $engine {
                $crate::conformance::expect_open($opener, object_memory_bytes)
            }

            fn is_missing() -> bool {
                $crate::conformance::is_missing::<$engine, _>($opener)
            }

            $crate::conformance_tests! { @each tests $engine:
                agrees_with_a_reference_map
                threads_lose_no_keys
                full_is_reported_not_crashed
                values_survive_compaction
                census_adds_up
                short_buffer_is_an_error
                too_large_is_a_typed_error
                empty_value_and_extreme_keys
                scan_is_ordered_or_absent
                read_modify_writes_are_what_they_claim
                moments_are_whole
                lifetimes_end
                sessions_can_come_and_go
                route_is_stable
            }
        }
    };
    (@each $table:ident $engine:ty: $($name:ident)*) => {
        const EXPANDED: &[&str] = &[$(stringify!($name)),*];

        #[test]
        fn no_test_is_left_out() {
            let table = $crate::conformance::$table::<$engine>();
            assert_eq!(table.len(), EXPANDED.len());
            assert!(table.iter().all(|test| EXPANDED.contains(&test.name)));
        }

        $(
            #[test]
            fn $name() {
                if !is_missing() {
                    $crate::conformance::$name::<$engine>(&open);
                }
            }
        )*
    };
}

/// Returns the opened store; for [`conformance_tests!`](crate::conformance_tests).
///
/// # Panics
/// If opening fails.
pub fn expect_open<E, D: std::fmt::Debug>(
    opener: impl FnOnce(u64) -> Result<E, D>,
    object_memory_bytes: u64,
) -> E {
    match opener(object_memory_bytes) {
        Ok(engine) => engine,
        Err(error) => panic!("no store of {object_memory_bytes} bytes: {error:?}"),
    }
}

/// Whether the engine needs something that this machine lacks; if so, prints what. For
/// [`conformance_tests!`](crate::conformance_tests).
pub fn is_missing<E: KvEngine, D: Any>(opener: impl FnOnce(u64) -> Result<E, D>) -> bool {
    if !E::TRAITS.may_be_missing {
        return false;
    }
    let Err(error) = opener(OBJECT_MEMORY_BYTES) else { return false };
    match (&error as &dyn Any).downcast_ref() {
        Some(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped {}: {error}", E::TRAITS.name);
            true
        }
        _ => false,
    }
}

/// Opens a store for a test. Rejects engines to which the suite does not apply.
fn open_checked<E: KvEngine>(open: Opener<'_, E>) -> E {
    let EngineTraits { name, keeps_values, .. } = E::TRAITS;
    assert!(keeps_values, "`{name}` keeps no values: conformance does not apply to it");
    open(object_memory_bytes::<E>())
}

/// Opens a session; the engine must have one to give.
fn session<E: KvEngine>(engine: &E) -> E::Session<'_> {
    engine.session().unwrap_or_else(|error| panic!("a session: {error}"))
}

/// Settles the store and runs its self-check.
fn check<E: KvEngine>(engine: &E) {
    engine.settle();
    if let Err(violation) = engine.check() {
        panic!("check(): {violation}");
    }
}
