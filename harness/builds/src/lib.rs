//! Programs built from git revisions, and the instructions that a program executes: what a
//! comparison of two builds needs before it can begin. Linux, git and cargo; valgrind where
//! instructions are counted.
//!
//! | module | what |
//! |---|---|
//! | [`Repository`], [`Commit`] | the checkout around a folder, and a revision of it |
//! | [`build`](fn@build), [`Flavour`] | a revision's program, built once and kept |
//! | [`ask`], [`About`] | what a program says of itself |
//! | [`callgrind`] | instructions executed, by a processor that valgrind plays |

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
