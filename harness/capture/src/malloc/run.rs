//! Runs a program under the recorder.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::error::CaptureError;
use super::folder::Folder;
use super::raw::RawFile;

const LIBRARY: &str = "libnibble_preload.so";
/// Path of a library to use instead of the default ones.
const LIBRARY_VARIABLE: &str = "NIBBLE_PRELOAD_LIBRARY";
/// Tells the recorder its folder.
const FOLDER_VARIABLE: &str = "NIBBLE_PRELOAD_FOLDER";
/// The dynamic loader's list of libraries to load first.
const PRELOAD_VARIABLE: &str = "LD_PRELOAD";

/// How the program is run.
#[derive(Debug)]
pub struct RecordOptions {
    pub stdin: Stdio,
    pub stdout: Stdio,
    /// Its standard error. A recorder that has to stop reports that there.
    pub stderr: Stdio,
    /// Folder in which the recordings are kept, with 32 bytes per record and at least 4 MiB per process.
    /// `None`: a temporary folder that is removed with the [`Recording`].
    pub folder: Option<PathBuf>,
}

impl Default for RecordOptions {
    /// Inherits our input and outputs, and uses a temporary folder.
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
    /// Keeps the files for as long as they may be read.
    _folder: Folder,
}

impl Recording {
    /// One per process that allocated, largest first; never empty.
    #[must_use]
    pub fn files(&self) -> &[RawFile] {
        &self.files
    }

    /// The process with the most records.
    #[must_use]
    pub fn largest(&self) -> &RawFile {
        &self.files[0]
    }

    /// The process with the most records among those whose program has this file name, or was executed
    /// under it: through a link, or as a script.
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

/// Runs `command`, a program with its arguments, and records it and all processes that it starts. Waits
/// for the program only: processes that outlive it are recorded in part.
///
/// # Errors
/// If the library is missing, the program cannot be started, no process allocated through the library, or
/// a recording is damaged. A failing program is not an error.
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

/// The recording library: the one that `NIBBLE_PRELOAD_LIBRARY` names, else the one in the folder of the
/// running program or in the folder above.
///
/// # Errors
/// If it is missing, or its path cannot be passed to the dynamic loader.
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

/// Our library precedes those that the environment names.
fn preloads(library: &Path, others: Option<OsString>) -> OsString {
    let mut all = library.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        all.push(OsStr::new(":"));
        all.push(others);
    }
    all
}
