//! What is recorded: one row for each step of a cell, whatever came of it.

mod conditions;
mod line;
mod requests;

pub use conditions::{Conditions, most_common};
pub use line::{
    Census, CpuUse, CurvePoint, Memory, MemoryPoint, NothingMore, Outcome, Overheads, Percentiles,
    Refusal, Role, Row, SCHEMA, TracePosition,
};
pub use requests::{Began, DriverPrice, Flag, OpenLoop, Roofline, Turn, Verification};
