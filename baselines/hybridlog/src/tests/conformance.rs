//! The suite every store passes: in place and not, with a worker and without.

use baseline_hybridlog::{Config, HybridLog};

fn config(object_memory_bytes: u64) -> Config {
    Config::new(object_memory_bytes, object_memory_bytes / 256)
}

engine::conformance_tests!(usual, HybridLog, |bytes| HybridLog::open(config(bytes)));
engine::conformance_tests!(all_in_place, HybridLog, |bytes| {
    HybridLog::open(Config { mutable_fraction: 1.0, resident: true, ..config(bytes) })
});
engine::conformance_tests!(append_only, HybridLog, |bytes| {
    HybridLog::open(Config { mutable_fraction: 0.0, huge_pages: false, ..config(bytes) })
});
engine::conformance_tests!(with_a_worker, HybridLog, |bytes| {
    HybridLog::open(Config { compaction_workers: 1, mutable_fraction: 0.3, ..config(bytes) })
});
