//! Tests of the crate as a whole, through what it shows to others.

mod common;
mod golden_workloads;
mod trace_damage;
mod trace_format;
mod trace_formats;
mod trace_round_trip;
