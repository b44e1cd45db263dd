//! Predictions for machines with many cores and sockets, made on a machine with few: from primitive
//! costs, given as input, and one thread's measured time. Predictions are never measurements, and are
//! drawn apart from them.
//!
//! ```text
//! model.toml ─► Primitives ─► Machine ┐
//! how a system works ─► Scenario ─────┴─ Curve::fit(one thread's ns) ─► throughput at n threads
//!                                            └ Curve::check(n, measured) ─► Check
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`Primitives`], [`Machine`] | the costs, each with its source |
//!
//! [`Span`]
//! threads over sockets: distances of lines and of memory
//!
//! | [`Station`], [`throughput_per_ns`] | a closed queueing network, by exact mean value analysis |
//!
//! [`Visit`], [`Places`], [`Among`], [`Traffic`], [`Scenario`]
//! the resources that an operation shares with other threads
//!
//! | [`systems`] | the scenarios of the paper's systems and figures |
//! | [`stages`] | write amplification of stores that merge data in stages |
//!
//! [`Curve`], [`Check`]
//! a prediction, and its error where there is a measurement
//!
//!
//! [`ASSUMPTIONS`]
//! the assumptions, to be printed with every prediction
//!

#![deny(unsafe_code)]

mod assumptions;
mod curve;
mod demand;
mod machine;
mod network;
mod scenario;
mod span;
pub mod stages;
pub mod systems;
mod zipf;

pub use assumptions::ASSUMPTIONS;
pub use curve::{Check, Curve, FitError};
pub use machine::{Given, Machine, Primitives, PrimitivesError};
pub use network::{Station, throughput_per_ns};
pub use scenario::{Among, Place, Places, Scenario, Traffic, Visit};
pub use span::Span;
pub use zipf::Zipf;
