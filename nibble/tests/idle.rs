//! Workers with nothing to do sleep, even when memory is low. Alone in its process, because it
//! measures processor time.

mod common;

use std::thread;
use std::time::Duration;

use common::{fill_store, open, small};

#[test]
fn a_store_of_live_data_burns_no_core() {
    let mut config = small(16 << 20, 512 << 10);
    config.compaction = nibble::Compaction::Background;
    let store = open(config);
    let session = store.session().unwrap();
    // Full: all live, far beyond the trigger.
    let filled = fill_store(&session, 0, |_| 1000);
    // And a little dead, but not worth compacting.
    session.delete(filled / 2);
    store.settle();
    let before = platform::clock::process_cpu_ns();
    thread::sleep(Duration::from_millis(1000));
    let burnt = platform::clock::process_cpu_ns() - before;
    assert!(burnt < 20_000_000, "{burnt} ns of processor time in an idle second");
}
