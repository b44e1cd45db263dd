//! What is recorded: one row for each step of a cell, whatever came of it.

mod conditions;
mod requests;
mod row;

pub use conditions::{Conditions, most_common};
pub use requests::{DriverPrice, Flag, OpenLoop, Roofline, Verification};
pub use row::{
    Census, CpuUse, CurvePoint, Memory, MemoryPoint, Outcome, Overheads, Percentiles, Refusal,
    Role, Row, SCHEMA, TracePosition,
};
