//! Code that travels between address spaces.
//!
//! No thread of a stock kernel can change its page table. So what travels is a state machine whose whole
//! state lies in a segment that all spaces of its journey have at one address. Each space is a process,
//! which runs the steps while the traveller is there.

use std::fmt;

use crate::journey::host;
use crate::pointer::Here;
use crate::shared::InSegment;

/// A space that a journey has attached. No handle of a journey is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpaceHandle(pub(crate) u64);

impl SpaceHandle {
    /// The process that began the journey, in which no segment is attached.
    pub const PRIMARY: Self = Self(0);

    /// The handle as a number, to be kept in a traveller.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The handle that was kept as a number. One that leads nowhere is an error when it is used.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for SpaceHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::PRIMARY => formatter.write_str("the primary space"),
            Self(number) => write!(formatter, "the space of handle {number:#x}"),
        }
    }
}

/// Where a traveller goes after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To this space, as soon as its locks are free. To its own is no switch.
    To(SpaceHandle),
    /// To this space if its locks are free now. If not, the next step is here again, and is told. The
    /// locks of this space are given up before those of the other are asked for.
    TryTo(SpaceHandle),
    /// To the process that began the journey.
    Primary,
    /// Nowhere: the journey is over.
    Done,
}

/// How a traveller came to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It was here.
    Stayed,
    /// It came from another space.
    Entered,
    /// It could not enter this space, whose locks others hold, and is where it was.
    Busy(SpaceHandle),
}

/// A state machine that travels. All that it needs lies in segments: it holds no reference, and no
/// memory from outside.
pub trait Traveller: InSegment {
    /// Its name among those that the program of the spaces knows.
    const NAME: &'static str;

    /// One step, in the space `here`.
    fn step<'space>(&mut self, here: &Here<'space>) -> Go;
}

/// The code of a traveller, for the program of the spaces.
#[derive(Clone, Copy)]
pub struct Code {
    pub(crate) name: &'static str,
    pub(crate) serve: fn(host::Host) -> host::Ended,
}

impl Code {
    /// The code of `T`.
    #[must_use]
    pub fn of<T: Traveller>() -> Self {
        Self { name: T::NAME, serve: host::Host::serve::<T> }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the code of `{}`", self.name)
    }
}
