//! The life cycle of a segment.

/// ```text
///          open            close             pick               retire             reclaim
///   Free --------> Open ----------> Closed --------> Compacting ---------> Limbo ----------> Free
/// ```
/// | state      | who may write        | who may read      | who moves it on                     |
/// |------------|----------------------|-------------------|-------------------------------------|
/// | Free       | nobody               | nobody            | the head or worker that opens it    |
/// | Open       | its head or worker   | everybody, pinned | its head or worker                  |
/// | Closed     | operations that reserved room before it closed, or lease a hole | everybody, pinned | the worker that owns the candidate |
/// | Compacting | nobody               | everybody, pinned | the worker that compacts it         |
/// | Limbo      | nobody               | old pins          | that worker, after a grace period   |
///
/// There is deliberately no edge back to `Open`. Once the operations that were active when a
/// segment closed have ended (edge CLOSE), only its holes change, and none of those while it is
/// compacted (edge LEASE). That is why a worker may copy without a lock.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentState {
    /// Has no memory.
    Free = 0,
    /// Is being appended to.
    Open = 1,
    /// Full; a candidate for compaction.
    Closed = 2,
    /// Is being emptied.
    Compacting = 3,
    /// Empty; waits for readers to leave.
    Limbo = 4,
}

impl SegmentState {
    /// Whether the life cycle has an edge from here to `next`.
    pub(crate) fn may_become(self, next: Self) -> bool {
        use SegmentState::{Closed, Compacting, Free, Limbo, Open};
        matches!(
            (self, next),
            (Free, Open)
                | (Open, Closed)
                | (Closed, Compacting)
                | (Compacting, Limbo)
                | (Limbo, Free)
        )
    }

    /// Whether index entries may point into it.
    pub(crate) fn is_readable(self) -> bool {
        matches!(self, Self::Open | Self::Closed | Self::Compacting)
    }

    pub(crate) fn from_u32(raw: u32) -> Self {
        match raw {
            0 => Self::Free,
            1 => Self::Open,
            2 => Self::Closed,
            3 => Self::Compacting,
            4 => Self::Limbo,
            other => panic!("{other} is no segment state"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_life_is_one_circle() {
        let all = (0..5).map(SegmentState::from_u32);
        for from in all.clone() {
            let next: Vec<_> = all.clone().filter(|&to| from.may_become(to)).collect();
            assert_eq!(next, [SegmentState::from_u32((from as u32 + 1) % 5)]);
        }
    }
}
