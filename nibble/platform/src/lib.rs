//! The only calls to the operating system: one place for mapping flags, placement and clocks, so
//! that a measured difference between two designs is never a difference of flags.
//!
//! | module | what |
//! |---|---|
//! | [`mapping`] | anonymous, reserved and shared mappings; page size; populate and discard |
//! | [`huge`] | 2 MiB pages made of small ones, and how many a range has |
//! | [`mirrored`] | a ring whose end is mapped to its beginning |
//! | [`remapped`] | memory that is there already, mapped and unmapped again and again |
//! | [`racy`] | words that threads copy while others write them |
//! | [`numa`] | memory nodes, their cores, binding |
//! | [`cpu`] | core ids, pinning, the hypervisor below |
//! | [`clock`] | time-stamp counter, monotonic and CPU clocks |
//! | [`process`] | fate of a child whose parent dies, memory and resources as the kernel counts them |
#![warn(missing_docs)]

pub mod clock;
pub mod cpu;
pub mod huge;
pub mod mapping;
pub mod mirrored;
pub mod numa;
pub mod process;
pub mod racy;
pub mod remapped;

pub use mapping::{Mapping, Pages};
pub use mirrored::Mirrored;
pub use remapped::{SharedMemory, View};
