//! Tests of the crate as a whole, through what it shows to others.

mod cleaning;
mod common;
mod conformance;
mod contended;
mod threads;
