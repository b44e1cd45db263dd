//! Allocators as shared libraries that can be preloaded: those of this machine, and those that are named.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::elf::is_loaded_by_gnu;
use crate::run::alone;

/// Folders of libraries, beside those of `LD_LIBRARY_PATH`.
const FOLDERS: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib",
];

/// Names of allocators, and of their libraries; the first library that is found is taken.
const KNOWN: [(&str, &[&str]); 8] = [
    ("jemalloc", &["libjemalloc.so.2"]),
    ("mimalloc", &["libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so"]),
    ("tcmalloc", &["libtcmalloc.so.4"]),
    ("gperftools", &["libtcmalloc_minimal.so.4"]),
    ("snmalloc", &["libsnmallocshim.so"]),
    ("rpmalloc", &["librpmallocwrap.so", "librpmalloc.so"]),
    ("tbbmalloc", &["libtbbmalloc_proxy.so.2"]),
    ("hoard", &["libhoard.so"]),
];

/// An allocator that can be preloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preload {
    pub name: String,
    /// Its library; none for the program's own allocator, as a rule the C library's.
    pub library: Option<PathBuf>,
}

impl Preload {
    /// What a program does without a preloaded library.
    #[must_use]
    pub fn none() -> Self {
        Self { name: "as it is".to_owned(), library: None }
    }

    /// As on the command line: `NAME=FILE`.
    ///
    /// # Errors
    /// The text and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, file)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("allocator `{text}`: write NAME=FILE.so"));
        };
        let library = Path::new(file)
            .canonicalize()
            .map_err(|error| format!("allocator {name}: {file}: {error}"))?;
        if !library.is_file() {
            return Err(format!("allocator {name}: {file} is no file"));
        }
        if library.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            return Err(format!(
                "allocator {name}: the dynamic loader takes no library with a space or a colon in its \
                 path: copy {} elsewhere",
                library.display()
            ));
        }
        Ok(Self { name: name.to_owned(), library: Some(library) })
    }

    /// What a program needs in its environment to run under it.
    #[must_use]
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let library = self.library.as_deref().unwrap_or(Path::new(""));
        vec![("LD_PRELOAD".into(), library.as_os_str().to_owned())]
    }

    /// Has the dynamic loader list what it would load for `program`, without running it. Of a loader
    /// that has no such list nothing is asked.
    ///
    /// # Errors
    /// What the loader said, where the library is not among that.
    pub fn check(&self, program: &OsStr) -> Result<(), String> {
        let Some(library) = &self.library else { return Ok(()) };
        if !is_loaded_by_gnu(program) {
            return Ok(());
        }
        let _alone = alone();
        let listed = Command::new(program)
            .envs(self.environment())
            .env("LD_TRACE_LOADED_OBJECTS", "1")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", program.to_string_lossy()))?;
        let loads = String::from_utf8_lossy(&listed.stdout);
        if loads.contains(library.to_string_lossy().as_ref()) {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&listed.stderr);
        let why = said.lines().find(|line| line.contains("preload")).unwrap_or("without a word");
        Err(format!("the dynamic loader does not preload {}: {why}", library.display()))
    }
}

/// The known allocators whose libraries this machine has.
#[must_use]
pub fn preloads() -> Vec<Preload> {
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&named).filter(|folder| folder.is_absolute()).collect();
    folders.extend(FOLDERS.map(PathBuf::from));
    let known = KNOWN.iter().filter_map(|(name, files)| {
        let found = files.iter().find_map(|file| {
            folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file())
        });
        Some(Preload { name: (*name).to_owned(), library: Some(found?) })
    });
    known.chain(scudo()).collect()
}

/// Scudo as the newest installed LLVM has it.
fn scudo() -> Option<Preload> {
    let version = |path: &Path| -> Option<u32> {
        path.file_name()?.to_str()?.strip_prefix("llvm-")?.parse().ok()
    };
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let mut installed: Vec<(u32, PathBuf)> = below(Path::new("/usr/lib"))
        .into_iter()
        .filter_map(|path| Some((version(&path)?, path)))
        .collect();
    installed.sort();
    let file = format!("linux/libclang_rt.scudo_standalone-{}.so", std::env::consts::ARCH);
    let library = installed.into_iter().rev().find_map(|(_, llvm)| {
        below(&llvm.join("lib/clang")).into_iter().find_map(|version| {
            ["lib/", "lib64/"]
                .iter()
                .map(|lib| version.join(format!("{lib}{file}")))
                .find(|it| it.is_file())
        })
    })?;
    Some(Preload { name: "scudo".to_owned(), library: Some(library) })
}
