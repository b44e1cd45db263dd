//! The maps, one file each.

mod congee;
mod dashmap;
mod flurry;
mod papaya;
mod scc;
mod skiplist;
mod striped;

pub use congee::Congee;
pub use dashmap::Dashmap;
pub use flurry::Flurry;
pub use papaya::Papaya;
pub use scc::Scc;
pub use skiplist::Skiplist;
pub use striped::Striped;
