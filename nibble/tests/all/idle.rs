//! A store with nothing to do uses no processor, even when memory is low. Alone in its process,
//! because it measures processor time.

use std::thread;
use std::time::Duration;

use super::common::alone::alone;
use super::common::variants::tiny;
use super::common::{fill_store, open, small};
use nibble::{Compaction, Config, IndexLayout, Update};

/// Processor time of the whole process while `store` is left alone, as a part of one core.
fn idle_share(config: Config) -> f64 {
    const REST: Duration = Duration::from_millis(600);
    let store = open(config);
    let session = store.session().unwrap();
    // Full: all live, far beyond the trigger.
    let filled = fill_store(&session, 0, |_| 1000);
    // And a little dead, but not worth compacting.
    session.delete(filled / 2).unwrap();
    store.settle();
    let before = platform::clock::process_cpu_ns();
    thread::sleep(REST);
    (platform::clock::process_cpu_ns() - before) as f64 / REST.as_nanos() as f64
}

#[test]
fn a_store_of_live_data_burns_no_core() {
    alone(module_path!(), "a_store_of_live_data_burns_no_core", idle);
}

fn idle() {
    // 16 MiB in segments of 64 KiB: many candidates, none worth it.
    let many = |update, compaction| tiny(16 << 20, update, compaction, IndexLayout::Text);
    let mut nodes = many(Update::Append, Compaction::Background);
    nodes.virtual_nodes = 4;
    let mut large = small(16 << 20, 512 << 10);
    large.compaction = Compaction::Background;
    let variants = [
        ("append", many(Update::Append, Compaction::Background)),
        ("in place", many(Update::InPlace, Compaction::Background)),
        ("four nodes", nodes),
        ("large segments", large),
        ("without threads", many(Update::Append, Compaction::Inline)),
    ];
    for (name, config) in variants {
        let share = idle_share(config);
        println!("{name}: {share:.4} of a core");
        assert!(share < 0.02, "{name}: {:.1} % of a core while idle", 100.0 * share);
    }
}
