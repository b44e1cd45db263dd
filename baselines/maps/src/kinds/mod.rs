//! The maps, one file each.

mod dashmap;
mod papaya;
mod scc;
mod skiplist;
mod striped;

pub use dashmap::Dashmap;
pub use papaya::Papaya;
pub use scc::Scc;
pub use skiplist::Skiplist;
pub use striped::Striped;
