//! Dropping a store ends its threads and returns its memory. Alone in its process, because it
//! looks at the whole of it.

use super::common::alone::alone;
use super::common::{fill_store, open};
use nibble::Config;
use platform::process::ProcessMemory;

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn drop_stops_the_workers_and_returns_the_memory() {
    alone(module_path!(), "drop_stops_the_workers_and_returns_the_memory", open_and_drop);
}

fn open_and_drop() {
    let resident = || ProcessMemory::of_self().unwrap().resident_bytes();
    let (threads_before, before) = (threads(), resident());
    for resident_at_open in [false, true] {
        let mut config = Config::best(64 << 20);
        config.resident = resident_at_open;
        config.compaction = nibble::Compaction::Background;
        config.virtual_nodes = 2;
        config.compaction_workers = 3;
        let store = open(config);
        assert_eq!(threads(), threads_before + 6);
        let opened = resident() - before;
        assert_eq!(opened >= 60 << 20, resident_at_open, "{opened} bytes resident at open");
        fill_store(&store.session().unwrap(), 0, |_| 500);
        assert!(resident() - before >= 60 << 20);
        drop(store);
        assert_eq!(threads(), threads_before);
        let without_threads = open(Config::best(4 << 20));
        assert_eq!(threads(), threads_before, "writers compact");
        drop(without_threads);
        let left = resident().saturating_sub(before);
        assert!(left < 8 << 20, "{left} bytes still resident");
    }
}
