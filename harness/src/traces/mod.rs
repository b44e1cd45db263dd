//! Traces of programs: what a run or a command says of them.

mod account;
mod paper;
mod print;

pub use account::{TraceAccount, TraceContents};
pub use print::print;
