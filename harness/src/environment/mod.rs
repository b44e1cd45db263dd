//! The machine and its state, recorded with every run.

mod calibration;
mod capture;
mod kernel_files;
mod limits;
mod memory;
mod processor;
mod program;
mod variables;

pub use calibration::Calibration;
pub use capture::{MachineRecord, capture};
pub(crate) use kernel_files::KernelFiles;
pub(crate) use limits::{memory_limits, quota_cores};
pub(crate) use memory::swap_bytes;
pub use memory::{available_memory_bytes, total_memory_bytes};
pub(crate) use processor::{boost, threads_per_core};
pub(crate) use program::{is_dirty, profile, target_cpu};
pub use variables::allocator_variables;
