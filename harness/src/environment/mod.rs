//! The machine and its state, recorded with every run.

mod calibration;
mod capture;
mod memory;

pub use calibration::Calibration;
pub use capture::{MachineRecord, capture};
pub use memory::{available_memory_bytes, total_memory_bytes};

/// Prefixes and names of variables by which allocators are configured. The parent removes them
/// from a worker's environment and sets only what the cell declares, so that nothing in the
/// user's shell reaches a measurement unrecorded.
const ALLOCATOR_VARIABLES: [&str; 9] = [
    "MALLOC_",
    "_RJEM_MALLOC",
    "JE_MALLOC",
    "MIMALLOC_",
    "TCMALLOC_",
    "SCUDO_",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
    "RPMALLOC_",
];

/// Names of the variables in this process's environment that configure allocators.
#[must_use]
pub fn allocator_variables() -> Vec<String> {
    std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| ALLOCATOR_VARIABLES.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}
