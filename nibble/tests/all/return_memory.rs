//! Free memory goes back to the system, unasked where that is wished. Alone in its process,
//! because it looks at the whole of it.

use super::common::alone::alone;
use super::common::{fill_store, open};
use nibble::{Compaction, Config};
use platform::process::ProcessMemory;

const MIB: u64 = 1 << 20;

#[test]
fn free_memory_goes_back_if_that_is_wished() {
    alone(module_path!(), "free_memory_goes_back_if_that_is_wished", fill_and_empty);
}

fn fill_and_empty() {
    let resident = || ProcessMemory::of_self().unwrap().resident_bytes();
    for &compaction in Compaction::ALL {
        for (wished, huge) in [(false, false), (true, false), (true, true)] {
            let before = resident();
            let mut config = Config::best(64 * MIB);
            (config.compaction, config.return_free_memory) = (compaction, wished);
            (config.huge_pages, config.virtual_nodes) = (huge, 1);
            let store = open(config);
            let session = store.session().unwrap();
            let filled = fill_store(&session, 0, |_| 5000);
            let huge_bytes = store.huge_page_bytes().expect("a mounted /proc");
            // How many the system gives is its business.
            assert!(huge || huge_bytes == 0, "{huge_bytes} bytes on large pages");
            assert!(huge_bytes <= 64 * MIB);
            assert!((0..filled).all(|key| session.delete(key) == Ok(true)));
            assert!(store.settle());
            let left = resident().saturating_sub(before);
            println!("{compaction}, wished {wished}, huge {huge} ({huge_bytes}): {left} left");
            // The cushion of threads is a fifth of the memory.
            assert_eq!(left < 24 * MIB, wished, "{left} bytes are resident");
            // What went back is taken again.
            assert!(fill_store(&session, filled, |_| 5000) - filled > filled * 95 / 100);
            drop(session);
            store.check().unwrap();
        }
    }
}
