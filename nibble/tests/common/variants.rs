//! The variants of the engine that tests run through, and a guard against hanging.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nibble::{Compaction, Config, IndexLayout, Update};

/// A tiny store of a variant: blocks of 4 KiB and segments of 64 KiB keep compaction running, one
/// partition keeps growth running. Background compaction comes with the rest of the paper's
/// choices, inline with the rest of the best.
pub(crate) fn tiny(
    object_memory_bytes: u64,
    update: Update,
    compaction: Compaction,
    index: IndexLayout,
) -> Config {
    let base = match compaction {
        Compaction::Background => Config::paper(object_memory_bytes),
        Compaction::Inline => Config::best(object_memory_bytes),
    };
    Config {
        virtual_nodes: 1,
        segment_bytes: 64 << 10,
        block_bytes: 4 << 10,
        heads: 2,
        compaction,
        compaction_workers: 2,
        free_low_percent: 20,
        reserve_percent: 2,
        update,
        index,
        index_partitions: 1,
        ..base
    }
}

/// Nibble and Nibble-2, each compacting in the background and inline.
pub(crate) const POLICIES: [(Update, Compaction); 4] = [
    (Update::Append, Compaction::Background),
    (Update::Append, Compaction::Inline),
    (Update::InPlace, Compaction::Background),
    (Update::InPlace, Compaction::Inline),
];

/// In a build with the feature `instrumented`: makes threads lose the processor in the places
/// where that hurts most.
pub(crate) fn disturb() {
    #[cfg(feature = "instrumented")]
    nibble::instrument::yields(true);
}

/// Runs `work`; ends the process with a message if that takes longer than `seconds`, because a
/// thread that hangs can be neither joined nor left behind.
pub(crate) fn within<T>(seconds: u64, what: &str, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        scope.spawn(move || {
            let waited = finished.recv_timeout(Duration::from_secs(seconds));
            if waited == Err(RecvTimeoutError::Timeout) {
                eprintln!("{what}: hangs, not finished after {seconds} s");
                std::process::exit(101);
            }
        });
        let answer = work();
        drop(done);
        answer
    })
}
