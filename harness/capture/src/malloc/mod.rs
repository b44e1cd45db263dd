//! Any program's allocations: what `nibble-preload`, loaded before the program's own libraries,
//! wrote down, made into a trace.
//!
//! [`record`] runs a program and gives one [`RawFile`] per process; [`RawFile::allocations`] reads
//! one as [`Allocation`](workloads::trace::Allocation)s.
#![forbid(unsafe_code)]

mod convert;
mod error;
mod folder;
mod raw;
// The file is the recorder's, so that there is one layout.
#[allow(dead_code, reason = "what only the recorder needs")]
#[path = "../../../preload/src/record.rs"]
mod record;
mod run;
#[cfg(test)]
mod tests;

pub use convert::{Allocations, Converted};
pub use error::CaptureError;
pub use raw::RawFile;
pub use run::{RecordOptions, Recording, library, record};
