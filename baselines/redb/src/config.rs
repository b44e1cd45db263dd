//! Settings of a store.

use engine::{Durability, OpenError, Options, Setup};
use kit::disk::{self, OnDisk, OwnMemory};

/// The least cache: below, a page or two would be all of it.
const CACHE_BYTES_MIN: u64 = 1 << 20;
/// More than a machine has.
const CACHE_BYTES_MAX: u64 = 1 << 46;
/// More would be a log that is never written.
const GROUP_COMMITS_MAX: u64 = 1 << 20;
/// What a store on a disk gives.
const GIVEN: [Durability; 3] = [Durability::Queued, Durability::Process, Durability::Acknowledged];

/// Settings of a [`Redb`](crate::Redb).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedbConfig {
    /// Live key and value bytes above which puts are refused; `None` for no bound.
    pub object_memory_bytes: Option<u64>,
    /// A file on a disk; `None` keeps pages on the heap. Default `None`.
    pub disk: Option<OnDisk>,
    /// Bytes of pages that are kept ready, changed ones among them. Default 64 MiB; redb's is 1 GiB.
    pub cache_bytes: usize,
    /// With [`Durability::Queued`], commits of which the last is given to the device. Default 1000.
    pub group_commits: u32,
}

impl Default for RedbConfig {
    fn default() -> Self {
        Self { object_memory_bytes: None, disk: None, cache_bytes: 64 << 20, group_commits: 1000 }
    }
}

impl RedbConfig {
    /// The settings of a cell.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let mut files = "heap".to_owned();
        options.one_of("files", &mut files, ["heap", "disk"])?;
        let mut config = Self {
            object_memory_bytes: setup.object_memory_bytes,
            disk: disk::configured(setup, options, (files == "disk", &GIVEN))?,
            ..Self::default()
        };
        let own = match files.as_str() {
            "disk" => OwnMemory::limited(options, &setup.files_below())?,
            _ => None,
        };
        if let Some(own) = own {
            config.cache_bytes = own.cache_bytes(config.cache_bytes as u64) as usize;
        }
        let cache_bytes = CACHE_BYTES_MIN..=CACHE_BYTES_MAX;
        options.whole("cache-bytes", &mut config.cache_bytes, cache_bytes)?;
        if let Some(own) = own {
            own.check("cache-bytes", config.cache_bytes as u64)?;
        }
        options.whole("group-commits", &mut config.group_commits, 1..=GROUP_COMMITS_MAX)?;
        Ok(config)
    }

    /// What survives the store.
    pub(crate) fn durability(&self) -> Durability {
        disk::durability_of(self.disk.as_ref())
    }

    /// # Errors
    /// [`OpenError::BadSetting`] if the store does not give the durability that is asked for, or commits in
    /// groups of none.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        if let Some(disk) = &self.disk {
            disk.check(&GIVEN)?;
        }
        if self.group_commits == 0 {
            return Err(OpenError::BadSetting {
                setting: "group-commits".to_owned(),
                value: "0".to_owned(),
                accepted: format!("1 to {GROUP_COMMITS_MAX}"),
            });
        }
        Ok(())
    }
}
