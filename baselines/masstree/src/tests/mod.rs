//! Tests of the crate as a whole, through what it shows to others.

mod concurrent;
mod conformance;
mod heap_use;
mod tree;
