//! The suite every store passes: with files in memory; on disk on request.

use std::sync::Arc;

use baseline_silt::{Config, Params, Silt};
use engine::OpenError;

use super::memory::Memory;

fn config(threads: bool) -> Config {
    let instances = if threads { 2 } else { 1 };
    let params =
        Params { instances, tag_bits: 6, merge_entries: 2500, threads, ..Params::new(3000) };
    Config { params, tells_updates: true }
}

fn in_memory(threads: bool) -> Result<Silt, OpenError> {
    Silt::open_in(Arc::new(Memory::default()), config(threads))
}

engine::conformance_tests!(with_threads, Silt, |_bytes| in_memory(true));

/// Two PUTs may find one log full.
#[test]
fn threads_that_convert_themselves_lose_no_keys() {
    engine::conformance::threads_lose_no_keys::<Silt>(&|_bytes| in_memory(false).unwrap());
}

#[test]
#[ignore = "a minute of disk; cargo test -p baseline-silt --release -- --ignored conforms"]
fn a_store_on_disk_conforms() {
    for test in engine::conformance::tests::<Silt>() {
        (test.run)(&|_bytes| Silt::open(config(true)).unwrap());
        println!("{}", test.name);
    }
}
