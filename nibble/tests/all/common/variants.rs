//! The variants of the engine that tests run through, and a guard against hanging.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nibble::{
    Compaction, Config, CopyRoutine, CoreSource, EpochClock, HeadChoice, IndexLayout, Placement,
    Selection, Survivors, Update,
};

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

/// Rows of [`knobs`] after which it begins again.
pub(crate) const ROWS: usize = 27;

/// Columns of an orthogonal array of strength two: in 27 rows, any two of them show each pair of
/// three values three times. A row is a number of three digits to the base of three, a column a
/// sum of some of them, some taken twice.
const COLUMNS: [[usize; 3]; 11] = [
    [1, 0, 0],
    [0, 1, 0],
    [1, 1, 0],
    [1, 2, 0],
    [1, 0, 1],
    [1, 0, 2],
    [0, 1, 1],
    [0, 1, 2],
    [1, 1, 1],
    [1, 1, 2],
    [1, 2, 1],
];

fn level(row: usize, column: usize) -> usize {
    let digits = [row % 3, row / 3 % 3, row / 9 % 3];
    digits.iter().zip(COLUMNS[column]).map(|(digit, times)| digit * times).sum::<usize>() % 3
}

/// `config` on one, two or four nodes, with everything that a test can leave open chosen by
/// `row`: any two choices come together within [`ROWS`] rows.
pub(crate) fn knobs(config: &Config, row: usize) -> Config {
    /// Of two values one comes twice as often.
    fn of<T: Copy>(all: &[T], level: usize) -> T {
        all[level % all.len()]
    }
    Config {
        virtual_nodes: [1, 2, 4][level(row, 0)],
        placement: of(Placement::ALL, level(row, 1)),
        survivors: of(Survivors::ALL, level(row, 2)),
        selection: of(Selection::ALL, level(row, 3)),
        epoch: of(EpochClock::ALL, level(row, 4)),
        head_choice: of(HeadChoice::ALL, level(row, 5)),
        copy: of(CopyRoutine::ALL, level(row, 6)),
        core_source: of(CoreSource::ALL, level(row, 7)),
        ..config.clone()
    }
}

/// As [`knobs`], with the policies and the layout of the index chosen as well.
pub(crate) fn everything(config: &Config, row: usize) -> Config {
    Config {
        update: Update::ALL[level(row, 8) % 2],
        compaction: Compaction::ALL[level(row, 9) % 2],
        index: IndexLayout::ALL[level(row, 10)],
        ..knobs(config, row)
    }
}

/// Nine rows of [`everything`] in which every value of every knob comes at least once; `turn`
/// says which nine.
pub(crate) fn some(config: &Config, turn: usize) -> Vec<Config> {
    (0..9).map(|row| everything(config, 9 * (turn % 3) + row)).collect()
}

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
