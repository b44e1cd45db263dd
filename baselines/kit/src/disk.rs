//! Stores with their files on a disk, and the folder that holds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use engine::{Durability, OpenError, Options, Setting, Setup};

use crate::folder::{Folder, files_bytes, fit_for_files};

/// Files on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// Where they are.
    pub folder: DiskFolder,
    /// What survives the store, which may not give all of them.
    pub durability: Durability,
}

/// Where a store on a disk has its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiskFolder {
    /// A folder of its own below this one, which goes with the store.
    Below(PathBuf),
    /// This one, which stays: a store that is there is opened.
    At(PathBuf),
}

impl OnDisk {
    /// # Errors
    /// [`OpenError::BadSetting`] if the store does not give the durability that is asked for.
    pub fn check(&self, given: &[Durability]) -> Result<(), OpenError> {
        if given.contains(&self.durability) {
            return Ok(());
        }
        let names: Vec<&str> = given.iter().map(|one| one.name()).collect();
        Err(OpenError::BadSetting {
            setting: "log".to_owned(),
            value: self.durability.name().to_owned(),
            accepted: names.join(", "),
        })
    }

    /// Creates the folder; the name of a private one begins with `prefix`.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] where files cannot be kept there.
    pub fn folder(&self, prefix: &str) -> Result<StoreFolder, OpenError> {
        match &self.folder {
            DiskFolder::Below(parent) => {
                fit_for_files(parent).map_err(OpenError::from)?;
                let folder =
                    Folder::create(parent, prefix).map_err(|error| unusable(parent, &error))?;
                Ok(StoreFolder::Private(folder))
            }
            DiskFolder::At(path) => {
                fs::create_dir_all(path).map_err(|error| unusable(path, &error))?;
                fit_for_files(path).map_err(OpenError::from)?;
                Ok(StoreFolder::Kept(path.clone()))
            }
        }
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> OpenError {
    OpenError::Unusable { what: path.display().to_string(), reason: error.to_string() }
}

/// The folder of a store.
#[derive(Debug)]
pub enum StoreFolder {
    /// Removed with the store.
    Private(Folder),
    /// There before and after.
    Kept(PathBuf),
}

impl StoreFolder {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Private(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }

    /// Space that its files take, in bytes.
    #[must_use]
    pub fn files_bytes(&self) -> u64 {
        files_bytes(self.path())
    }
}

/// Reads the setting `log` of a store whose files are on a disk, or not: what survives it, on a disk one of
/// `given`. The folder is looked at, so that a plan refuses what a worker would.
///
/// # Errors
/// [`OpenError::Refused`] or [`OpenError::BadSetting`] for a durability that the store does not give;
/// [`OpenError::Unusable`] where files cannot be kept.
pub fn configured(
    setup: &Setup,
    options: &mut Options,
    (is_on_disk, given): (bool, &[Durability]),
) -> Result<Option<OnDisk>, OpenError> {
    const NONE: Durability = Durability::None;
    let mut kept = Kept(if is_on_disk { Durability::Process } else { NONE });
    let all = Durability::ALL.into_iter().filter(|one| *one == NONE || given.contains(one));
    options.one_of("log", &mut kept, all.map(Durability::name))?;
    let (accepted, unless) =
        if is_on_disk { (given, "") } else { (&[NONE][..], ", unless files=disk") };
    if !accepted.contains(&kept.0) {
        let accepted: Vec<&str> = accepted.iter().map(|one| one.name()).collect();
        return Err(OpenError::BadSetting {
            setting: "log".to_owned(),
            value: kept.0.name().to_owned(),
            accepted: accepted.join(", ") + unless,
        });
    }
    if !is_on_disk {
        return Ok(None);
    }
    let below = setup.files_below();
    fit_for_files(&below)?;
    // A store that sizes nothing by it is held by the group of its process.
    let _ = options.cache_bytes();
    Ok(Some(OnDisk { folder: DiskFolder::Below(below), durability: kept.0 }))
}

/// As [`configured`], with the setting `files`: on a tmpfs, or on a disk.
///
/// # Errors
/// As there.
pub fn tmpfs_or_disk(
    setup: &Setup,
    options: &mut Options,
    given: &[Durability],
) -> Result<Option<OnDisk>, OpenError> {
    let mut files = "tmpfs".to_owned();
    options.one_of("files", &mut files, ["tmpfs", "disk"])?;
    configured(setup, options, (files == "disk", given))
}

/// Memory that may hold data of a store on a disk, the page cache included: the store's own part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnMemory {
    limit_bytes: u64,
}

impl OwnMemory {
    /// The limit of a cell that has one, for a store that keeps its files `below`.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] if files there are in memory: none of them could leave it.
    pub fn limited(options: &mut Options, below: &Path) -> Result<Option<Self>, OpenError> {
        let Some(limit_bytes) = options.cache_bytes() else { return Ok(None) };
        fit_for_files(below)?;
        Ok(Some(Self { limit_bytes }))
    }

    /// Size of each of `memtables`, which are of `usual_bytes` where there is room: all of them take a
    /// quarter at most.
    #[must_use]
    pub fn memtable_bytes(self, usual_bytes: u64, memtables: u64) -> u64 {
        usual_bytes.min(self.limit_bytes / 4 / memtables)
    }

    /// The cache of blocks: a quarter, and `usual_bytes` at most.
    #[must_use]
    pub fn cache_bytes(self, usual_bytes: u64) -> u64 {
        usual_bytes.min(self.limit_bytes / 4)
    }

    /// Checks that what a store holds itself fits the limit.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] with both.
    pub fn check(self, setting: &str, own_bytes: u64) -> Result<(), OpenError> {
        let Self { limit_bytes } = self;
        if own_bytes <= limit_bytes {
            return Ok(());
        }
        Err(OpenError::BadSetting {
            setting: setting.to_owned(),
            value: format!("{own_bytes} bytes in all"),
            accepted: format!(
                "memtables and caches of {limit_bytes} bytes together, which is what cache-percent gives: \
                 raise it, or lower them"
            ),
        })
    }
}

/// What survives a store, as a setting has it.
#[derive(Clone, Copy, Debug)]
struct Kept(Durability);

impl FromStr for Kept {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Durability::ALL.into_iter().find(|one| one.name() == text).map(Self).ok_or(())
    }
}

/// Where a store has its files, and what of it survives.
#[must_use]
pub fn settings_of(disk: Option<&OnDisk>, tmpfs: &Path) -> [Setting; 3] {
    let (files, folder) = match disk.map(|disk| &disk.folder) {
        None => ("tmpfs", tmpfs),
        Some(DiskFolder::Below(folder) | DiskFolder::At(folder)) => ("disk", folder.as_path()),
    };
    [
        Setting::new("files", files),
        Setting::new("folder of files", folder.display()),
        Setting::new("log", durability_of(disk).name()),
    ]
}

/// What survives a store that may be on a disk.
#[must_use]
pub fn durability_of(disk: Option<&OnDisk>) -> Durability {
    disk.map_or(Durability::None, |disk| disk.durability)
}
