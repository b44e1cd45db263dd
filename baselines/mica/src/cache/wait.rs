//! Waiting for another thread that is about to be done.

use std::hint;
use std::thread;

/// Turns of waiting before the processor is given away: who is waited for may not have one.
const TURNS_MAX: u32 = 128;

/// A wait of some turns.
#[derive(Debug, Default)]
pub(crate) struct Wait {
    turns: u32,
}

impl Wait {
    /// One turn.
    #[cold]
    pub(crate) fn turn(&mut self) {
        if self.turns < TURNS_MAX {
            self.turns += 1;
            hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }
}
