//! Tests of the whole crate through its public interface.

mod common;
mod golden_workloads;
mod trace_damage;
mod trace_format;
mod trace_formats;
mod trace_round_trip;
mod trace_texts;
