//! Records what real programs ask: PostMark through a file system of ours, and any program's
//! allocations through a library that is loaded before its own.
//!
//! | module | records |
//! |---|---|
//! | [`malloc`] | what a program asks of its allocator |
//! | [`postmark`] | the key-value operations that PostMark's files cost |
#![deny(unsafe_code)]

pub mod malloc;
pub mod postmark;
#[cfg(test)]
mod tests;
