//! Run folders: append-only, dated, and complete enough to be read without this program. Only
//! this module writes below `results/`.
//!
//! ```text
//! results/20261120T141500Z-reproduce-quick/
//! ├── run.json       the command, the machine and the build
//! ├── plan.json      every cell to be measured, in order, with the identity of its rows
//! ├── rows.jsonl     one row a line, in the order cells finished, failures included
//! ├── histograms/    latency of each cell as an interval log, by kind of operation
//! ├── timelines/     throughput and latency of each cell, per second
//! ├── curves/*.csv   memory over time of each cell: elapsed_s, resident_bytes, live_bytes, swap_bytes
//! ├── flames/*.svg   flamegraphs of single cells; only where somebody asked for them
//! ├── traces/*.json account of each replayed trace
//! ├── figures/       data tables, gnuplot scripts and the drawings; can be deleted and rebuilt
//! ├── figures.pdf    all drawings, one a page; can be deleted and rebuilt
//! ├── report.html    can be deleted and rebuilt
//! └── lock           held by the process that writes
//! ```

mod format_3;
mod latency;
mod lock;
mod merge;
mod planned;
mod read;
mod resume;
mod rows;
mod run;
mod write;

pub use latency::read_log;
pub use merge::{Merge, MergeError, Merged, merge};
pub use planned::{PlannedCell, Suites, plan};
pub use read::{LAST_OF_CELL, Standing, curve, load, standing};
pub use resume::{Again, Resumed};
pub use run::{RunRecord, stamp};
pub use write::Archive;
pub use write::{flame, write_whole};
