//! The record of a cell: one row for each step, whatever its outcome.

mod conditions;
mod line;
mod requests;

pub use conditions::{Conditions, most_common};
pub use line::{
    Census, CpuUse, CurvePoint, Memory, MemoryPoint, NothingMore, Outcome, Overheads, Percentiles,
    Refusal, Role, Row, SCHEMA, TracePosition,
};
pub use requests::{Began, DriverPrice, Flag, OpenLoop, Roofline, Turn, Verification};
