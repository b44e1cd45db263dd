//! Waiting for another thread that is nearly done.

use std::hint;
use std::thread;

/// Turns of waiting before yielding the processor, which the other thread may need.
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
