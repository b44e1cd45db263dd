//! Any programs as measured processes: what a run takes in wall and processor time, in memory of all its
//! processes and in page faults, and how it ends. Nothing here knows a store.
//!
//! | module | what |
//! |---|---|
//! | [`Command`], [`Scan`] | what is run: words, a shell, parameters |
//! | [`run`](fn@run), [`Run`], [`Ending`] | one run, watched from outside; how it ended |
//! | [`Session`], [`Settings`] | runs with warm-up, preparation and clean-up; what fails is said |
//! | [`Measured`], [`MEASURES`] | runs by command, and what is judged of them |
//! | [`Bench`], [`Length`] | mirrored blocks of all commands, until a number or a time is reached |
//! | [`looks`](fn@looks), [`Asked`] | what the blocks say: changed, unchanged or unknown |
//! | [`preloads`](fn@preloads), [`refusal`] | allocators that can be preloaded, and programs that refuse |
//! | [`hyperfine`], [`export`], [`table`](fn@table), [`document`] | what came out, for people and programs |
//!
//! | file | what |
//! |---|---|
//! | `raw` | the calls that need `unsafe` |
//! | `memory`, `sampler` | memory of a tree of processes, and its curve |
//! | `strays` | processes that outlive the one that was started |
//! | `drain` | outputs of programs: discarded, shown in part, their last lines kept |

mod asked;
mod bench;
mod command;
mod document;
mod drain;
mod elf;
mod ending;
pub mod export;
mod failure;
pub mod hyperfine;
mod looks;
mod measured;
mod memory;
mod parameters;
mod preloads;
mod raw;
mod run;
mod sampler;
mod session;
mod strays;
mod table;
#[cfg(test)]
mod tests;
mod traffic;

pub use asked::Asked;
pub use bench::{Bench, Length, Side, Told};
pub use command::{Command, Shell};
pub use document::{curve_table, document};
pub use elf::{Refusal, refusal};
pub use ending::{Ending, Ignored};
pub use failure::Failure;
pub use looks::{ERROR_RATE, Looks, allocators, fastest, looks};
pub use measured::{MEASURES, Measure, Measured};
pub use parameters::{BadScan, Scan};
pub use preloads::{Preload, preloads};
pub use run::{Input, Launch, Output, Run, run};
pub use sampler::Point;
pub use session::{Session, Settings};
pub use table::table;
pub use traffic::{Traffic, traffic};
