//! PostMark (Katcher, NetApp technical report TR3022, 1997): many small files that are created,
//! read, appended to and deleted. It is the Nibble paper's dynamic workload.
//!
//! [`Parameters`] configure the program; the crate that runs it records the file operations it
//! makes. Where the program cannot run, a [`Generator`] follows its published algorithm. Both go
//! through [`tablefs`](crate::tablefs), so both produce the same kind of trace.

mod generator;
mod parameters;
mod parameters_error;

pub use generator::{FileCounts, Generator};
pub use parameters::Parameters;
pub use parameters_error::ParametersError;
