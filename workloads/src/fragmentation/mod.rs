//! Fragmentation workloads: object sizes that change while a store or allocator is in use.
//!
//! A pattern fills memory with objects of one size, deletes a random share of them, and fills again
//! with objects of another size that do not fit the holes. A [`Pattern`] gives the sizes, the share
//! to delete and the number of cycles. A [`PhaseScript`] turns it into actions, one thread at a
//! time.

mod builtin;
mod pattern;
mod script;
mod step;
mod wire;

pub use builtin::all;
pub use pattern::{Pattern, PatternError, Volume};
pub use script::{Action, Limit, PhaseScript, ScriptError, objects_max};
pub use step::{Phase, Step};
