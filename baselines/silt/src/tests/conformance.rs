//! The suite every store passes: with files in memory; on disk on request.

use std::sync::Arc;

use baseline_silt::{Acknowledge, Config, Files, Params, Silt};
use engine::OpenError;

use super::memory::Memory;

fn config(threads: bool) -> Config {
    let instances = if threads { 2 } else { 1 };
    let params =
        Params { instances, tag_bits: 6, merge_entries: 2500, threads, ..Params::new(3000) };
    Config { params, tells_updates: true, private_parent: std::env::temp_dir() }
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

/// Its files outlive it, in memory here.
#[test]
fn a_store_keeps_what_it_acknowledged() {
    for acknowledge in [Acknowledge::Written, Acknowledge::Synced] {
        let files = Arc::new(Memory::default());
        engine::conformance::keeps_what_it_acknowledged(&|| {
            let mut config = config(true);
            config.params.acknowledge = acknowledge;
            let files: Arc<dyn Files> = files.clone();
            Silt::open_in(files, config).unwrap()
        });
    }
}
