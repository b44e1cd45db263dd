//! One flow of control that is handed from partner to partner: threads of one process, or processes
//! that share the memory of their turn words.
//!
//! Each partner has a turn word in a cache line of its own. It waits until the word is set, takes the
//! turn by clearing it, runs, and gives the turn to another. At any time at most one word of a relay is
//! set, and none while a partner runs. Futexes are shared ones, because private futexes are keyed by
//! the address space.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | TURN | `give`, Release | `take`, Acquire | what was written before giving is visible after taking |

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::thread::futex::{self, Flags};

use crate::process::bind_to_parent;

const WAITING: u32 = 0;
const SET: u32 = 1;
/// How long a partner that watches others waits before it looks at them again.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The turn word of one partner.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Turn {
    word: AtomicU32,
}

impl Turn {
    /// Gives the turn to the partner whose word this is, and wakes it if it sleeps.
    #[inline]
    pub fn give(&self) {
        self.set();
        // It fails only for an address that is not mapped.
        let _ = futex::wake(&self.word, Flags::empty(), 1);
    }

    /// Gives the turn without waking anybody; for partners that never sleep.
    #[inline]
    pub fn set(&self) {
        // TURN, from: what this partner wrote is visible to the next one.
        self.word.store(SET, Ordering::Release);
    }

    /// Takes the turn if it was given.
    #[inline]
    pub fn take(&self) -> bool {
        // Relaxed: a look that takes nothing; the exchange below orders.
        // TURN, to: what the partner before wrote is visible.
        self.word.load(Ordering::Relaxed) == SET
            && self.word.swap(WAITING, Ordering::Acquire) == SET
    }

    /// Waits for the turn and takes it.
    #[inline]
    pub fn wait(&self) {
        while !self.take() {
            self.sleep(None);
        }
    }

    /// Waits for the turn for so long at most, and takes it; returns whether it did.
    pub fn wait_for(&self, most: Duration) -> bool {
        let until = Instant::now() + most;
        while !self.take() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.sleep(Some(left));
        }
        true
    }

    /// Waits for the turn, and looks at the other processes of the relay meanwhile.
    ///
    /// # Errors
    /// The first partner found dead.
    pub fn wait_among(&self, partners: &mut Partners) -> Result<(), Death> {
        while !self.wait_for(LOOK_EVERY) {
            partners.look()?;
        }
        Ok(())
    }

    fn sleep(&self, most: Option<Duration>) {
        let most = most.map(|most| most.try_into().expect("a short time"));
        match futex::wait(&self.word, Flags::empty(), WAITING, most.as_ref()) {
            // Set before it slept, woken without a reason, or waited long enough: the caller looks.
            Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT) => {}
            Err(error) => panic!("waiting for a turn: {error}"),
        }
    }
}

/// A partner that ended before the relay did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// Which, in the order in which they were started.
    pub partner: usize,
    /// How it ended; `None` if the system does not tell.
    pub status: Option<ExitStatus>,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} of the relay ended", self.partner)?;
        self.status.map_or(Ok(()), |status| write!(f, " ({status})"))
    }
}

impl std::error::Error for Death {}

/// The processes of a relay. They are killed and waited for when this is dropped; if this process is
/// killed, the kernel kills them.
#[derive(Debug, Default)]
pub struct Partners {
    children: Vec<Child>,
}

impl Partners {
    /// Starts one more process. It dies with the calling thread.
    ///
    /// # Errors
    /// The system's error.
    pub fn start(&mut self, command: &mut Command) -> io::Result<()> {
        bind_to_parent(command);
        self.children.push(command.spawn()?);
        Ok(())
    }

    /// Their process ids, in the order in which they were started.
    #[must_use]
    pub fn ids(&self) -> Vec<u32> {
        self.children.iter().map(Child::id).collect()
    }

    /// Looks whether all live.
    ///
    /// # Errors
    /// The first that does not.
    pub fn look(&mut self) -> Result<(), Death> {
        for (partner, child) in self.children.iter_mut().enumerate() {
            match child.try_wait() {
                Ok(None) => {}
                Ok(status) => return Err(Death { partner, status }),
                Err(_) => return Err(Death { partner, status: None }),
            }
        }
        Ok(())
    }
}

impl Drop for Partners {
    fn drop(&mut self) {
        // All are told before any is waited for. Those that ended already need neither.
        for child in &mut self.children {
            let _ = child.kill();
        }
        for child in &mut self.children {
            let _ = child.wait();
        }
    }
}

/// A counter of events, by whose descriptor partners wait for each other; 0 at first.
///
/// # Errors
/// The system's error.
pub fn event_counter() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC)?)
}

#[cfg(test)]
mod tests;
