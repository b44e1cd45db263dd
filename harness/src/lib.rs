//! How it is measured: the harness behind the program `nibble-bench`.
//!
//! Data flows one way, and each arrow is a file or a plain type (`ARCHITECTURE.md`):
//!
//! ```text
//! suites/*.toml ─ spec ─► Suite ─ plan ─► Cells ─ runner ─► one fresh worker process each
//!     ─► rows + curve ─ archive ─► results/RUN/ ─ figures, report ─► report.html
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`spec`], [`plan`], [`cell`], [`traces`] | what to measure |
//! | [`registry`], `adapters` | which stores and allocators there are |
//! | [`runner`], [`protocol`], [`progress`] | a cell as a process, watched from outside |
//! | [`worker`] | the measured process |
//! | [`record`], [`archive`], [`environment`], [`identity`] | what is kept |
//! | [`memory_return`], [`compare`], [`summaries`] | from rows to numbers |
//! | `targets` | performance targets: a table of questions with a bar each |
//! | [`traces`] | what is known of a trace |
//! | [`figures`], [`report`], [`splice`] | from numbers to pages |
//! | [`doctor`] | what on this machine disturbs measurements |
//! | [`cli`], [`commands`], [`exit`] | the command line |

mod adapters;
pub mod archive;
pub mod cell;
pub mod cli;
pub mod commands;
pub mod compare;
pub mod doctor;
pub mod environment;
pub mod exit;
pub mod figures;
pub mod identity;
pub mod memory_return;
pub mod plan;
pub mod progress;
pub mod protocol;
pub mod record;
pub mod registry;
pub mod report;
pub mod runner;
pub mod spec;
pub mod splice;
pub mod summaries;
mod targets;
pub mod traces;
pub mod worker;
