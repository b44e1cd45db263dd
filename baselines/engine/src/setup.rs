//! What a store is told when it is opened, and the trait of stores that open themselves.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::{Heap, KvEngine, OpenError, Options};

/// What is known when a store is opened.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Memory for objects; `None` if memory is not limited.
    pub object_memory_bytes: Option<u64>,
    /// The most live value bytes that the workload will hold, for stores that must reserve in
    /// advance.
    pub live_bytes: u64,
    /// The most keys that the workload will hold, inserts included.
    pub records_max: u64,
    /// The longest value of the workload.
    pub value_bytes_max: usize,
    /// Sessions that will be open at the same time: one for each thread that asks.
    pub sessions: usize,
    /// Memory that may hold data of a store on a disk, the page cache included; `None` if it is not limited.
    pub cache_bytes: Option<u64>,
    /// Whether memory must be resident before the clock starts.
    pub resident: bool,
    /// Whether anyone uses what PUT reports: whether the key was present.
    pub tells_updates: bool,
    /// The cell's settings by name; read them through [`options`](Self::options).
    pub options: BTreeMap<String, String>,
    /// A folder on a disk, below which stores for disks make folders of their own; `None` for the
    /// system's folder of temporary files.
    pub folder: Option<PathBuf>,
    /// The heap below the store, already opened.
    pub heap: Option<&'static dyn Heap>,
}

impl Setup {
    /// The settings, for reading one by one.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::new(&self.options).within(self.cache_bytes)
    }

    /// Where a store for disks makes its folder.
    #[must_use]
    pub fn files_below(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// The heap for a store that takes one
    /// ([`AllocatorChoice::Chosen`](crate::AllocatorChoice::Chosen)).
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if none was named.
    pub fn heap(&self) -> Result<&'static dyn Heap, OpenError> {
        self.heap.ok_or_else(|| OpenError::BadSetting {
            setting: "heap".to_owned(),
            value: String::new(),
            accepted: "a heap by name, as in heapstore:jemalloc".to_owned(),
        })
    }
}

/// A store that opens itself from a [`Setup`] alone. Such a store may register itself by naming its
/// type in its crate's manifest.
pub trait OpenStore: KvEngine + Sized {
    /// What is needed to open it.
    type Config;

    /// Reads the settings and checks them against what the workload will require. It opens nothing
    /// and takes no memory, because plans ask too. Settings that are not read are refused.
    ///
    /// # Errors
    /// [`OpenError`] says which setting is wrong, and what is accepted.
    fn configure(setup: &Setup, options: &mut Options) -> Result<Self::Config, OpenError>;

    /// Opens an empty store.
    ///
    /// # Errors
    /// [`OpenError`] says what is missing.
    fn open_configured(config: Self::Config) -> Result<Self, OpenError>;

    /// Configures and opens an empty store.
    ///
    /// # Errors
    /// As for its two steps.
    fn open_for(setup: &Setup) -> Result<Self, OpenError> {
        let mut options = setup.options();
        let config = Self::configure(setup, &mut options)?;
        options.finish()?;
        Self::open_configured(config)
    }
}
