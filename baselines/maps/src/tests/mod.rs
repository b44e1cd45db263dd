//! Tests of the crate as a whole, through what it shows to others.

mod answers;
mod common;
mod conformance;
mod heap_use;
#[cfg(onetbb)]
mod planted;
mod storm;
mod threads;
