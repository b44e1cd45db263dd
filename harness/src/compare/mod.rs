//! Comparisons: blocks of fresh processes, ratios with an interval; two runs of the same cells.

mod abba;
mod agreement;
mod search;

pub use abba::{Block, Side, blocks_of, cells, ratios, throughput};
pub use agreement::{Agreement, Compared, agreement};
pub use search::Search;
