//! Object sizes that change under a store's or allocator's feet.
//!
//! Fill with objects of one size, delete a share of them at random, fill again with objects of
//! another size: the holes left behind do not fit. A [`Pattern`] says which sizes and how many
//! deletes, and how often that comes again; a [`PhaseScript`] turns it into actions, one thread at a
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
