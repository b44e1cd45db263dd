//! MICA: partitions, segregated fits or a circular log.
#![forbid(unsafe_code)]

pub mod cache;
pub mod claims;
pub mod keyhash;
pub mod mode;

pub use cache::{MicaCache, MicaCacheSession};
pub use mode::{Access, Crcw, Crew, Erew, Mode};
