//! All calls to the operating system: one place for mapping flags, placement and clocks, so that a
//! measured difference between two designs is never a difference in flags.
//!
//! | module | what |
//! |---|---|
//! | [`mapping`] | anonymous, reserved and shared mappings; page size; populate and discard |
//! | [`huge`] | 2 MiB pages made of small ones, and how many a range has |
//! | [`mirrored`] | a ring whose end is mapped to its beginning |
//! | [`remapped`] | allocated memory that is mapped and unmapped repeatedly |
//! | [`segments`] | memory that processes share at fixed addresses; places that show one segment in turn |
//! | [`flush`] | emptying the processor's cache of translations |
//! | [`futex`] | words at which threads and processes sleep |
//! | [`sockets`] | messages and descriptors between processes of one machine |
//! | [`relay`] | one flow of control handed from thread to thread or process to process |
//! | [`racy`] | words that threads copy while others write them |
//! | [`persist`] | persistent memory: emulated, by the processor's instructions, or as a model of crashes |
//! | [`barrier`] | a store-load barrier of which the frequent side is free |
//! | [`numa`] | memory nodes, their cores, binding |
//! | [`cpu`] | core ids, pinning, the hypervisor below |
//! | [`clock`] | time-stamp counter, monotonic and CPU clocks |
//! | [`device`] | the block device below a folder, and what passed through it |
//! | [`mutant`] | address spaces broken on purpose, for tests |
//! | [`mod@mutants`] | how a crate declares ways to break it |
//! | [`process`] | children that die with their parent; memory and resources as counted by the kernel |
#![warn(missing_docs)]

pub mod barrier;
pub mod clock;
pub mod cpu;
pub mod device;
pub mod flush;
pub mod futex;
pub mod huge;
pub mod mapping;
pub mod mirrored;
pub mod mutant;
pub mod mutants;
pub mod numa;
pub mod persist;
pub mod process;
pub mod racy;
pub mod relay;
pub mod remapped;
pub mod segments;
pub mod sockets;

pub use barrier::Barrier;
pub use mapping::{Mapping, Pages};
pub use mirrored::Mirrored;
pub use remapped::{SharedMemory, View};
