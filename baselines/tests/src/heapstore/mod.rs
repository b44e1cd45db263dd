//! What the store on any heap promises.

mod conformance;
mod heap_use;
