//! By what a partner on the same core is told that it is its turn.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::str::FromStr;

use platform::relay::Turn;

/// The mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum By {
    /// A futex wakes the next partner.
    #[default]
    Futex,
    /// A byte in its pipe.
    Pipe,
    /// The count of its event descriptor.
    Eventfd,
    /// Nothing: waiting partners give up the core until they see it. There is no choice of who is next.
    Yield,
}

impl By {
    pub(crate) const WORDS: [&str; 4] = ["futex", "pipe", "eventfd", "yield"];
}

impl FromStr for By {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "futex" => Ok(Self::Futex),
            "pipe" => Ok(Self::Pipe),
            "eventfd" => Ok(Self::Eventfd),
            "yield" => Ok(Self::Yield),
            _ => Err(()),
        }
    }
}

/// What one partner waits at.
#[derive(Debug)]
pub(super) enum Baton {
    Futex,
    Yield,
    Pipe(PipeReader, PipeWriter),
    Eventfd(std::fs::File),
}

impl Baton {
    pub(super) fn new(by: By) -> io::Result<Self> {
        Ok(match by {
            By::Futex => Self::Futex,
            By::Yield => Self::Yield,
            By::Pipe => {
                let (reader, writer) = io::pipe()?;
                Self::Pipe(reader, writer)
            }
            By::Eventfd => Self::Eventfd(platform::relay::event_counter()?.into()),
        })
    }

    /// Tells the partner that waits here; `turn` is its turn word.
    #[inline]
    pub(super) fn give(&self, turn: &Turn) -> io::Result<()> {
        match self {
            Self::Futex => turn.give(),
            Self::Yield => turn.set(),
            Self::Pipe(_, writer) => {
                turn.set();
                { writer }.write_all(&[1])?;
            }
            Self::Eventfd(file) => {
                turn.set();
                { file }.write_all(&1_u64.to_ne_bytes())?;
            }
        }
        Ok(())
    }

    /// Waits to be told.
    #[inline]
    pub(super) fn wait(&self, turn: &Turn) -> io::Result<()> {
        match self {
            Self::Futex => turn.wait(),
            Self::Yield => {
                while !turn.take() {
                    std::thread::yield_now();
                }
            }
            Self::Pipe(reader, _) => {
                { reader }.read_exact(&mut [0])?;
                turn.wait();
            }
            Self::Eventfd(file) => {
                { file }.read_exact(&mut [0; 8])?;
                turn.wait();
            }
        }
        Ok(())
    }
}
