//! The program from outside, the documents, and the rules that hold for the whole workspace: one
//! program, because each test program links every engine.

mod allocations;
mod book;
mod cli_counters;
mod cli_doctor;
mod cli_errors;
mod cli_export;
mod cli_runs;
mod cli_targets;
mod common;
mod comparisons;
mod decide;
mod environment_opens_nothing;
mod format;
mod hindered;
mod mapping;
mod memory_truth;
mod newcomer;
mod outcomes;
mod readme;
mod refill;
mod replays;
mod requests;
mod resume;
mod rivals;
mod servers;
mod tidy_cycles;
mod tidy_files;
mod tidy_layers;
mod tidy_once;
mod traces;
mod turns;
