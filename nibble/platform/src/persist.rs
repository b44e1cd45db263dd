//! Persistent memory: stores, flushes and fences through one layer.
//!
//! A [`Region`] is memory of which a crash leaves only what was flushed and fenced, and perhaps more.
//! What stands behind it is chosen when it is mapped:
//!
//! * [`Medium::Emulated`]: DRAM and calibrated waits. A flush costs nothing, a fence a fixed time (the
//!   way to the memory controller), and the first access of an operation to a line the time that
//!   persistent memory is slower than DRAM. That is the emulation of Huang et al., *Closing the
//!   Performance Gap Between Volatile and Persistent Key-Value Stores Using Cross-Referencing Logs*
//!   (ATC 2018), §7.
//! * [`Medium::WriteBack`]: DRAM, with the processor's `clwb` and `sfence`, and the same wait for
//!   accesses. Where a processor lacks `clwb`, mapping fails.
//! * A [model](model::Model) of what may have persisted ([`Region::modelled`]), for tests: it keeps
//!   the image that is certainly durable, and all stores since, and enumerates every image that a
//!   crash may leave.
//!
//! Power cannot be cut here, and there is no persistent memory: a region's words are DRAM, or a file's
//! pages, in all three.
//!
//! | file | contents |
//! |---|---|
//! | `region` | the region |
//! | `latency` | waits, and their calibration |
//! | `lines` | the instructions, and whether the processor has them |
//! | `touched` | which lines an operation has accessed |
//! | `model` | what may have persisted |

pub mod latency;
mod lines;
pub mod model;
mod region;
mod touched;

pub use latency::{Calibration, Latency};
pub use lines::has_write_back;
pub use region::{Medium, Region};
pub use touched::Touched;

/// Words of a line, the unit of flushes.
pub const LINE_WORDS: u64 = 8;
