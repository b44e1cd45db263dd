//! What is recorded: one row for each step of a cell, whatever came of it.

mod row;

pub use row::{
    Census, CpuUse, CurvePoint, Memory, MemoryPoint, Outcome, Overheads, Refusal, Row, SCHEMA,
    Verification,
};
