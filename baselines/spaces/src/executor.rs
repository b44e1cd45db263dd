//! The process of one space: it maps the common segment and its window at addresses that are the same
//! in every space, and does what its role says until it is killed.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

use platform::segments::{Attached, Segment};
use platform::{Pages, cpu};

use crate::control::{Control, Field, Next};
use crate::table;
use crate::windows::{Wait, receive, reply};

/// Tells an executor the number of its window and the address of the common segment.
pub(crate) const VARIABLE: &str = "NIBBLE_SPACE_EXECUTOR";

/// What an executor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Runs while control is in its space.
    Travel,
    /// Answers messages.
    Serve(Wait),
    /// Holds its window, and sleeps.
    Hold,
}

impl Role {
    pub(crate) fn word(self) -> u64 {
        match self {
            Self::Travel => 0,
            Self::Hold => 1,
            Self::Serve(Wait::Spin) => 2,
            Self::Serve(Wait::Yield) => 3,
            Self::Serve(Wait::Block) => 4,
        }
    }

    fn of(word: u64) -> Self {
        match word {
            0 => Self::Travel,
            1 => Self::Hold,
            2 => Self::Serve(Wait::Spin),
            3 => Self::Serve(Wait::Yield),
            _ => Self::Serve(Wait::Block),
        }
    }
}

/// Why an executor cannot begin.
#[derive(Debug)]
pub enum ExecutorError {
    /// Nobody told it which space it is.
    Alone,
    /// The system refused something.
    System(io::Error),
}

impl fmt::Display for ExecutorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => write!(
                formatter,
                "the process of a space is started by the program that measures, not by hand \
                 ({VARIABLE} is not set): run a cell with the way `space`"
            ),
            Self::System(error) => write!(formatter, "the process of a space: {error}"),
        }
    }
}

impl std::error::Error for ExecutorError {}

/// Runs this process as the executor of one space. Its standard input is the common segment, its
/// standard output the window.
///
/// # Errors
/// If the process was not started for that, or the system refuses something.
pub fn run() -> Result<Infallible, ExecutorError> {
    let told = std::env::var(VARIABLE).map_err(|_| ExecutorError::Alone)?;
    let (window, address) = told.split_once(' ').ok_or(ExecutorError::Alone)?;
    let [window, address] =
        [window, address].map(|word| word.parse::<usize>().map_err(|_| ExecutorError::Alone));
    let (window, address) = (window?, address?);
    let common = received(&io::stdin(), Pages::Small).map_err(ExecutorError::System)?;
    let control = Control::received(&common, address).map_err(ExecutorError::System)?;
    let attached = mapped(&control, window);
    control.tell(window, attached.as_ref().map(|_| ()));
    serve(&control, window, &attached.map_err(ExecutorError::System)?)
}

/// Maps the window, on its core.
fn mapped(control: &Control, window: usize) -> io::Result<Attached> {
    // Relaxed: written before this process started.
    cpu::pin_to(control.cores()[window].load(Ordering::Relaxed) as usize)?;
    let pages = table::pages_of(control.read(Field::PageBytes) as usize);
    received(&io::stdout(), pages)?.attach(control.read(Field::Place) as usize)
}

fn received(file: &impl AsFd, pages: Pages) -> io::Result<Segment> {
    Segment::received(file.as_fd().try_clone_to_owned()?, pages)
}

fn serve(control: &Control, window: usize, attached: &Attached) -> ! {
    let (words, turn) = (attached.words(), control.turn(window));
    match Role::of(control.read(Field::Role)) {
        Role::Travel => loop {
            turn.wait();
            pass(control, control.visit(window, words));
        },
        Role::Serve(wait) => loop {
            receive(turn, wait);
            for value in control.mail() {
                // Relaxed: ordered by the message.
                engine::update(words, value.load(Ordering::Relaxed));
            }
            reply(control.owner(), wait);
        },
        Role::Hold => loop {
            turn.wait();
        },
    }
}

/// Gives the turn to whom it belongs next.
#[inline]
pub(crate) fn pass(control: &Control, next: Next) {
    match next {
        Next::Window(window) => control.turn(window).give(),
        Next::Owner => control.owner().give(),
    }
}
