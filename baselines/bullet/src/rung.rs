//! The rungs of the ladder: from a store in DRAM and stores in persistent memory to all of Bullet.

use std::fmt;
use std::str::FromStr;

/// Which design a store is. Those from [`St`](Self::St) on have a front table, logs and gleaners, and
/// each adds one thing to the one before ([§4, §7]; `README.md` has the table).
///
/// [§4, §7]: https://www.usenix.org/conference/atc18/presentation/huang
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// The front table alone, in DRAM.
    Volatile,
    /// The back table alone, in persistent memory, changed by transactions.
    Phash,
    /// The back table alone, changed by single words as in `HiKV`; its allocator's state does not
    /// persist.
    HikvHt,
    /// Both tables and logs; every log has its gleaner; a put finds the persistent pair too.
    St,
    /// Gets take no locks.
    Lfr,
    /// Puts touch nothing persistent but their log.
    Opt,
    /// Any writer uses any log, and gleaners are as many as occupancy asks for.
    Dyn,
    /// Gleaners apply only a key's newest record.
    Full,
}

impl Rung {
    /// All, from the lowest.
    pub const ALL: [Self; 8] = [
        Self::Volatile,
        Self::Phash,
        Self::HikvHt,
        Self::St,
        Self::Lfr,
        Self::Opt,
        Self::Dyn,
        Self::Full,
    ];

    /// Whether puts go through a log.
    #[must_use]
    pub fn has_logs(self) -> bool {
        self >= Self::St
    }

    /// Whether there is a table in DRAM.
    #[must_use]
    pub fn has_front(self) -> bool {
        self == Self::Volatile || self.has_logs()
    }

    /// Whether there is a table in persistent memory.
    #[must_use]
    pub fn has_back(self) -> bool {
        self != Self::Volatile
    }

    /// Whether what a store left can be opened again.
    #[must_use]
    pub fn is_kept(self) -> bool {
        !matches!(self, Self::Volatile | Self::HikvHt)
    }

    /// Whether gets of the front table take no lock.
    pub(crate) fn reads_without_locks(self) -> bool {
        self == Self::Volatile || self >= Self::Lfr
    }

    /// Whether a put also finds, or makes, the persistent pair and links it to its record.
    pub(crate) fn links_the_back(self) -> bool {
        matches!(self, Self::St | Self::Lfr)
    }

    /// Whether roles follow occupancy.
    pub(crate) fn is_dynamic(self) -> bool {
        self >= Self::Dyn
    }

    /// Whether only the newest record of a key is applied.
    pub(crate) fn collapses(self) -> bool {
        self == Self::Full
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Volatile => "volatile",
            Self::Phash => "phash",
            Self::HikvHt => "hikv-ht",
            Self::St => "st",
            Self::Lfr => "lfr",
            Self::Opt => "opt",
            Self::Dyn => "dyn",
            Self::Full => "full",
        })
    }
}

impl FromStr for Rung {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|rung| rung.to_string() == text).ok_or(())
    }
}
