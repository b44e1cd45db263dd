//! Windows: a table in equal parts, and ways to reach them one at a time.
//!
//! A *set* is so many updates within one window; after it the next window is chosen. A *way* is how a
//! window is reached. A *switch* is the change to another window.

use std::fmt;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Setting;

/// Updates of a set, at most.
pub const UPDATES_PER_SET_MAX: usize = 4096;
/// Windows of a table, at most.
pub const WINDOWS_MAX: usize = 256;

/// Sizes of a table and of its sets: what a plan knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowsShape {
    /// Number of windows.
    pub windows: usize,
    /// Bytes of each window.
    pub window_bytes: usize,
    /// Bytes of each page: 4096 or 2 097 152.
    pub page_bytes: usize,
    /// Updates of each set; 0 for switches alone.
    pub updates_per_set: usize,
}

/// What a way is opened with.
#[derive(Debug)]
pub struct WindowsSetup<'a> {
    /// The sizes.
    pub shape: WindowsShape,
    /// Window of each set. After the last set, the first follows.
    pub order: &'a [u32],
    /// Values of all sets, one set after the other.
    pub values: &'a [u64],
    /// Cores that may be used. One flow of control stays on the first.
    pub cores: &'a [usize],
    /// Starts this program again, as a process that calls the way's executor at once. Its standard
    /// input and output belong to the way.
    pub executor: fn() -> io::Result<Command>,
}

/// When a run ends: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Sets to apply.
    pub sets: u64,
    /// Time after which no further set begins.
    pub within_ns: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Sets applied.
    pub sets: u64,
    /// Changes to another window, those to a run's first window included.
    pub switches: u64,
    /// Wall time.
    pub elapsed_ns: u64,
    /// Page faults without I/O, in all processes of the way.
    pub minor_faults: u64,
    /// Updates that each window received, as the way counted them; empty where it does not count.
    pub updates_by_window: Vec<u64>,
    /// Durations of the last sets, each with the switch before it; empty where they are not timed.
    pub set_ns: Vec<u64>,
}

/// One way to reach the windows of a table.
pub trait Windows {
    /// Applies the sets that follow those of the call before.
    ///
    /// # Errors
    /// The table is in no known state afterwards.
    fn apply(&mut self, limits: Limits) -> Result<Applied, WindowsError>;

    /// Shows all words of one window to `see`, by a mapping of its own.
    ///
    /// # Errors
    /// The system's error.
    fn show(&self, window: usize, see: &mut dyn FnMut(&[AtomicU64])) -> Result<(), WindowsError>;

    /// The settings it was opened with, and what it found out.
    fn settings(&self) -> Vec<Setting>;

    /// Processes beside this one.
    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }
}

/// Combines `value` with the word that its high bits select.
///
/// # Panics
/// If there is no word.
#[inline]
pub fn update(words: &[AtomicU64], value: u64) {
    let index = (u128::from(value) * words.len() as u128) >> u64::BITS;
    let word = &words[index as usize];
    // Relaxed: one flow of control at a time; handing it over orders.
    word.store(word.load(Ordering::Relaxed) ^ value, Ordering::Relaxed);
}

/// Why a way stopped.
#[derive(Debug)]
pub enum WindowsError {
    /// The operating system refused something.
    System {
        /// What was asked of it.
        doing: String,
        /// Its answer.
        error: io::Error,
    },
    /// The process of a space ended while others needed it.
    Died {
        /// The space: the number of its window.
        space: usize,
        /// How it ended.
        how: String,
    },
}

impl WindowsError {
    /// An error of the system while `doing` something.
    pub fn system(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |error| Self::System { doing, error }
    }
}

impl fmt::Display for WindowsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { doing, error } => write!(formatter, "{doing}: {error}"),
            Self::Died { space, how } => write!(
                formatter,
                "the process of space {space} ended ({how}) while others needed it: see what killed \
                 it, for example the system's log, and run the cell again"
            ),
        }
    }
}

impl std::error::Error for WindowsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn high_bits_select_the_word() {
        let words = [const { AtomicU64::new(0) }; 4];
        for (index, value) in [(0, 1), (1, 1 << 62 | 5), (3, u64::MAX)] {
            update(&words, value);
            assert_eq!(words[index].load(Ordering::Relaxed), value);
            update(&words, value);
            assert_eq!(words[index].load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn errors_name_what_was_done_and_the_space() {
        let error = WindowsError::system("mapping window 3")(io::Error::from_raw_os_error(12));
        assert_eq!(error.to_string(), "mapping window 3: Cannot allocate memory (os error 12)");
        let died = WindowsError::Died { space: 2, how: "signal: 9 (SIGKILL)".to_owned() };
        assert!(died.to_string().starts_with("the process of space 2 ended (signal: 9 (SIGKILL))"));
    }
}
