//! Records the requests of real programs: PostMark through our own file system, and any program's
//! allocations through a preloaded library.
//!
//! | module | records |
//! |---|---|
//! | [`malloc`] | a program's requests to its allocator |
//! | [`postmark`] | the key-value operations that PostMark's file operations cost |
#![deny(unsafe_code)]

pub mod malloc;
pub mod postmark;
#[cfg(test)]
mod tests;
