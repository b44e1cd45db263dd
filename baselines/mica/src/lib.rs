//! MICA: partitions with segregated fits or a circular log.
//!
//! A reimplemented rival, after H. Lim's thesis (CMU-CS-15-132, chapter 5). `README.md` says what
//! is implemented and what is left out.
//!
//! | module | contents |
//! |---|---|
//! | [`mode`] | data access modes: who may read and write a partition |
//! | [`keyhash`] | the keyhash, and which of its bits select partition, tag and bucket |
//! | [`claims`] | which session owns which partition |
//! | [`store`] | store mode |
//! | [`cache`] | cache mode |
//! | [`handover`] | store mode behind threads that own the partitions: software hand-over |
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_mica;

pub mod cache;
pub mod claims;
pub mod handover;
pub mod keyhash;
pub mod mode;
pub mod store;
#[cfg(test)]
mod tests;

pub use cache::{MicaCache, MicaCacheSession};
pub use handover::MicaHandover;
pub use mode::{Access, Crcw, Crew, Erew, Mode};
pub use store::Mica;
