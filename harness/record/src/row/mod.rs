//! The record of a cell: one row for each step, whatever its outcome.

mod conditions;
mod durability;
mod line;
mod requests;
mod traffic;

pub use conditions::{Conditions, TRACE_KEYS, most_common};
pub use durability::Durability;
pub use line::{
    Census, CpuUse, CurvePoint, Memory, MemoryPoint, NothingMore, Outcome, Overheads, Percentiles,
    Refusal, Role, Row, SCHEMA, TracePosition,
};
pub use requests::{Began, DriverPrice, Flag, OpenLoop, Roofline, Turn, Verification};
pub use traffic::{Asked, Passed, Traffic};
