//! The suite runs where the store registers (`harness/worker/src/registry/`). Here: on byte strings, with a
//! cache of a few pages.

use baseline_redb::{Redb, RedbConfig};
use engine::conformance::{self, Spelled};

/// Tests that take seconds of transactions. They ask where the store registers what they would ask here.
const LONG: [&str; 3] = [
    "full_is_reported_not_crashed",
    "values_survive_compaction",
    "read_modify_writes_are_what_they_claim",
];

fn with_little_cache(object_memory_bytes: u64) -> Spelled<Redb> {
    let config = RedbConfig {
        object_memory_bytes: Some(object_memory_bytes),
        cache_bytes: 1 << 20,
        ..RedbConfig::default()
    };
    Spelled(Redb::open(config).expect("a store on the heap"))
}

#[test]
fn a_store_of_byte_strings_with_little_cache_conforms() {
    let tests = conformance::tests::<Spelled<Redb>>();
    assert!(LONG.iter().all(|name| tests.iter().any(|test| test.name == *name)));
    for test in tests.iter().filter(|test| !LONG.contains(&test.name)) {
        eprintln!("{}", test.name);
        (test.run)(&with_little_cache);
    }
}
