//! Any program's allocations: records written by `nibble-preload`, which is loaded before the program's
//! own libraries, converted to a trace.
//!
//! [`record`] runs a program and returns one [`RawFile`] per process; [`RawFile::allocations`] reads one
//! as [`Allocation`](workloads::trace::Allocation)s.
#![forbid(unsafe_code)]

mod convert;
mod error;
mod folder;
mod raw;
// The recorder's own file, so that there is a single definition of the layout.
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
