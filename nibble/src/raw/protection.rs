//! What keeps an object's bytes in place while somebody reads them.

use crate::epoch::Pin;
use crate::index::version::Locked;

/// Evidence that the objects its holder can name stay where they are.
///
/// # Safety
/// While a value of the type exists, the bytes of every object whose reference its holder may
/// load with it (see the implementations) are not freed, and not written except by atomic stores
/// to its slack byte and its room (`object.rs`).
pub(crate) unsafe trait Protection {}

// SAFETY: references loaded from the index under a pin lead to published objects; those are only
// ever written in place, atomically. When they are dead, their room is written, and their segment
// freed, only after the pin has ended (edges PIN and UNPIN).
unsafe impl Protection for Pin<'_> {}

// SAFETY: references loaded from a locked bucket are live objects; a segment is retired only when
// none of its objects is in the index any more, and removing one takes the lock held here.
unsafe impl Protection for Locked<'_> {}

/// A worker's ownership of a segment it compacts.
///
/// Made in `compaction/relocate.rs` only, for a segment in state `Compacting`.
#[derive(Debug)]
pub(crate) struct Custody(());

impl Custody {
    /// The caller must have moved the segment to `Compacting` and be the only one to retire it.
    pub(crate) fn of_compacting_segment() -> Self {
        Self(())
    }
}

// SAFETY: a segment that is compacted is not written (edges CLOSE and LEASE) and is retired by the
// holder.
unsafe impl Protection for Custody {}

/// The quiet that `check` creates: all workers and heads are locked and, by its contract, no client
/// writes.
#[derive(Debug)]
pub(crate) struct Quiet(());

impl Quiet {
    /// The caller must hold the state of every worker and every head.
    pub(crate) fn all_locked() -> Self {
        Self(())
    }
}

// SAFETY: segments are retired and freed by workers only, and all of them are locked out.
unsafe impl Protection for Quiet {}
