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
//! | [`executor`] | what the process of a way's window runs |
//!
//! Beside the ways stands a library of address spaces as objects, which uses none of them:
//!
//! | module | what |
//! |---|---|
//! | [`registry`] | segments and spaces by name, their keeper, access lists |
//! | `lock` | the lock of a segment |
//! | [`traveller`], [`journey`] | code that goes from space to space, and the processes of its spaces |
//! | [`mod@pointer`], [`heap`] | pointers that know their space, and memory inside a segment |
//! | [`shared`] | what may lie in a segment |
#![deny(unsafe_code)]

mod control;
pub mod executor;
pub mod heap;
pub mod journey;
mod lock;
#[allow(unsafe_code, reason = "calls C")]
mod plain;
pub mod pointer;
mod processes;
pub mod registry;
#[allow(unsafe_code, reason = "memory that several processes have")]
pub mod shared;
mod table;
pub mod traveller;
mod walk;
pub mod way;
mod windows;

pub use way::{WAYS, Way, check, names, open, way};
