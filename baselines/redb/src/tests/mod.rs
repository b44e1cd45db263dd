//! Tests of the crate as a whole, through what it shows to others.

mod conformance;
mod reopened;
mod settings;
mod stores;
