//! Epochs: who is inside an operation, and since when.

pub(crate) mod clock;
pub(crate) mod pin;
pub(crate) mod table;

pub(crate) use clock::{Clock, Stamp};
pub(crate) use pin::Pin;
pub(crate) use table::{EpochTable, Slot};
