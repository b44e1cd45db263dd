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

mod turn;

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{EventfdFlags, eventfd};

use crate::process::bind_to_parent;

pub use turn::Turn;

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

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
