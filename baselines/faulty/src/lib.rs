//! Test-only stores and heaps that misbehave on purpose. They show that the harness survives
//! faults: each must end as a row that names it, and wrong answers must be noticed. A wrapper
//! around any store makes it slower or larger by a known share, to show that comparisons notice
//! that too.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_faulty;

mod contents;
mod fault;
#[expect(unsafe_code, reason = "a heap hands out memory of the C library")]
mod heap;
mod hindered;
mod store;
#[cfg(test)]
mod tests;

pub use fault::Fault;
pub use heap::{FaultyHeap, faulty_heap, plant_in_heap};
pub use hindered::{
    Clock, Hindered, HinderedSession, Hindrance, Monotonic, Naming, Percent, SLOWED_PERCENT_MAX,
};
pub use store::{Config, Faulty, FaultySession};
