//! Reads YCSB's workload files: the same property names, read into a
//! [`Workload`](crate::requests::Workload).
//!
//! ```
//! use workloads::ycsb::{Properties, interpret};
//!
//! let mut properties = Properties::parse("recordcount=1000\noperationcount=5000\n")?;
//! properties.set("readproportion=0.5")?; // as -p does: later settings win
//! properties.set("updateproportion=0.5")?;
//! let run = interpret(&properties)?;
//! assert_eq!((run.records, run.workload.mix.get), (1000, 50.0));
//! # Ok::<(), workloads::ycsb::PropertiesError>(())
//! ```
//!
//! A known property that has no effect here gives a notice; an unknown property is an error. These
//! differences from YCSB give no notice, because they are the same for every workload:
//!
//! * The fields of a record lie together in one value of `fieldcount` × `fieldlength` bytes, and
//!   every operation reads or writes the whole value.
//! * Keys have 8 bytes, instead of `user` and up to 20 digits.
//! * `zipfian` keys are [`YcsbScrambled`](crate::distribution::YcsbScrambled), over the loaded
//!   records. YCSB's range has one record more and twice the inserts that it expects, and it draws
//!   again while a record is not there yet. Other records are the popular ones; how popular they
//!   are is the same. The presets of [`core_workload`] have `zipfian:0.99` instead.
//! * Inserted records are requested as described in [`requests`](crate::requests).

mod core_workloads;
mod error;
mod interpret;
mod known;
mod properties;

pub use core_workloads::{CORE_WORKLOADS, core_workload};
pub use error::PropertiesError;
pub use interpret::{YcsbRun, histogram_file, interpret};
pub use properties::Properties;
