//! Programs that take no preloaded library, and why: read from their file, before anything runs.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::{error, fmt};

/// Mode bits with which a program gets the rights of its owner, or of its group.
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
/// A type of segments: the path of the dynamic loader.
const PT_INTERP: u32 = 3;
/// Longer paths there are none.
const PATH_BYTES_MAX: u64 = 4096;

/// Why the dynamic loader would preload nothing into a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such program.
    NotFound(String),
    /// It names no dynamic loader.
    Static(PathBuf),
    /// It gets the rights of another user (`setuid`) or group (`setgid`), so the loader takes nothing
    /// from its caller.
    GainsRights(PathBuf, &'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(name) => {
                write!(formatter, "`{name}`: there is no such program in PATH or under this path")
            }
            Self::Static(path) => write!(
                formatter,
                "{} is statically linked (it has no segment PT_INTERP), so no loader preloads an \
                 allocator: link it dynamically",
                path.display()
            ),
            Self::GainsRights(path, how) => write!(
                formatter,
                "{} gains rights when it starts ({how}), and then the loader takes no library from its \
                 caller: measure a copy without that",
                path.display()
            ),
        }
    }
}

impl error::Error for Refusal {}

/// Why nothing can be preloaded into `program`, as it is named on a command line; of a script, into what
/// interprets it. `None` where nothing speaks against it.
#[must_use]
pub fn refusal(program: &OsStr) -> Option<Refusal> {
    let Some(path) = found(program) else {
        return Some(Refusal::NotFound(program.to_string_lossy().into_owned()));
    };
    // A script may be interpreted by a script, but not for ever.
    let mut path = path;
    for _ in 0..4 {
        if let Some(refusal) = of_file(&path) {
            return Some(refusal);
        }
        match interpreter(&path) {
            Some(next) => path = next,
            None => return None,
        }
    }
    None
}

/// Where a program is: its path, or the first folder of `PATH` that has it.
fn found(program: &OsStr) -> Option<PathBuf> {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program)).filter(|path| runs(path));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| runs(path))
}

fn of_file(path: &Path) -> Option<Refusal> {
    let metadata = path.metadata().ok()?;
    let is_ours = |id: u32, own: u32| id == own;
    let mode = metadata.mode();
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    if mode & SET_USER != 0 && !is_ours(metadata.uid(), user.as_raw()) {
        return Some(Refusal::GainsRights(path.to_owned(), "setuid"));
    }
    if mode & SET_GROUP != 0 && !is_ours(metadata.gid(), group.as_raw()) {
        return Some(Refusal::GainsRights(path.to_owned(), "setgid"));
    }
    let mut nothing: [u8; 0] = [];
    let held = rustix::fs::getxattr(path, "security.capability", &mut nothing);
    if !user.is_root() && held.is_ok_and(|bytes| bytes > 0) {
        return Some(Refusal::GainsRights(path.to_owned(), "file capabilities"));
    }
    let loader = File::open(path).ok().and_then(|file| loader(&file));
    (loader == Some(None)).then(|| Refusal::Static(path.to_owned()))
}

/// Whether a program, or what interprets it, is loaded by the loader of the GNU C library, which lists
/// what it would load where it is asked to.
pub(crate) fn is_loaded_by_gnu(program: &OsStr) -> bool {
    let mut path = found(program);
    for _ in 0..4 {
        let Some(file) = path else { return false };
        let loader = File::open(&file).ok().and_then(|file| loader(&file)).flatten();
        if let Some(loader) = loader {
            return loader.contains("/ld-linux") || loader.contains("/ld64");
        }
        path = interpreter(&file);
    }
    false
}

/// The path of the dynamic loader that an ELF file of 64 bits names; `Some(None)` where it names none,
/// `None` of other files.
fn loader(file: &File) -> Option<Option<String>> {
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0).ok()?;
    // Class 2: 64 bits; data 1: little-endian.
    if header[..4] != *b"\x7fELF" || header[4..6] != [2, 1] {
        return None;
    }
    let u16_at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let offset = u64::from_le_bytes(header[32..40].try_into().ok()?);
    let (size, count) = (u64::from(u16_at(54)), u64::from(u16_at(56)));
    for segment in 0..count {
        let mut entry = [0; 56];
        file.read_exact_at(&mut entry, offset.checked_add(segment * size)?).ok()?;
        if u32::from_le_bytes(entry[..4].try_into().ok()?) == PT_INTERP {
            let at = u64::from_le_bytes(entry[8..16].try_into().ok()?);
            let length = u64::from_le_bytes(entry[32..40].try_into().ok()?);
            let mut name = vec![0; length.min(PATH_BYTES_MAX) as usize];
            file.read_exact_at(&mut name, at).ok()?;
            return Some(Some(String::from_utf8_lossy(&name).into_owned()));
        }
    }
    Some(None)
}

/// What interprets a script: the program of its first line, `#!`. Of `env` the program that it looks for.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    BufReader::new(File::open(path).ok()?).take(256).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8(line).ok()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let program = PathBuf::from(words.next()?);
    if program.file_name() == Some(OsStr::new("env")) {
        let named = words.find(|word| !word.starts_with('-'))?;
        return found(OsStr::new(named));
    }
    fs::canonicalize(program).ok()
}
