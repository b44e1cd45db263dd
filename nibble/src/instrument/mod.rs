//! For tests only: named places where a thread may lose the processor, and named ways to break
//! the engine. Without the feature `instrumented` both compile to nothing.
//!
//! Races live in windows of a few instructions. [`yields`] makes threads give up the processor
//! inside them, and [`stalls`] makes some stay there for long. Mutants prove that the tests can
//! fail: each removes one thing that correctness rests on, and [`mutants`] names the test that must
//! notice. `scripts/mutants` runs them all.

mod mutant;
mod point;

#[cfg(feature = "instrumented")]
pub use mutant::mutants;
pub(crate) use mutant::{Mutant, mutated};
#[cfg(feature = "instrumented")]
pub use platform::mutants::VARIABLE;
pub(crate) use point::{Point, reach};
#[cfg(feature = "instrumented")]
pub use point::{stalls, yields};
