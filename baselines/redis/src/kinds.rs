//! Which program to run, with which allocator below it, and when it moves objects: the words of
//! settings.

use std::fmt;
use std::str::FromStr;

/// Which server program to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// The `redis-server` of the system, with the allocator it was built for.
    Redis,
    /// The `redis-server` 8 that `scripts/setup` unpacks, with a jemalloc of its own.
    Redis8,
    /// `valkey-server`, built to call the C library's `malloc`.
    Valkey,
}

impl Server {
    /// All server programs.
    pub const ALL: [Self; 3] = [Self::Redis, Self::Redis8, Self::Valkey];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis",
            Self::Redis8 => "redis8",
            Self::Valkey => "valkey",
        }
    }

    /// The program's name.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Redis | Self::Redis8 => "redis-server",
            Self::Valkey => "valkey-server",
        }
    }

    /// The field of `INFO` that has its version.
    pub(crate) const fn version_field(self) -> &'static str {
        match self {
            Self::Redis | Self::Redis8 => "redis_version",
            Self::Valkey => "valkey_version",
        }
    }

    /// The variable that names a program to use before all others.
    pub(crate) const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Redis => None,
            Self::Redis8 => Some("NIBBLE_REDIS8"),
            Self::Valkey => Some("NIBBLE_VALKEY"),
        }
    }

    /// The project's own folder into which `scripts/setup` unpacks it.
    pub(crate) const fn own_folder(self) -> Option<&'static str> {
        match self {
            Self::Redis => None,
            Self::Redis8 => Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.redis8")),
            Self::Valkey => Some(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.valkey")),
        }
    }

    /// Whether a program of its name in `PATH` is one. Of a `redis-server` there, the version is
    /// not known.
    pub(crate) const fn is_in_path(self) -> bool {
        !matches!(self, Self::Redis8)
    }
}

/// Whether servers move objects to reduce fragmentation, and from when on. Only servers built with
/// their own jemalloc can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defrag {
    /// Never.
    Off,
    /// By the server's own thresholds, which leave stores alone that waste less than 100 MB.
    Default,
    /// From 1 MB of waste on, with up to half of the server's time.
    Tuned,
}

impl Defrag {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Default, Self::Tuned];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Default => "default",
            Self::Tuned => "tuned",
        }
    }

    /// Arguments of a server.
    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Off => &["--activedefrag", "no"],
            Self::Default => &["--activedefrag", "yes"],
            Self::Tuned => &[
                "--activedefrag",
                "yes",
                "--active-defrag-ignore-bytes",
                "1mb",
                "--active-defrag-cycle-max",
                "50",
            ],
        }
    }
}

/// An allocator preloaded into a server that calls `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preload {
    Jemalloc,
    /// The TCMalloc of gperftools, without its profilers.
    TcmallocMinimal,
    Mimalloc,
}

impl Preload {
    /// All preloadable allocators.
    pub const ALL: [Self; 3] = [Self::Jemalloc, Self::TcmallocMinimal, Self::Mimalloc];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jemalloc => "jemalloc",
            Self::TcmallocMinimal => "tcmalloc-minimal",
            Self::Mimalloc => "mimalloc",
        }
    }

    /// The shared library, and the Debian package that contains it.
    pub(crate) const fn library(self) -> (&'static str, &'static str) {
        match self {
            Self::Jemalloc => ("libjemalloc.so.2", "libjemalloc2"),
            Self::TcmallocMinimal => ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
            Self::Mimalloc => ("libmimalloc.so.2", "libmimalloc2.0"),
        }
    }
}

/// A name that is not a value of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName;

macro_rules! named {
    ($($type:ty),+) => {
        $(impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or(UnknownName)
            }
        })+
    };
}
named!(Server, Defrag, Preload);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for server in Server::ALL {
            assert_eq!(server.to_string().parse(), Ok(server));
        }
        for preload in Preload::ALL {
            assert_eq!(preload.to_string().parse(), Ok(preload));
        }
        for defrag in Defrag::ALL {
            assert_eq!(defrag.to_string().parse(), Ok(defrag));
        }
        assert_eq!("keydb".parse::<Server>(), Err(UnknownName));
    }
}
