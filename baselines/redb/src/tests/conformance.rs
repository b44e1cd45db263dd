//! The suite of words runs where the store registers (`harness/worker/src/registry/`). Here: with a cache of a
//! few pages, and on byte strings.

use baseline_redb::{Redb, RedbConfig};
use engine::conformance::{self, Spelled};

fn with_little_cache(object_memory_bytes: u64) -> Redb {
    Redb::open(RedbConfig {
        object_memory_bytes: Some(object_memory_bytes),
        cache_bytes: 1 << 20,
        ..RedbConfig::default()
    })
    .expect("a store on the heap")
}

#[test]
fn a_store_with_little_cache_conforms() {
    for test in conformance::tests::<Redb>() {
        eprintln!("{}", test.name);
        (test.run)(&with_little_cache);
    }
}

#[test]
fn a_store_of_byte_strings_conforms() {
    for test in conformance::tests::<Spelled<Redb>>() {
        eprintln!("{}", test.name);
        (test.run)(&|bytes| Spelled(with_little_cache(bytes)));
    }
}
