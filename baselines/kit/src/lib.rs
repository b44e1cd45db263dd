//! What several baselines are built and tested with, and what no design differs by.
//!
//! | module | what it holds |
//! |---|---|
//! | [`credit`] | a bound on live bytes without a counter that every put writes |
//! | [`padded`] | a value on cache lines of its own |
//! | [`folder`] | a private folder that goes with its owner |
//! | [`testing`] | what tests of stores share |
#![deny(unsafe_code)]

pub mod credit;
pub mod folder;
pub mod padded;
pub mod testing;
