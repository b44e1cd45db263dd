//! Tests of the crate as a whole, through what it shows to others.

mod answers;
mod common;
mod conformance;
mod heap_use;
mod storm;
mod threads;
