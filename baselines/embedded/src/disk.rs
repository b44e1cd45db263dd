//! Stores with their files on a disk, and the folder that holds them.

use std::fs;
use std::path::{Path, PathBuf};

use engine::{Durability, OpenError, Setting};
use kit::folder::{Folder, files_bytes, fit_for_files};

const PREFIX: &str = "baseline-embedded-";

/// Files on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnDisk {
    /// Where they are.
    pub folder: DiskFolder,
    /// What survives the store. LevelDB and LMDB give no less than [`Durability::Process`]; none gives
    /// [`Durability::Queued`].
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
    pub(crate) fn check(&self, given: &[Durability]) -> Result<(), OpenError> {
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

    /// Creates the folder.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] where files cannot be kept there.
    pub(crate) fn folder(&self) -> Result<StoreFolder, OpenError> {
        match &self.folder {
            DiskFolder::Below(parent) => {
                fit_for_files(parent).map_err(OpenError::from)?;
                let folder =
                    Folder::create(parent, PREFIX).map_err(|error| unusable(parent, &error))?;
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
pub(crate) enum StoreFolder {
    /// Removed with the store.
    Private(Folder),
    Kept(PathBuf),
}

impl StoreFolder {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Private(folder) => folder.path(),
            Self::Kept(path) => path,
        }
    }

    pub(crate) fn files_bytes(&self) -> u64 {
        files_bytes(self.path())
    }
}

/// Where a store has its files, and what of it survives.
pub(crate) fn settings_of(disk: Option<&OnDisk>, tmpfs: &Path) -> [Setting; 3] {
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
pub(crate) fn durability_of(disk: Option<&OnDisk>) -> Durability {
    disk.map_or(Durability::None, |disk| disk.durability)
}
