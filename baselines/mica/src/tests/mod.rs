//! Tests of the crate as a whole, through what it shows to others.

mod cache;
mod cache_conformance;
mod cache_memory;
mod cache_storm;
mod conformance;
mod handover;
mod handover_conformance;
mod small_cache;
mod store;
