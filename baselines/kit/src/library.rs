//! Shared libraries of the system, loaded for good, and found when they are needed: neither their
//! headers nor they themselves are needed to build.
//!
//! Symbols stay local to the library (`RTLD_LOCAL`), so nothing else in the process binds to them.
//! A library is never unloaded: some have threads and static objects that outlast a store.

use std::error::Error;
use std::mem::ManuallyDrop;

use engine::OpenError;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// A loaded library.
#[derive(Debug)]
pub struct SharedLibrary {
    handle: ManuallyDrop<Library>,
    soname: &'static str,
    package: &'static str,
}

impl SharedLibrary {
    /// Loads `soname`, which is part of a Debian package, unless it is loaded already.
    ///
    /// # Errors
    /// [`OpenError::Missing`] with the loader's message and the package's name.
    pub fn load(soname: &'static str, package: &'static str) -> Result<Self, OpenError> {
        // SAFETY: stores load libraries of the system, whose initialisers touch only themselves:
        // with local symbols nobody else is bound to what they define. Terminators run at the
        // process' end only.
        let loaded = unsafe { Library::open(Some(soname), RTLD_NOW | RTLD_LOCAL) };
        let handle = loaded.map_err(|error| missing(soname, &error, package))?;
        Ok(Self { handle: ManuallyDrop::new(handle), soname, package })
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
            missing(&format!("the function {name} of {}", self.soname), &error, self.package)
        })
    }
}

fn missing(what: &str, error: &libloading::Error, package: &str) -> OpenError {
    let words = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    OpenError::Missing {
        what: format!("{what} ({words})"),
        remedy: format!(
            "scripts/setup installs Debian's {package}; or put the library's folder into \
             LD_LIBRARY_PATH"
        ),
    }
}
