//! Runs a program under the recorder.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::error::CaptureError;
use super::folder::Folder;
use super::raw::RawFile;

const LIBRARY: &str = "libnibble_preload.so";
/// Names the library that is to be used before all others.
const LIBRARY_VARIABLE: &str = "NIBBLE_PRELOAD_LIBRARY";
/// Tells the recorder where to write.
const FOLDER_VARIABLE: &str = "NIBBLE_PRELOAD_FOLDER";
/// The dynamic loader's list of libraries to load first.
const PRELOAD_VARIABLE: &str = "LD_PRELOAD";

/// How the program is run.
#[derive(Debug)]
pub struct RecordOptions {
    /// Its standard input.
    pub stdin: Stdio,
    /// Its standard output.
    pub stdout: Stdio,
    /// Its standard error. A recorder that must stop says so there.
    pub stderr: Stdio,
    /// Where its recordings go and stay, 32 bytes per record and at least 4 MiB per process;
    /// `None` is a temporary folder that goes with the [`Recording`].
    pub folder: Option<PathBuf>,
}

impl Default for RecordOptions {
    /// Our own input and outputs, and a temporary folder.
    fn default() -> Self {
        Self {
            stdin: Stdio::inherit(),
            stdout: Stdio::inherit(),
            stderr: Stdio::inherit(),
            folder: None,
        }
    }
}

/// The recordings of a program and of all processes that it started.
#[derive(Debug)]
pub struct Recording {
    files: Vec<RawFile>,
    status: ExitStatus,
    /// Holds the files for as long as they may be read.
    _folder: Folder,
}

impl Recording {
    /// One per process that allocated, those with most records first; never empty.
    #[must_use]
    pub fn files(&self) -> &[RawFile] {
        &self.files
    }

    /// The process with most records.
    #[must_use]
    pub fn largest(&self) -> &RawFile {
        &self.files[0]
    }

    /// The process with most records among those whose program has this file name, or was called
    /// so: by a link, or as a script.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_program(&self, name: &str) -> Result<&RawFile, CaptureError> {
        self.files.iter().find(|file| file.is_of(name)).ok_or_else(|| {
            let mut recorded: Vec<String> = self.files.iter().map(RawFile::names).collect();
            recorded.sort();
            recorded.dedup();
            CaptureError::NoSuchProcess { name: name.to_owned(), recorded }
        })
    }

    /// How the program ended.
    #[must_use]
    pub fn status(&self) -> ExitStatus {
        self.status
    }
}

/// Runs `command`, a program and its arguments, and records it and all processes that it starts.
/// Waits for the program alone: what processes do that outlive it is recorded in part.
///
/// # Errors
/// If the library is missing, the program cannot be started, no process allocated through the
/// library, or a recording is damaged. A program that fails is no error.
pub fn record(command: &[OsString], options: RecordOptions) -> Result<Recording, CaptureError> {
    let (program, arguments) = command.split_first().ok_or(CaptureError::NoCommand)?;
    let library = library()?;
    let folder = match &options.folder {
        Some(folder) => Folder::kept(folder)?,
        None => Folder::temporary()?,
    };
    let status = Command::new(program)
        .args(arguments)
        .env(PRELOAD_VARIABLE, preloads(&library, std::env::var_os(PRELOAD_VARIABLE)))
        .env(FOLDER_VARIABLE, folder.path())
        .stdin(options.stdin)
        .stdout(options.stdout)
        .stderr(options.stderr)
        .status()
        .map_err(|source| CaptureError::System { action: "run", path: program.into(), source })?;
    let mut files = Vec::new();
    for path in folder.recordings()? {
        files.extend(RawFile::open(&path)?.filter(|file| file.records > 0));
    }
    files.sort_by(|a, b| (b.records, &a.path).cmp(&(a.records, &b.path)));
    if files.is_empty() {
        let program = Path::new(program).display().to_string();
        return Err(CaptureError::NothingRecorded { program });
    }
    Ok(Recording { files, status, _folder: folder })
}

/// The library that records: the one that `NIBBLE_PRELOAD_LIBRARY` names, else the one beside the
/// running program or in the folder above.
///
/// # Errors
/// If it is missing, or in a place the dynamic loader cannot be told.
pub fn library() -> Result<PathBuf, CaptureError> {
    let looked_for = match std::env::var_os(LIBRARY_VARIABLE) {
        Some(named) => vec![PathBuf::from(named)],
        None => std::env::current_exe()
            .map_err(|source| CaptureError::System {
                action: "find the running program by",
                path: "/proc/self/exe".into(),
                source,
            })?
            .ancestors()
            .skip(1)
            .take(2)
            .map(|folder| folder.join(LIBRARY))
            .collect(),
    };
    let Some(found) = looked_for.iter().find(|path| path.is_file()) else {
        return Err(CaptureError::NoLibrary { looked_for });
    };
    let library = found.canonicalize().map_err(|source| CaptureError::System {
        action: "find",
        path: found.clone(),
        source,
    })?;
    if library.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
        return Err(CaptureError::UnloadableLibrary { library });
    }
    Ok(library)
}

/// Ours before those that the environment names.
fn preloads(library: &Path, others: Option<OsString>) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        all.push(OsStr::new(":"));
        all.push(others);
    }
    all
}
