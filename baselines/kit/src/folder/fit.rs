//! Whether files that are to survive can be kept in a folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use engine::OpenError;
use rustix::fs::statfs;

/// File systems on which synchronising means nothing of the device's: in memory, or in layers of which
/// nobody knows what they are on (`linux/magic.h`).
const UNFIT: [(i64, &str); 4] = [
    (super::TMPFS, "tmpfs"),
    (super::RAMFS, "ramfs"),
    (0x794c_7630, "overlay"),
    (0x7371_7368, "squashfs"),
];

/// Why files that are to survive cannot be kept in a folder.
#[derive(Debug)]
pub enum Unfit {
    /// There is no such folder.
    Missing { folder: PathBuf },
    /// It holds something already.
    NotEmpty { folder: PathBuf, first: String },
    /// Nothing can be written there.
    NotWritable { folder: PathBuf, source: io::Error },
    /// What is synchronised there is on no device.
    CannotSync { folder: PathBuf, file_system: &'static str },
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing { folder } => {
                write!(formatter, "{} is no folder: create it, or name another", folder.display())
            }
            Self::NotEmpty { folder, first } => write!(
                formatter,
                "{} is not empty: `{first}` is there; name an empty folder",
                folder.display()
            ),
            Self::NotWritable { folder, source } => write!(
                formatter,
                "{} cannot be written to ({source}): name a folder that this user may write to",
                folder.display()
            ),
            Self::CannotSync { folder, file_system } => write!(
                formatter,
                "{} is on a file system ({file_system}) on which nothing survives the machine: name \
                 a folder on a disk",
                folder.display()
            ),
        }
    }
}

impl std::error::Error for Unfit {}

impl From<Unfit> for OpenError {
    fn from(unfit: Unfit) -> Self {
        Self::Unusable { what: "the folder for files".to_owned(), reason: unfit.to_string() }
    }
}

/// Checks that files in `folder` can be written and synchronised. Leaves nothing behind.
///
/// # Errors
/// [`Unfit`], except [`Unfit::NotEmpty`].
pub fn fit_for_files(folder: &Path) -> Result<(), Unfit> {
    let own = || folder.to_owned();
    if !folder.is_dir() {
        return Err(Unfit::Missing { folder: own() });
    }
    let not_writable = |source| Unfit::NotWritable { folder: own(), source };
    let found = statfs(folder).map_err(|error| not_writable(error.into()))?;
    if let Some((_, file_system)) = UNFIT.iter().find(|(magic, _)| *magic == super::magic(&found)) {
        return Err(Unfit::CannotSync { folder: own(), file_system });
    }
    try_to_write(folder).map_err(not_writable)
}

/// Checks that there is nothing in `folder`.
///
/// # Errors
/// [`Unfit::NotEmpty`]; [`Unfit::Missing`] if there is no such folder.
pub fn is_empty(folder: &Path) -> Result<(), Unfit> {
    let own = || folder.to_owned();
    let mut entries = fs::read_dir(folder).map_err(|_| Unfit::Missing { folder: own() })?;
    match entries.next() {
        None => Ok(()),
        Some(entry) => Err(Unfit::NotEmpty {
            folder: own(),
            first: entry
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .unwrap_or_default(),
        }),
    }
}

/// Writes a file, has it on the device, and removes it.
fn try_to_write(folder: &Path) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only distinct numbers are asked for.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".written-{}-{number}", std::process::id()));
    // It may be there: a process that had our number was killed between the two calls.
    let file = File::create(&path)?;
    let synchronised = file.sync_all();
    fs::remove_file(&path)?;
    synchronised
}
