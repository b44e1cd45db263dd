//! The suite of words runs where the store registers (`harness/worker/src/registry/`). Here: on byte strings, with
//! memtables so small that tables are written and merged all the time.

use super::where_it_fits;
use baseline_fjall::{Fjall, FjallConfig};
use engine::OpenError;
use engine::conformance::{self, OBJECT_MEMORY_BYTES, Spelled, expect_open};

fn with_small_memtables(object_memory_bytes: u64) -> Result<Fjall, OpenError> {
    Fjall::open(FjallConfig {
        object_memory_bytes: Some(object_memory_bytes),
        write_buffer_bytes: 8 << 20,
        block_cache_bytes: 1 << 20,
        stripes: 1,
        ..FjallConfig::default()
    })
}

#[test]
fn a_store_of_byte_strings_conforms() {
    let open = |bytes| with_small_memtables(bytes).map(Spelled);
    where_it_fits(
        || open(OBJECT_MEMORY_BYTES),
        |_| {
            // A bound is kept in front of the tree, whatever its memtables.
            let tests = conformance::tests::<Spelled<Fjall>>().into_iter();
            for test in tests.filter(|test| test.name != "full_is_reported_not_crashed") {
                eprintln!("{}", test.name);
                (test.run)(&|bytes| expect_open(open, bytes));
            }
        },
    );
}
