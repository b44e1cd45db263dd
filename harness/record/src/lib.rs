//! What is measured and what is kept of it: a cell, its steps, a row for each step, and the folder of a
//! run. This crate knows no engine, so a run can be read without building one.
//!
//! | module | what |
//! |---|---|
//! | `cell` | one measured process as plain data |
//! | [`dimensions`] | the settings in which cells of requests differ |
//!
//! [`metrics`]
//! the metrics of a row, by name
//!
//!
//! `step`
//! a worker's report of a step
//!
//!
//! `row`
//! the record of a step
//!
//! | [`repetition`] | the rows of one process, and whether they count |
//! | [`archive`] | writing, resuming and reading run folders |
//!
//! [`identity`]
//! identity and provenance of rows
//!
//! | [`scale`] | how large a run is |
//!
//! [`schema`]
//! JSON Schemas of rows, for programs that check them
//!

pub mod archive;
mod calibration;
mod cell;
pub mod dimensions;
mod followed;
pub mod identity;
mod machine;
#[doc(hidden)]
pub mod made_up;
pub mod metrics;
pub mod repetition;
mod row;
pub mod scale;
pub mod schema;
mod split;
mod step;
mod suggest;
mod trace_account;
mod trace_facts;

pub use calibration::Calibration;
pub use cell::*;
pub use followed::{followed, phase_of};
pub use machine::MachineRecord;
pub use repetition::{Repetition, is_sound, repetitions};
pub use row::{
    Asked, Began, Census, Conditions, CpuUse, CurvePoint, DriverPrice, Durability, Flag, Memory,
    MemoryPoint, NothingMore, OpenLoop, Outcome, Overheads, Passed, Percentiles, Refusal, Role,
    Roofline, Row, SCHEMA, TRACE_KEYS, TracePosition, Traffic, Turn, Verification, most_common,
};
pub use scale::Scale;
pub use split::{Shard, ShardError, Split, rounds};
pub use step::{Capacity, CellRecord, LatencyReport, Second, StepReport};
pub use suggest::unknown_name;
pub use trace_account::{TraceAccount, TraceContents};
pub use trace_facts::facts;
