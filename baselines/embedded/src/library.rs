//! Tables of C functions, resolved in a library that was loaded at run time.

pub(crate) use kit::library::SharedLibrary;

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
