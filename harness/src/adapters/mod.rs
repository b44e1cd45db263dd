//! Opens each store from a cell's setup; wraps those that do not speak the contract themselves.

pub(crate) mod btree;
pub(crate) mod faulty;
pub(crate) mod hashmap;
pub(crate) mod heapstore;
pub(crate) mod nibble;
pub(crate) mod null;
mod options;
pub(crate) mod redis;
pub(crate) mod roofline;
