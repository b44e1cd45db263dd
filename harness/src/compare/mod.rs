//! Comparisons: blocks of fresh processes, ratios with an interval.

mod abba;

pub use abba::{Block, Side, blocks_of, cells, ratios, throughput};
