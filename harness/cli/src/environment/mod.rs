//! The machine and its state, recorded with every run.

mod capture;
mod node;
mod processor;
mod program;
mod variables;

pub use capture::capture;
pub(crate) use node::{NODE, node_name};
pub(crate) use processor::{boost, is_virtualised, last_level_cache_bytes, threads_per_core};
pub(crate) use program::{is_dirty, profile, target_cpu};
pub use variables::allocator_variables;
