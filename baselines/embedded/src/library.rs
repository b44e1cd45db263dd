//! Shared libraries of the system, loaded for good, with tables of their functions.
//!
//! Symbols stay local to the library (`RTLD_LOCAL`), so nothing else in the process binds to them.
//! A library is never unloaded: RocksDB's threads live in static objects that outlast a store.

use std::error::Error;
use std::mem::ManuallyDrop;

use engine::OpenError;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// Declares a table of C functions, each with the name and types of its header, and a function that
/// resolves them all. Headers that differ only in a prefix of their names share one table, whose
/// names lack it: `functions! { after a prefix: … }`.
macro_rules! functions {
    (after a prefix: $(#[$attribute:meta])* $table:ident {
        $(fn $name:ident($($argument:ty),* $(,)?) $(-> $result:ty)?;)*
    }) => {
        $(#[$attribute])*
        #[derive(Debug)]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $table {
            pub(crate) fn resolve(
                library: &$crate::library::SharedLibrary,
                prefix: &str,
            ) -> Result<Self, engine::OpenError> {
                let full = |name: &str| format!("{prefix}{name}");
                Ok(Self {
                    // SAFETY: the field has the type that the header declares for its name.
                    $($name: unsafe { library.function(&full(stringify!($name)))? },)*
                })
            }
        }
    };
    ($(#[$attribute:meta])* $table:ident {
        $(fn $name:ident($($argument:ty),* $(,)?) $(-> $result:ty)?;)*
    }) => {
        $(#[$attribute])*
        #[derive(Debug)]
        #[allow(non_snake_case, reason = "names are those of the header")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $table {
            fn resolve(library: &$crate::library::SharedLibrary) -> Result<Self, engine::OpenError> {
                Ok(Self {
                    // SAFETY: the field has the type that the header declares for its name.
                    $($name: unsafe { library.function(stringify!($name))? },)*
                })
            }
        }
    };
}
pub(crate) use functions;

/// Declares opaque C types, of which only addresses are known.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[repr(C)]
            #[derive(Debug)]
            pub(crate) struct $name {
                _opaque: [u8; 0],
            }
        )*
    };
}
pub(crate) use opaque;

/// A loaded library.
#[derive(Debug)]
pub(crate) struct SharedLibrary {
    handle: ManuallyDrop<Library>,
    soname: &'static str,
    package: &'static str,
}

impl SharedLibrary {
    /// Loads `soname`, which is part of a Debian package.
    ///
    /// # Errors
    /// [`OpenError::Missing`] with the loader's message and the package's name.
    pub(crate) fn load(soname: &'static str, package: &'static str) -> Result<Self, OpenError> {
        // SAFETY: initialisers of these libraries touch only themselves: with local symbols
        // nobody else is bound to what they define. Terminators run at the process' end only.
        let loaded = unsafe { Library::open(Some(soname), RTLD_NOW | RTLD_LOCAL) };
        let handle = loaded.map_err(|error| missing(soname, &error, package))?;
        Ok(Self { handle: ManuallyDrop::new(handle), soname, package })
    }

    /// Resolves a function.
    ///
    /// # Safety
    /// `F` is the function pointer type of the symbol.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, OpenError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_named_with_its_package() {
        let error = SharedLibrary::load("libno-such-store.so.9", "libno-such-store9").unwrap_err();
        let OpenError::Missing { what, remedy } = error else { panic!("{error}") };
        assert!(what.starts_with("libno-such-store.so.9 ("), "{what}");
        assert!(what.contains("cannot open shared object file"), "{what}");
        assert!(
            remedy.starts_with("scripts/setup installs Debian's libno-such-store9"),
            "{remedy}"
        );
    }

    #[test]
    fn a_function_that_is_not_there_is_named_with_its_library() {
        let library = SharedLibrary::load("libc.so.6", "libc6").unwrap();
        // SAFETY: there is no such symbol.
        let found = unsafe { library.function::<unsafe extern "C" fn()>("rocksdb_no_such_call") };
        let OpenError::Missing { what, .. } = found.unwrap_err() else { panic!("another error") };
        assert!(what.starts_with("the function rocksdb_no_such_call of libc.so.6 ("), "{what}");
    }
}
