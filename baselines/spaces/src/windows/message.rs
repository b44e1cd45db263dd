//! Waiting for messages and answers.

use std::hint::spin_loop;
use std::str::FromStr;

use platform::relay::Turn;

/// How a process waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It looks again and again, as OpenMPI does.
    #[default]
    Spin,
    /// It gives up the core between two looks.
    Yield,
    /// It sleeps until it is woken.
    Block,
}

impl Wait {
    pub(crate) const WORDS: [&str; 3] = ["spin", "yield", "block"];
}

impl FromStr for Wait {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "spin" => Ok(Self::Spin),
            "yield" => Ok(Self::Yield),
            "block" => Ok(Self::Block),
            _ => Err(()),
        }
    }
}

/// Waits for a message, or its answer.
#[inline]
pub(crate) fn receive(turn: &Turn, wait: Wait) {
    match wait {
        Wait::Block => turn.wait(),
        Wait::Spin | Wait::Yield => while !received(turn, wait) {},
    }
}

/// Looks many times; returns whether it was there.
#[inline]
pub(crate) fn received(turn: &Turn, wait: Wait) -> bool {
    const LOOKS: u32 = 1 << 12;
    (0..LOOKS).any(|_| {
        let there = turn.take();
        match (there, wait) {
            (true, _) => {}
            (false, Wait::Spin) => spin_loop(),
            (false, _) => std::thread::yield_now(),
        }
        there
    })
}

/// Says that a message, or its answer, is there.
#[inline]
pub(crate) fn reply(turn: &Turn, wait: Wait) {
    match wait {
        Wait::Block => turn.give(),
        Wait::Spin | Wait::Yield => turn.set(),
    }
}
