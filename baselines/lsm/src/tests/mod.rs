//! Tests of the crate as a whole, and of its parts where an order of steps must be exact.

mod backend;
mod bad_input;
mod clock;
mod common;
mod conformance;
mod crashes;
mod kills;
mod linear;
mod measure;
mod memtable;
mod merges;
mod partitions;
mod power;
mod recovery;
mod settings;
mod snapshots;
mod states;
mod storm;
