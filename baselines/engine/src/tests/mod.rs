//! Tests of the crate as a whole, through what it shows to others.

mod bytes_catches;
mod conformance_catches;
mod reopened_catches;
mod toy;
mod toy_bytes;
mod toy_valueless;
