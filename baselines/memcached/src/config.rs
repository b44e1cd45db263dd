//! Configuration of a server.

use std::path::PathBuf;
use std::time::Duration;

use engine::{OpenError, Options, Setup};

/// The most threads of a server.
pub const WORKERS_MAX: usize = 64;

/// The unit of the server's limit of memory, and of its pages.
const MIB: u64 = 1 << 20;
/// Every class of sizes takes a page of 1 MiB, whatever the limit: less than this stores nothing.
const LIMIT_MIB_MIN: u64 = 8;
/// The limit where none is asked for: the server takes memory as it needs it.
const UNLIMITED_MIB: u64 = 1 << 20;

/// Settings of a [`Memcached`](crate::Memcached).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Threads that execute commands. 1 to [`WORKERS_MAX`], default 4, as the server's.
    pub workers: usize,
    /// Whether pages move from classes of sizes that do not need them to those that do. Default
    /// true, as the server's.
    pub slab_automove: bool,
    /// Memory for items in bytes, beyond which others are dropped; whole MiB are used. Default none.
    pub object_memory_bytes: Option<u64>,
    /// Whether PUT asks if the key is present. Without it, every stored value counts as inserted.
    /// Default true.
    pub ask_presence: bool,
    /// The program's file; overrides the search. Default none.
    pub program: Option<PathBuf>,
    /// How long the server may take to answer after the start. Default 20 s.
    pub startup_timeout: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workers: 4,
            slab_automove: true,
            object_memory_bytes: None,
            ask_presence: true,
            program: None,
            startup_timeout: Duration::from_secs(20),
        }
    }
}

impl Config {
    /// Reads the settings of a cell.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let mut config = Self {
            object_memory_bytes: setup.object_memory_bytes,
            ask_presence: setup.tells_updates,
            ..Self::default()
        };
        options.whole("workers", &mut config.workers, 1..=WORKERS_MAX as u64)?;
        options.switch("slab-automove", &mut config.slab_automove)?;
        options.switch("ask-presence", &mut config.ask_presence)?;
        config.check()?;
        Ok(config)
    }

    /// Rejects settings that no server can be started with.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for the first of them.
    pub fn check(&self) -> Result<(), OpenError> {
        let bad = |setting: &str, value: String, accepted: String| {
            Err(OpenError::BadSetting { setting: setting.to_owned(), value, accepted })
        };
        if self.workers == 0 || self.workers > WORKERS_MAX {
            let accepted = format!("whole numbers from 1 to {WORKERS_MAX}");
            return bad("workers", self.workers.to_string(), accepted);
        }
        match self.object_memory_bytes {
            Some(bytes) if bytes < LIMIT_MIB_MIN * MIB => {
                let accepted = format!("at least {} bytes", LIMIT_MIB_MIN * MIB);
                bad("object-memory-bytes", bytes.to_string(), accepted)
            }
            _ => Ok(()),
        }
    }

    /// The server's limit in MiB.
    pub(crate) fn limit_mib(&self) -> u64 {
        self.object_memory_bytes.map_or(UNLIMITED_MIB, |bytes| (bytes / MIB).min(UNLIMITED_MIB))
    }

    /// The limit in force in bytes; `None` if there is none.
    pub(crate) fn limit_bytes(&self) -> Option<u64> {
        self.object_memory_bytes.map(|_| self.limit_mib() * MIB)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(
        options: &[(&str, &str)],
        object_memory_bytes: Option<u64>,
    ) -> Result<Config, OpenError> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let setup = Setup {
            object_memory_bytes,
            live_bytes: 1 << 20,
            records_max: 1 << 10,
            value_bytes_max: 1000,
            sessions: 1,
            cache_bytes: None,
            resident: false,
            tells_updates: true,
            options: options.iter().map(owned).collect::<BTreeMap<_, _>>(),
            folder: None,
            heap: None,
        };
        let mut options = setup.options();
        let config = Config::read(&setup, &mut options)?;
        options.finish().map(|()| config)
    }

    #[test]
    fn every_option_reaches_the_server() {
        let options = [("workers", "2"), ("slab-automove", "false"), ("ask-presence", "false")];
        let expected = Config {
            workers: 2,
            slab_automove: false,
            object_memory_bytes: Some((64 << 20) + 5),
            ask_presence: false,
            ..Config::default()
        };
        let config = read(&options, Some((64 << 20) + 5)).unwrap();
        assert_eq!(config, expected);
        assert_eq!((config.limit_mib(), config.limit_bytes()), (64, Some(64 << 20)));
        let unlimited = read(&[], None).unwrap();
        assert_eq!((unlimited.limit_mib(), unlimited.limit_bytes()), (UNLIMITED_MIB, None));
    }

    #[test]
    fn what_cannot_be_is_answered_with_what_can() {
        for (name, value, expected) in [
            ("workers", "0", "accepted are whole numbers from 1 to 64; the nearest is 1"),
            ("slab-automove", "2", "accepted are true and false"),
            ("shards", "2", "unknown setting `shards`: there are workers, slab-automove"),
        ] {
            let message = read(&[(name, value)], None).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let message = read(&[], Some(1 << 20)).unwrap_err().to_string();
        assert!(message.contains("accepted are at least 8388608 bytes"), "{message}");
        let none = Config { workers: 0, ..Config::default() };
        assert!(matches!(none.check(), Err(OpenError::BadSetting { .. })));
    }
}
