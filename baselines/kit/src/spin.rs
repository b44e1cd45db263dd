//! Waiting for another thread that is a few instructions away from done, but may have lost its
//! processor.

use std::hint;
use std::thread;

/// Number of waits before yielding the processor.
const WAITS_BEFORE_YIELD: u32 = 64;

/// One wait of many turns.
#[derive(Debug, Default)]
pub struct Spin {
    waits: u32,
}

impl Spin {
    /// Waits for one turn.
    #[cold]
    pub fn wait(&mut self) {
        self.waits = self.waits.saturating_add(1);
        if self.waits < WAITS_BEFORE_YIELD {
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}
