//! Opens each store from a cell's setup; wraps those that do not speak the contract themselves.

pub(crate) mod btree;
pub(crate) mod embedded;
pub(crate) mod faulty;
pub(crate) mod hashmap;
pub(crate) mod heapstore;
pub(crate) mod hindered;
pub(crate) mod maps;
pub(crate) mod masstree;
pub(crate) mod mica;
pub(crate) mod nibble;
pub(crate) mod null;
mod options;
pub(crate) mod ramcloud;
pub(crate) mod redis;
pub(crate) mod roofline;

use engine::{Heap, OpenError};

use crate::registry::StoreSetup;

/// The heap below a store that takes one.
fn heap_of(setup: &StoreSetup) -> Result<&'static dyn Heap, OpenError> {
    setup.heap.ok_or_else(|| OpenError::BadSetting {
        setting: "heap".to_owned(),
        value: String::new(),
        accepted: "a heap by name, as in heapstore:jemalloc".to_owned(),
    })
}
