//! Write amplification of stores that keep data in stages and merge it from one to the next, by the
//! analytic primitives of H. Lim, "Resource-Efficient Data-Intensive System Designs for High Performance
//! and Capacity" (CMU-CS-15-132, 2015), chapter 4. Pure functions: no clock, no storage.
//!
//! ```text
//! Workload ─► Popularity ─► unique, unique_inverse, merge ─┐
//!                        └► density_interval ──────────────┤
//! Parameters ──────────────────────────────────────────────┴─► write_amplification ─► Answer
//! Simulation ─► simulate: the levelled tree itself, key by key ─► Simulated
//! ```
//!
//! Sizes and intervals are counts of items and of requests, real-valued, since they are expectations.
//! Requests are independent inserts of items of one size; nothing is deleted or compressed, and no write
//! ever waits.

mod analysis;
mod answer;
mod cascade;
mod density;
mod error;
pub mod figures;
mod leveldb;
mod optimise;
mod parameters;
mod popularity;
mod random;
mod silt;
mod simplex;
mod simulate;
mod step;
mod tree;
mod unique;

#[cfg(test)]
mod tests;

pub use analysis::without_redundancy;
pub use answer::{Answer, write_amplification};
pub use density::{density, density_interval};
pub use error::ParameterError;
pub use optimise::{Optimised, optimal_sizes};
pub use parameters::{Cascade, LevelDb, Parameters, Silt, Sizes, System, Workload};
pub use popularity::Popularity;
pub use silt::{WorstCase, worst_case};
pub use simulate::{Simulated, Simulation, simulate};
pub use step::Step;
pub use tree::Pick;
pub use unique::{merge, unique, unique_inverse};
