//! The maps, one file each.

mod congee;
mod dashmap;
mod flurry;
#[cfg_attr(not(onetbb), path = "onetbb_missing.rs")]
mod onetbb;
mod papaya;
mod scc;
mod skiplist;
mod striped;

pub use congee::Congee;
pub use dashmap::Dashmap;
pub use flurry::Flurry;
pub use onetbb::{OneTbb, OneTbbKey};
pub use papaya::Papaya;
pub use scc::Scc;
pub use skiplist::Skiplist;
pub use striped::Striped;

/// As `onetbb` and what stands for it are called.
const ONETBB_NAME: &str = "onetbb";
const ONETBB_DESCRIPTION: &str =
    "oneTBB's concurrent_hash_map, a reader-writer lock per entry, values on any heap";
