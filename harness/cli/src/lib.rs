//! The program `nibble-bench`: what to measure, in which order, by which processes, and what to make
//! of it.
//!
//! Data flows one way, and each arrow is a file or a plain type (`ARCHITECTURE.md`):
//!
//! ```text
//! suites/*.toml ─ suites ─► Suite ─ plan ─► cells ─ runner ─► one fresh worker process each
//!     ─► rows + curve ─ record::archive ─► results/RUN/ ─ report ─► report.html
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`suites`], [`plan`], [`traces`], `memory` | what to measure, and how much memory it touches |
//! | [`runner`] | a cell as a process, watched from outside |
//! | [`environment`], [`doctor`] | this machine, and what on it disturbs measurements |
//! | `slurm`, `ssh` | what Slurm and hosts are asked and answer, of runs that nodes share |
//! | [`compare`], `targets` | live comparisons and performance targets |
//! | [`cli`], [`commands`] | the command line |

pub mod cli;
pub mod commands;
pub mod compare;
pub mod doctor;
pub mod environment;
mod memory;
pub mod plan;
pub mod runner;
mod shard_script;
mod shell;
mod slurm;
mod ssh;
pub mod suites;
mod targets;
pub mod traces;
