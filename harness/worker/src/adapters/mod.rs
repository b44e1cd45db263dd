//! Opens the stores that do not register themselves, and wraps those that do not implement the contract.

pub(crate) mod embedded;
pub(crate) mod faulty;
pub(crate) mod heapstore;
pub(crate) mod hindered;
pub(crate) mod maps;
pub(crate) mod masstree;
pub(crate) mod mica;
pub(crate) mod nibble;
pub(crate) mod null;
pub(crate) mod ramcloud;
pub(crate) mod redis;
pub(crate) mod roofline;
