//! The suite every store passes: one instance and several, one cleaner and two.

use baseline_ramcloud::{Config, RamCloud};
use engine::OpenError;

fn open(
    object_memory_bytes: u64,
    instances: usize,
    cleaner_threads: usize,
) -> Result<RamCloud, OpenError> {
    let config = Config::new(object_memory_bytes, 100_000);
    RamCloud::open(Config { instances, cleaner_threads, resident: false, ..config })
}

engine::conformance_tests!(one_instance, RamCloud, |bytes| super::open(bytes, 1, 1));
engine::conformance_tests!(two_instances, RamCloud, |bytes| super::open(bytes, 2, 1));
engine::conformance_tests!(two_cleaners, RamCloud, |bytes| super::open(bytes, 1, 2));
engine::conformance_tests!(small_pages_and_few_buckets, RamCloud, |bytes| {
    let config = Config::new(bytes, 1000);
    RamCloud::open(Config { resident: false, huge_pages: false, ..config })
});
