//! Ways to reach memory that is not mapped: what it costs to remap it, to move page tables, to hand
//! over to another address space, and to send messages to the process that holds it.
//!
//! The question is that of SpaceJMP (Merritt's dissertation, chapters VII to X), whose kernel lets a
//! thread change its page table. A stock kernel has no such call. What is here is an *approximation*:
//! an address space is a process, and control is handed from process to process on one core.
//!
//! | module | what |
//! |---|---|
//! | [`mod@way`] | the ways by name, what they need, and how they are opened |
//! | `windows` | the ways themselves |
//! | [`executor`] | what the process of a space runs |
#![deny(unsafe_code)]

mod control;
pub mod executor;
#[allow(unsafe_code, reason = "calls C")]
mod plain;
mod processes;
mod table;
mod walk;
pub mod way;
mod windows;

pub use way::{WAYS, Way, check, names, open, way};
