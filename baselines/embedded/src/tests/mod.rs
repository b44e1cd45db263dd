//! Tests of the crate as a whole, through what it shows to others.

mod common;
mod conformance;
mod reopened;
mod stores;
