//! Records PostMark: the real program, on our own file system, which maps files to rows of a store.
//!
//! The program runs in a folder of its own where that file system is mounted by FUSE. Each request of the
//! kernel goes through [`workloads::tablefs`], and the resulting key-value operations are the trace.
//! Asynchronous work of the kernel does not change their order: data is never cached, entries of files
//! are looked up each time, and changes are stored when a file is closed, not when the kernel releases
//! it.
//!
//! | module | what |
//! |---|---|
//! | `availability` | whether the program and the mount are available here |
//! | `session` | one recording from mount to unmount |
//! | `filesystem`, `state` | the requests of FUSE, and the state that they change |
//! | `folder` | the folder of the mount, which is always removed |
//! | `program`, `report` | the program, and its output |

mod availability;
mod error;
mod filesystem;
mod folder;
mod program;
mod report;
mod session;
mod state;

pub use availability::{Available, Unavailable, availability};
pub use error::CaptureError;
pub use session::{Recorded, record, record_from};
