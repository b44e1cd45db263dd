//! Records what real programs ask: PostMark through a file system of ours, and any program's
//! allocations through a library that is loaded before its own.

pub mod malloc;
