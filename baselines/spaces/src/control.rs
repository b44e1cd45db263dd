//! The common segment of a way whose windows are reached by several partners: settings, turn words,
//! how far the sets are, and the sets themselves.
//!
//! ```text
//! │ header │ the owner's turn │ a turn for each window │ states │ cores │ counts │
//! │ stamps │ mail │ order │ values │
//! ```
//!
//! All are 64-bit words, a turn takes a cache line. Only the partner whose turn it is writes behind the
//! turns; the turn orders all of that.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::WindowsSetup;
use platform::clock::ticks;
use platform::mapping::PAGE_BYTES;
use platform::mutant::{Mutant, mutated};
use platform::relay::Turn;
use platform::segments::{Attached, Segment, address_for};
use platform::{Pages, racy::WORD_BYTES};

use crate::walk::STAMPS;

/// Words of a cache line.
const LINE: usize = 8;
const HEADER_LINES: usize = 8;
/// The state of an executor whose window is mapped.
const READY: u64 = 1;
/// The state of one that cannot go on, plus the system's error number.
const FAILED: u64 = 2;

/// Words of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field {
    Windows,
    WindowBytes,
    PageBytes,
    UpdatesPerSet,
    Sets,
    /// Address of the window in every space.
    Place,
    /// What executors do: [`crate::executor::Role`].
    Role,
    /// The next set, counted from the first of the stream.
    Next,
    /// Sets left in this run.
    Left,
    /// Sets done in this run.
    Done,
    /// Ticks after which no further set begins.
    Until,
    /// Changes to another window in this run.
    Switches,
    /// The window that the set before was in, plus 1; 0 before the first.
    Here,
}

/// Who is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The partner of this window.
    Window(usize),
    /// The owner: the run is over.
    Owner,
}

/// The segment as this process sees it.
#[derive(Debug)]
pub(crate) struct Control {
    attached: Attached,
    windows: usize,
    sets: usize,
    updates: usize,
}

impl Control {
    /// Makes the segment and copies the sets into it.
    pub(crate) fn new(setup: &WindowsSetup<'_>) -> io::Result<(Segment, Self)> {
        let shape = &setup.shape;
        let (windows, sets, updates) = (shape.windows, setup.order.len(), shape.updates_per_set);
        let bytes = (end(windows, sets, updates) * WORD_BYTES).next_multiple_of(PAGE_BYTES);
        let segment = Segment::resident(bytes, Pages::Small)?;
        let attached = segment.attach(address_for(bytes)?)?;
        let control = Self { attached, windows, sets, updates };
        let fields = [
            (Field::Windows, windows),
            (Field::WindowBytes, shape.window_bytes),
            (Field::PageBytes, shape.page_bytes),
            (Field::UpdatesPerSet, updates),
            (Field::Sets, sets),
        ];
        for (field, value) in fields {
            control.write(field, value as u64);
        }
        let order = control.words(control.order_at(), sets).iter();
        // Relaxed: partners start afterwards, or read after they took a turn.
        order.zip(setup.order).for_each(|(word, &at)| word.store(at.into(), Ordering::Relaxed));
        let values = control.words(control.values_at(), sets * updates).iter();
        values.zip(setup.values).for_each(|(word, &value)| word.store(value, Ordering::Relaxed));
        Ok((segment, control))
    }

    /// The segment as another process has made it.
    pub(crate) fn received(segment: &Segment, address: usize) -> io::Result<Self> {
        let control = Self { attached: segment.attach(address)?, windows: 0, sets: 0, updates: 0 };
        let field = |field| control.read(field) as usize;
        let (windows, sets) = (field(Field::Windows), field(Field::Sets));
        let updates = field(Field::UpdatesPerSet);
        Ok(Self { windows, sets, updates, ..control })
    }

    /// Its address, the same in every process.
    pub(crate) fn address(&self) -> usize {
        self.attached.address()
    }

    pub(crate) fn read(&self, field: Field) -> u64 {
        // Relaxed: written before the process started, or ordered by the turn.
        self.attached.words()[field as usize].load(Ordering::Relaxed)
    }

    pub(crate) fn write(&self, field: Field, value: u64) {
        // Relaxed: as in `read`.
        self.attached.words()[field as usize].store(value, Ordering::Relaxed);
    }

    /// The owner's turn word.
    #[inline]
    pub(crate) fn owner(&self) -> &Turn {
        self.attached.turn(HEADER_LINES)
    }

    /// The turn word of a window's partner.
    #[inline]
    pub(crate) fn turn(&self, window: usize) -> &Turn {
        self.attached.turn(HEADER_LINES + 1 + window)
    }

