//! PostMark (Katcher, NetApp technical report TR3022, 1997): many small files that are created,
//! read, appended to and deleted; the Nibble paper's dynamic workload.
//!
//! [`Parameters`] say what the program is told; the crate that runs it records what it asks of a
//! file system. Where the program cannot run, a [`Generator`] follows its published algorithm.
//! Both go through [`tablefs`](crate::tablefs), so both give the same kind of trace.

mod generator;
mod parameters;
mod parameters_error;

pub use generator::{FileCounts, Generator};
pub use parameters::Parameters;
pub use parameters_error::ParametersError;
