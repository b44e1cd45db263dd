//! Suites: questions as TOML, each a grid of cells.

mod bytes;
mod catalogue;
mod family;
mod key_value;
mod lists;
mod replay;
mod suite;
mod threads;

pub use bytes::Bytes;
pub use catalogue::{built_in, load, names};
pub use family::Family;
pub use key_value::KeyValueGrid;
pub use replay::ReplayGrid;
pub use suite::*;
pub use threads::{Threads, on_cores};
