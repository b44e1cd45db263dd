//! Run folders: append-only, dated, and complete enough to be read without this program. Only
//! this module writes below `results/`.
//!
//! ```text
//! results/20261120T141500Z-reproduce-quick/
//! ├── run.json       what was asked, of which machine, by which build
//! ├── rows.jsonl     one row a line, in the order cells finished, failures included
//! ├── curves/*.csv   memory over time of each cell: elapsed_s, resident_bytes, live_bytes, swap_bytes
//! ├── figures/       data tables, gnuplot scripts and the drawings; can be deleted and rebuilt
//! └── report.html    can be deleted and rebuilt
//! ```

mod read;
mod run;
mod write;

pub use read::{curve, load};
pub use run::RunRecord;
pub use write::Archive;
