//! The algorithms as printed in the paper, for tests: each fault can be put back.

/// Which faults of the printed algorithms are put back. Outside tests there is no such choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// D1: a snapshot waits for writes below its time, not for one that has this very time.
    #[cfg(test)]
    pub(crate) waits_below: bool,
    /// D2: a snapshot reads its time anew after it has waited.
    #[cfg(test)]
    pub(crate) reads_late: bool,
    /// D3: a put is inserted below a read-modify-write that has not read it.
    #[cfg(test)]
    pub(crate) unguarded: bool,
}

#[cfg(test)]
impl Printed {
    pub(crate) fn waits_below(self) -> bool {
        self.waits_below
    }

    pub(crate) fn reads_late(self) -> bool {
        self.reads_late
    }

    pub(crate) fn unguarded(self) -> bool {
        self.unguarded
    }
}

#[cfg(not(test))]
impl Printed {
    #[inline(always)]
    pub(crate) const fn waits_below(self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn reads_late(self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn unguarded(self) -> bool {
        false
    }
}
