//! What a store is told when it is opened, and the stores that open themselves with it.

use std::collections::BTreeMap;

use crate::{Heap, KvEngine, OpenError, Options};

/// What is known when a store is opened.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Memory for objects; `None` where memory is no limit.
    pub object_memory_bytes: Option<u64>,
    /// Live value bytes the workload will hold at most, for stores that must reserve ahead.
    pub live_bytes: u64,
    /// Keys the workload will hold at most, inserts included.
    pub records_max: u64,
    /// Longest value of the workload.
    pub value_bytes_max: usize,
    /// Whether memory is to be resident before the clock.
    pub resident: bool,
    /// Whether anybody looks at what PUT tells: whether the key was there.
    pub tells_updates: bool,
    /// Settings by name, from the cell; read them with [`options`](Self::options).
    pub options: BTreeMap<String, String>,
    /// The heap below the store, opened.
    pub heap: Option<&'static dyn Heap>,
}

impl Setup {
    /// The settings, to be read one by one. A store without settings calls
    /// [`finish`](Options::finish) at once, so that a setting nobody reads is refused.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::new(&self.options)
    }

    /// The heap below a store that takes one
    /// ([`AllocatorChoice::Chosen`](crate::AllocatorChoice::Chosen)).
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] where none was named.
    pub fn heap(&self) -> Result<&'static dyn Heap, OpenError> {
        self.heap.ok_or_else(|| OpenError::BadSetting {
            setting: "heap".to_owned(),
            value: String::new(),
            accepted: "a heap by name, as in heapstore:jemalloc".to_owned(),
        })
    }
}

/// A store that needs nobody to open it: what it has to know stands in the [`Setup`]. Such a store
/// may register itself, by naming its type in its crate's manifest.
pub trait OpenStore: KvEngine + Sized {
    /// Opens an empty store.
    ///
    /// # Errors
    /// [`OpenError`] says which setting is wrong, or what is missing.
    fn open_for(setup: &Setup) -> Result<Self, OpenError>;
}
