//! Cache of built programs, with the compiler and processor that built them.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::cargo::clean;
use crate::flavour::{Flavour, PROGRAM};
use crate::{AskError, BuildError, Commit, Repository, ask};

/// File beside a program: the compiler that built it and the processor it was built for.
const BUILDER: &str = "built-by";

/// Location of one program.
#[derive(Debug)]
pub(crate) struct Kept {
    folder: PathBuf,
    builder: Vec<u8>,
}

impl Kept {
    /// Location of `commit`'s program below `folder`.
    pub(crate) fn of(
        repository: &Repository,
        commit: &Commit,
        folder: &Path,
        flavour: Flavour,
    ) -> Result<Self, BuildError> {
        let name = match flavour {
            Flavour::Native => commit.name().to_owned(),
            Flavour::Generic => format!("{commit}-generic"),
        };
        let builder = builder(repository, flavour)?;
        Ok(Self { folder: folder.join(name), builder })
    }

    /// The cached program, if it was built by this compiler for this processor, and answers.
    ///
    /// # Errors
    /// If a rebuilt program would fail to answer too.
    pub(crate) fn program(&self) -> Result<Option<PathBuf>, BuildError> {
        let program = self.folder.join(PROGRAM);
        let is_ours =
            fs::read(self.folder.join(BUILDER)).is_ok_and(|builder| builder == self.builder);
        if !is_ours || !program.is_file() {
            return Ok(None);
        }
        match ask(&program) {
            Ok(_) => Ok(Some(program)),
            Err(error @ AskError::TooOld { .. }) => Err(BuildError::Answer(error)),
            // Damaged, or copied from another machine.
            Err(_) => Ok(None),
        }
    }

    /// Stores a copy of `built`, completely or not at all.
    ///
    /// # Errors
    /// If copying fails, or the program does not answer.
    pub(crate) fn keep(&self, built: &Path) -> Result<PathBuf, BuildError> {
        let system = |action| BuildError::system(action, &self.folder);
        fs::create_dir_all(&self.folder).map_err(system("make the folder"))?;
        let program = self.folder.join(PROGRAM);
        // The program comes first: beside a wrong builder file it is merely built again.
        self.place(PROGRAM, |new| fs::copy(built, new).map(drop))
            .and_then(|()| self.place(BUILDER, |new| fs::write(new, &self.builder)))
            .map_err(system("copy the program into"))?;
        ask(&program).map_err(BuildError::Answer)?;
        Ok(program)
    }

    /// Lets `write` create a file that replaces `name` once it is complete.
    fn place(&self, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let new = self.folder.join(format!("{name}.new"));
        write(&new)?;
        File::open(&new)?.sync_all()?;
        fs::rename(&new, self.folder.join(name))
    }
}

/// The compiler, and what it knows about the processor it compiles for.
fn builder(repository: &Repository, flavour: Flavour) -> Result<Vec<u8>, BuildError> {
    let processor: &[&str] = match flavour {
        Flavour::Native => &["--print", "cfg", "-C", "target-cpu=native"],
        Flavour::Generic => &[],
    };
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut words = Vec::new();
    for arguments in [&["--version", "--verbose"], processor] {
        if !arguments.is_empty() {
            let mut rustc = clean(&compiler, flavour);
            rustc.current_dir(repository.root()).args(arguments);
            words.extend(rustc.output().map_err(BuildError::starting("rustc"))?.stdout);
        }
    }
    Ok(words)
}
