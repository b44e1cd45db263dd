//! Tests of the crate as a whole, and of its parts where an order of steps must be exact.

mod conformance;
