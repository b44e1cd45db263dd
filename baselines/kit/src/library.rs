//! Shared libraries of the system, loaded for good, and found when they are needed: neither their
//! headers nor they themselves are needed to build.
//!
//! Symbols stay local to the library (`RTLD_LOCAL`), so nothing else in the process binds to them.
//! A library is never unloaded: some have threads and static objects that outlast a store.

use std::error::Error;
use std::ffi::OsStr;
use std::mem::ManuallyDrop;
use std::path::Path;

use engine::OpenError;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// A loaded library.
#[derive(Debug)]
pub struct SharedLibrary {
    handle: ManuallyDrop<Library>,
    name: String,
    remedy: String,
}

impl SharedLibrary {
    /// Loads `soname`, which is part of a Debian package, unless it is loaded already.
    ///
    /// # Errors
    /// [`OpenError::Missing`] with the loader's message and the package's name.
    pub fn load(soname: &'static str, package: &'static str) -> Result<Self, OpenError> {
        let remedy = format!(
            "scripts/setup installs Debian's {package}; or put the library's folder into \
             LD_LIBRARY_PATH"
        );
        Self::open(soname.as_ref(), remedy)
    }

    /// Loads the library in a file; `remedy` is what helps where it is missing.
    ///
    /// # Errors
    /// [`OpenError::Missing`] with the loader's message and the remedy.
    pub fn load_file(file: &Path, remedy: &str) -> Result<Self, OpenError> {
        Self::open(file.as_os_str(), remedy.to_owned())
    }

    fn open(name: &OsStr, remedy: String) -> Result<Self, OpenError> {
        // SAFETY: stores load libraries of the system or built from their sources, whose
        // initialisers touch only themselves: with local symbols nobody else is bound to what they
        // define. Terminators run at the process' end only.
        let loaded = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) };
        let name = name.to_string_lossy().into_owned();
        let handle = loaded.map_err(|error| missing(&name, &error, &remedy))?;
        Ok(Self { handle: ManuallyDrop::new(handle), name, remedy })
    }

    /// Resolves a function.
    ///
    /// # Errors
    /// [`OpenError::Missing`] if the library has none of this name.
    ///
    /// # Safety
    /// `F` is the function pointer type of the symbol.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, OpenError> {
        // SAFETY: of the symbol's type by contract; libloading refuses types that are no pointer.
        let symbol = unsafe { self.handle.get::<F>(name) };
        symbol.map(|symbol| *symbol).map_err(|error| {
            missing(&format!("the function {name} of {}", self.name), &error, &self.remedy)
        })
    }
}

fn missing(what: &str, error: &libloading::Error, remedy: &str) -> OpenError {
    let words = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::Missing { what: format!("{what} ({words})"), remedy: remedy.to_owned() }
}
