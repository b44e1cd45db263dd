//! The reserve: a helper process that holds the memory which no cell uses at the moment. Virtual machines
//! return memory that stays free for some seconds to their host, and touching it again costs seconds for
//! each GiB. The reserve gives up what a cell is about to touch, so that the cell meets pages which the host
//! already backs, and takes it again right after the cell. Nothing is ever populated inside a worker whose
//! resident memory is the result.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use platform::{Mapping, Pages};
use worker::kernel::{KernelFiles, available_memory_bytes, total_memory_bytes};

/// Share of the available memory that the reserve may take, in percent.
const SHARE_PERCENT: u64 = 60;
/// What the reserve leaves free as it grows: this part of the machine's memory, for cells that need more
/// than was expected of them.
const LEFT_FREE_PART: u64 = 8;

/// Memory that is free for cells and stays backed by the host: all that was granted before, up to a limit.
#[derive(Debug, Default)]
pub struct Reserve {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The most that it may become; 0 on machines that keep their memory.
    bytes_max: u64,
    bytes: u64,
    granted_bytes: u64,
    held_bytes: u64,
    helper: Option<Helper>,
}

impl Reserve {
    /// One of which nothing is granted yet.
    #[must_use]
    pub fn here() -> Self {
        let mut state = State::default();
        if crate::environment::is_virtualised(&KernelFiles::here()) {
            state.bytes_max = available_memory_bytes() / 100 * SHARE_PERCENT;
        }
        Self { state: Mutex::new(state) }
    }

    /// Gives up so much until the grant is dropped. What was never granted before is touched first.
    pub fn grant(&self, bytes: u64) -> Grant<'_> {
        let mut grant = Grant { reserve: self, bytes: 0 };
        grant.change_to(bytes);
        grant
    }

    /// What it holds now: available to cells, though the kernel does not say so.
    pub fn held_bytes(&self) -> u64 {
        self.state().held_bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn grant_in_all(&mut self, granted_bytes: u64) {
        self.granted_bytes = granted_bytes;
        let bytes = self.bytes.max(granted_bytes.min(self.bytes_max));
        if bytes > self.bytes {
            self.hold(self.held_bytes + bytes - self.bytes);
            self.bytes = bytes;
        }
        self.hold(bytes.saturating_sub(granted_bytes));
    }

    /// Holds so much, but takes nothing that is not free. A helper that fails is not asked again: cells then
    /// take longer to start.
    fn hold(&mut self, bytes: u64) {
        let left_free_bytes = total_memory_bytes() / LEFT_FREE_PART;
        let free_bytes = available_memory_bytes().saturating_sub(left_free_bytes);
        let bytes = bytes.min(self.held_bytes + free_bytes);
        if bytes == self.held_bytes || self.bytes_max == 0 {
            return;
        }
        if self.helper.is_none() {
            self.helper = Helper::start(self.bytes_max).ok();
        }
        self.held_bytes = match self.helper.as_mut().map(|helper| helper.hold(bytes)) {
            Some(Ok(())) => bytes,
            None | Some(Err(_)) => {
                *self = Self { granted_bytes: self.granted_bytes, ..Self::default() };
                0
            }
        };
    }
}

/// A part of the reserve that is given up, until it is dropped.
#[derive(Debug)]
pub struct Grant<'reserve> {
    reserve: &'reserve Reserve,
    bytes: u64,
}

impl Grant<'_> {
    /// Makes the part larger or smaller.
    pub fn change_to(&mut self, bytes: u64) {
        let mut state = self.reserve.state();
        let granted_bytes = state.granted_bytes - self.bytes + bytes;
        state.grant_in_all(granted_bytes);
        self.bytes = bytes;
    }

    /// Makes the part larger.
    pub fn grow(&mut self, bytes: u64) {
        self.change_to(self.bytes + bytes);
    }
}

impl Drop for Grant<'_> {
    fn drop(&mut self) {
        self.change_to(0);
    }
}

/// The process. It ends with its standard input.
#[derive(Debug)]
struct Helper {
    process: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Helper {
    fn start(bytes: u64) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["reserve", &bytes.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        platform::process::bind_to_parent(&mut command);
        let mut process = command.spawn()?;
        let orders = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("piped"));
        Ok(Self { process, orders, answers })
    }

    fn hold(&mut self, bytes: u64) -> io::Result<()> {
        writeln!(self.orders.as_mut().expect("open until dropped"), "{bytes}")?;
        match self.answers.read_line(&mut String::new())? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.orders.take());
        let _ = self.process.wait();
    }
}

/// The body of the hidden command `reserve`: holds as many of `bytes_max` as each line of standard input
/// says, and answers with a line.
///
/// # Errors
/// When the memory cannot be mapped, an order is no number, or an answer cannot be written.
pub fn reserve(bytes_max: u64) -> io::Result<()> {
    let mapping = Mapping::anonymous(bytes_max as usize, Pages::Huge)?;
    let mut held = 0;
    for order in io::stdin().lines() {
        let bytes: usize = order?.parse().map_err(io::Error::other)?;
        let bytes = bytes.min(mapping.bytes());
        if bytes > held {
            mapping.populate(held, bytes - held);
        } else {
            mapping.discard(bytes, held - bytes);
        }
        held = bytes;
        writeln!(io::stdout(), "{held}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_add_up_until_they_are_dropped() {
        let reserve = Reserve::default();
        let mut first = reserve.grant(10);
        let second = reserve.grant(5);
        first.grow(3);
        assert_eq!(reserve.state().granted_bytes, 18);
        first.change_to(1);
        drop(second);
        assert_eq!(reserve.state().granted_bytes, 1);
        drop(first);
        assert_eq!(reserve.state().granted_bytes, 0);
    }
}
