//! Whether values are overwritten in place: in Nibble-2 from the start, in Nibble once an update
//! finds a full store.
//!
//! In Nibble, a published object never changes. So readers do not look at the bucket again after
//! they have copied a value, and compaction copies without a lock. Both must have stopped before
//! the first value is overwritten. Therefore a store begins in three steps.
//!
//! 1. It *announces* that values may be overwritten. From then on readers validate what they have
//!    copied, and rounds of compaction copy with the bucket locked.
//! 2. It waits until every round in progress has ended, and until everybody who was inside an
//!    operation has left. Whoever enters later sees the announcement, as they see what was unlinked
//!    before a stamp (`epoch/table.rs`).
//! 3. It *allows* overwriting.
//!
//! There is no way back: the store goes on appending while there is room, and its readers go on
//! validating.

use std::thread;
use std::time::{Duration, Instant};

use crate::epoch::{Clock, EpochTable, Stamp};
use crate::error::PutError;
use crate::instrument::{Mutant, mutated};
use crate::knobs::Update;
use crate::store::Shared;
use crate::sync::{AtomicU32, AtomicU64, CachePadded, Ordering, lock};

const NEVER: u32 = 0;
const ANNOUNCED: u32 = 1;
const ALLOWED: u32 = 2;

/// How long the store waits before it looks again whether everybody has left.
const NAP: Duration = Duration::from_micros(50);

/// How far a store has come.
#[derive(Debug)]
pub(crate) struct Overwriting {
    state: AtomicU32,
    /// Number of updates that found no room and overwrote the old value. On a line of its own,
    /// because every GET reads the state.
    count: CachePadded<AtomicU64>,
}

impl Overwriting {
    pub(crate) fn new(update: Update) -> Self {
        let state = match update {
            Update::Append => NEVER,
            Update::InPlace => ALLOWED,
        };
        Self { state: AtomicU32::new(state), count: CachePadded::default() }
    }

    /// Whether a value may change while it is copied. Asked inside an operation, or inside a round
    /// of compaction.
    #[inline]
    pub(crate) fn is_announced(&self) -> bool {
        // Relaxed: who enters after the wait of step 2 synchronises with it (PIN, STAMP, or the
        // worker's mutex); everybody who entered before is waited for.
        self.state.load(Ordering::Relaxed) != NEVER
    }

    /// Whether values may be overwritten.
    #[inline]
    pub(crate) fn is_allowed(&self) -> bool {
        // Acquire: pairs with the Release in `allow_after`. All copies that nobody validates have
        // ended.
        self.state.load(Ordering::Acquire) == ALLOWED
    }

    /// The first step. Returns a stamp: whoever announces a later epoch validates.
    pub(crate) fn announce(&self, clock: &Clock) -> Stamp {
        // AcqRel and Acquire: pairs with itself. Who finds it announced by another thread passes
        // that on with a stamp of its own.
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        let _ = self.state.compare_exchange(NEVER, ANNOUNCED, success, failure);
        clock.stamp()
    }

    /// The last step, once nobody who was inside an operation at `stamp` is still there. Otherwise
    /// the number of a session that is. No round of compaction may be in progress that began before
    /// the announcement.
    pub(crate) fn allow_after(&self, epochs: &EpochTable, stamp: Stamp) -> Result<(), usize> {
        match epochs.inside_since(stamp) {
            Some(session) if !mutated(Mutant::OverwritingAtOnce) => Err(session),
            _ => {
                // Release: pairs with the Acquire in `is_allowed`. The scan has acquired what all
                // who left had done before (UNPIN).
                self.state.store(ALLOWED, Ordering::Release);
                Ok(())
            }
        }
    }

    /// All three steps; fails if somebody stays inside one operation for longer than PUTs wait.
    ///
    /// Waits for others, so the caller must be in no epoch and hold no lock.
    #[cold]
    pub(crate) fn begin(shared: &Shared) -> Result<(), PutError> {
        let Shared { log, epochs, overwriting, .. } = shared;
        if overwriting.is_allowed() {
            return Ok(());
        }
        let stamp = overwriting.announce(&epochs.clock);
        for worker in log.nodes.iter().flat_map(|node| &node.crew.workers) {
            // Its round in progress has ended, and the next one sees the announcement.
            drop(lock(worker));
        }
        let begin = Instant::now();
        while let Err(session) = overwriting.allow_after(epochs, stamp) {
            let held = begin.elapsed();
            if held >= shared.full_wait {
                return Err(PutError::Stalled { session, held });
            }
            thread::sleep(NAP);
        }
        Ok(())
    }

    /// Counts an update that found no room and overwrote the old value.
    pub(crate) fn count(&self) {
        // Relaxed: a statistic.
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counted(&self) -> u64 {
        // Relaxed: a statistic.
        self.count.load(Ordering::Relaxed)
    }
}
