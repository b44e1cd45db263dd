//! What cLSM keeps beside the components: the shared-exclusive lock and the clock.

use crate::clock::Clock;
use crate::exclusion::Exclusion;
use crate::printed::Printed;

/// cLSM's state.
#[derive(Debug)]
pub(crate) struct Clsm {
    pub(crate) exclusion: Exclusion,
    pub(crate) clock: Clock,
    /// Whether a snapshot contains all that was complete before it.
    pub(crate) is_linearizable: bool,
}

impl Clsm {
    /// State whose next timestamp follows `time`.
    pub(crate) fn new(time: u64, sessions: usize, is_linearizable: bool) -> Self {
        Self {
            exclusion: Exclusion::new(sessions),
            clock: Clock::new(time, sessions, Printed::default()),
            is_linearizable,
        }
    }

    /// Says that a session uses `slot`.
    pub(crate) fn use_slot(&self, slot: usize) {
        self.exclusion.use_slot(slot);
        self.clock.use_slot(slot);
    }
}
