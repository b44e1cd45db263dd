//! What several baselines are built and tested with, and what no design differs by.
//!
//! | module | what it holds |
//! |---|---|
//! | [`bits`] | the set bits of a word |
//! | [`counted`] | presence, and a bound on live bytes, for stores that append |
//! | [`credit`] | a bound on live bytes without a counter that every put writes |
//! | [`padded`] | a value on cache lines of its own |
//! | [`spin`] | waiting for a thread that is nearly done |
//! | [`disk`], [`tmpfs`] | files of stores on a disk, and as memory |
//! | [`folder`] | a private folder that goes with its owner |
//! | [`hash`] | a hash of words and of byte strings |
//! | [`key`] | keys of stores that are compiled for words and for byte strings |
//! | [`library`] | shared libraries, loaded when they are needed |
//! | [`partitions`] | a store in several partitions, each with workers of its own |
//! | [`servers`] | processes that a store starts, asks and takes along when it ends |
//! | [`moment`] | the state of a store of byte strings at one moment |
//! | [`mutants`] | mutants of a crate, each against the test that must kill it |
//! | [`values`] | values, copied in and out |
//! | [`testing`] | what tests of stores share |
#![deny(unsafe_code)]

pub mod bits;
pub mod counted;
pub mod credit;
pub mod disk;
pub mod folder;
pub mod hash;
pub mod key;
#[expect(unsafe_code, reason = "a symbol's type is known from its header only")]
pub mod library;
pub mod moment;
pub mod mutants;
pub mod padded;
pub mod partitions;
pub mod servers;
pub mod spin;
pub mod testing;
pub mod tmpfs;
pub mod values;
