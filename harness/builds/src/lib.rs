//! Builds programs from git revisions, and counts the instructions that a program executes: the
//! preparation for a comparison of two builds. Needs Linux, git and cargo; valgrind for counting.
//!
//! | module | what |
//! |---|---|
//! | [`Repository`], [`Commit`] | the checkout around a folder, and a revision of it |
//! | [`build`](fn@build), [`Flavour`] | a revision's program, built once and kept |
//!
//! [`ask`], [`About`]
//! what a program reports about itself
//!
//!
//! [`callgrind`]
//! instructions executed on valgrind's emulated processor
//!

mod about;
mod build_error;
pub mod callgrind;
mod cargo;
mod child;
mod flavour;
mod git;
mod kept;
mod program;
mod repository;
#[cfg(test)]
mod tests;
mod words;
mod worktree;

pub use about::{About, AskError, ask};
pub use build_error::BuildError;
pub use flavour::Flavour;
pub use program::build;
pub use repository::{Commit, Repository, RepositoryError};
