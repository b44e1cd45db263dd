//! What the kernel reports about this machine: its files, its memory, and the limits on both.

mod files;
mod group;
mod limits;
mod made_up;
mod memory;

pub use files::KernelFiles;
pub use group::{MemoryGroup, NoGroup, remove_abandoned_groups};
pub use limits::{memory_limits, oom_kills, quota_cores};
#[doc(hidden)]
pub use made_up::MadeUp;
pub use memory::{available_memory_bytes, nodes, swap_bytes, total_memory_bytes};