    /// Says that the executor of `window` has mapped it, or why it has not.
    pub(crate) fn tell(&self, window: usize, mapped: Result<(), &io::Error>) {
        let state = match mapped {
            Ok(()) => READY,
            Err(error) => FAILED + error.raw_os_error().unwrap_or(0).unsigned_abs() as u64,
        };
        // MAPPED, from: what the executor set up is complete.
        self.states()[window].store(state, Ordering::Release);
    }

    /// Whether the executor of `window` has mapped it.
    pub(crate) fn is_mapped(&self, window: usize) -> io::Result<bool> {
        // MAPPED, to: the executor has set up what it needs.
        match self.states()[window].load(Ordering::Acquire) {
            0 => Ok(false),
            READY => Ok(true),
            failed => Err(io::Error::from_raw_os_error((failed - FAILED) as i32)),
        }
    }

    /// The core of each window's executor.
    pub(crate) fn cores(&self) -> &[AtomicU64] {
        self.words(states_at(self.windows) + self.windows, self.windows)
    }

    /// Updates that each window received in this run.
    pub(crate) fn counts(&self) -> &[AtomicU64] {
        self.words(states_at(self.windows) + 2 * self.windows, self.windows)
    }

    /// Times at which the last sets of this run ended.
    pub(crate) fn stamps(&self) -> &[AtomicU64] {
        self.words(stamps_at(self.windows), STAMPS)
    }

    /// The message: the values of one set.
    pub(crate) fn mail(&self) -> &[AtomicU64] {
        self.words(stamps_at(self.windows) + STAMPS, self.updates)
    }

    /// Begins a run; returns whose set is first.
    pub(crate) fn begin(&self, sets: u64, until_ticks: u64) -> usize {
        self.write(Field::Left, sets);
        self.write(Field::Done, 0);
        self.write(Field::Until, until_ticks);
        self.counts().iter().for_each(|count| count.store(0, Ordering::Relaxed));
        let first = self.window_of(self.read(Field::Next) as usize);
        let here = self.read(Field::Here);
        self.write(Field::Switches, u64::from(here != 0 && here != first as u64 + 1));
        first
    }

    /// Applies the sets of `window` that are next, in its words, until another window is drawn or the
    /// run is over.
    pub(crate) fn visit(&self, window: usize, words: &[AtomicU64]) -> Next {
        let (values, stamps) =
            (self.words(self.values_at(), self.sets * self.updates), self.stamps());
        let (mut at, mut left) = (self.read(Field::Next) as usize, self.read(Field::Left));
        let (mut done, until) = (self.read(Field::Done), self.read(Field::Until));
        let before = done;
        let next = loop {
            for value in &values[at * self.updates..][..self.updates] {
                // Relaxed: written before the first turn.
                engine::update(words, value.load(Ordering::Relaxed));
            }
            at = if at + 1 == self.sets { 0 } else { at + 1 };
            let now = ticks();
            // Relaxed: ordered by the turn.
            stamps[done as usize % STAMPS].store(now, Ordering::Relaxed);
            (done, left) = (done + 1, left - 1);
            if left == 0 || now >= until {
                break Next::Owner;
            }
            let mut drawn = self.window_of(at);
            if mutated(Mutant::WrongWindow) && drawn == window {
                drawn = (window + 1) % self.windows;
            }
            if drawn != window {
                self.write(Field::Switches, self.read(Field::Switches) + 1);
                break Next::Window(drawn);
            }
        };
        self.write(Field::Next, at as u64);
        self.write(Field::Left, left);
        self.write(Field::Done, done);
        self.write(Field::Here, window as u64 + 1);
        let count = &self.counts()[window];
        let updates = (done - before) * self.updates as u64;
        count.store(count.load(Ordering::Relaxed) + updates, Ordering::Relaxed);
        next
    }

    #[inline]
    fn window_of(&self, set: usize) -> usize {
        // Relaxed: written before the first turn.
        self.words(self.order_at(), self.sets)[set].load(Ordering::Relaxed) as usize
    }

    fn states(&self) -> &[AtomicU64] {
        self.words(states_at(self.windows), self.windows)
    }

    fn order_at(&self) -> usize {
        stamps_at(self.windows) + STAMPS + self.updates
    }

    fn values_at(&self) -> usize {
        self.order_at() + self.sets
    }

    #[inline]
    fn words(&self, from: usize, count: usize) -> &[AtomicU64] {
        &self.attached.words()[from..][..count]
    }
}

/// Words before the states.
fn states_at(windows: usize) -> usize {
    (HEADER_LINES + 1 + windows) * LINE
}

fn stamps_at(windows: usize) -> usize {
    (states_at(windows) + 3 * windows).next_multiple_of(LINE)
}

/// Words of the whole segment.
fn end(windows: usize, sets: usize, updates: usize) -> usize {
    stamps_at(windows) + STAMPS + updates + sets + sets * updates
}
