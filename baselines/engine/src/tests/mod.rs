//! Tests of the crate as a whole, through what it shows to others.

mod conformance_catches;
mod reopened_catches;
mod toy;
