//! The two schemes: what each keeps, and how it keeps everybody away while components are swapped.

pub(crate) mod clsm;
pub(crate) mod global;

pub(crate) use clsm::Clsm;
pub(crate) use global::Global;

/// How operations are synchronised.
#[derive(Debug)]
pub(crate) enum Sync {
    /// LevelDB's way.
    Global(Global),
    /// cLSM's.
    Clsm(Box<Clsm>),
}

impl Sync {
    /// Runs `work`, which swaps components, while no write is in progress that could miss it.
    pub(crate) fn exclude<R>(&self, work: impl FnOnce() -> R) -> R {
        match self {
            Self::Global(global) => global.exclude(work),
            Self::Clsm(clsm) => clsm.exclusion.exclude(work),
        }
    }

    /// Whether a snapshot has every write that ended before it was taken.
    pub(crate) fn has_linearizable_snapshots(&self) -> bool {
        match self {
            Self::Global(_) => true,
            Self::Clsm(clsm) => clsm.is_linearizable,
        }
    }

    /// The newest timestamp.
    pub(crate) fn newest(&self) -> u64 {
        match self {
            Self::Global(global) => global.last(),
            Self::Clsm(clsm) => clsm.clock.now(),
        }
    }
}
