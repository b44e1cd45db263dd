//! Records PostMark: the real program, on a file system of ours that maps files to rows of a store.
//!
//! The program runs in a folder of its own where that file system is mounted by FUSE. Each request
//! of the kernel goes through [`workloads::tablefs`], and the key-value operations that come out are
//! the trace. Nothing that the kernel does in its own time changes their order: data is never
//! cached, entries of files are looked up each time, changes are stored when a file is closed and
//! not when the kernel releases it.
//!
//! | module | what |
//! |---|---|
//! | `availability` | whether the program and the mount are possible here |
//! | `session` | one recording from mount to unmount |
//! | `filesystem`, `state` | the requests of FUSE, and what they change |
//! | `mounted`, `folder` | the mount and its folder, which go whatever happens |
//! | `program`, `report` | the program, and what it prints |

mod availability;
mod error;
mod filesystem;
mod folder;
mod mounted;
mod program;
mod report;
mod session;
mod state;

pub use availability::{Available, Unavailable, availability};
pub use error::CaptureError;
pub use session::{Recorded, record, record_from};
