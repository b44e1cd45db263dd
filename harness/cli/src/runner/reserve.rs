//! The reserve: a helper process that holds the memory which no cell uses at the moment. Virtual machines
//! return memory that stays free for some seconds to their host, and touching it again costs seconds for
//! each GiB. The reserve is given up as a cell starts, so that the cell meets pages which the host already
//! backs, and taken again right after the cell.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use platform::{Mapping, Pages};

use crate::memory::touched_bytes;
use record::Cell;
use worker::kernel::{KernelFiles, available_memory_bytes};

/// Share of the available memory that the reserve may take, in percent.
const SHARE_PERCENT: u64 = 60;
/// Below this the reserve saves less than it takes.
const BYTES_MIN: u64 = 512 << 20;

/// Memory that is free for cells and stays backed by the host.
#[derive(Debug, Default)]
pub struct Reserve {
    /// What the largest cell touches that it was made for.
    largest_bytes: u64,
    bytes: u64,
    helper: Mutex<Option<Helper>>,
}

impl Reserve {
    /// Grows to the most that one of `cells` that run alone touches; to nothing on machines that keep
    /// their memory. What it holds for earlier cells it keeps. Cells that stand idle together hold less
    /// than is expected of them, so what a reserve left to them would turn cold: a helper warms what each
    /// is about to touch (`warm`).
    pub fn provide_for(&mut self, cells: &[Cell]) {
        let alone = cells.iter().filter(|cell| cell.is_exclusive()).map(touched_bytes).max();
        let largest_bytes = alone.unwrap_or(0);
        if largest_bytes <= self.largest_bytes {
            return;
        }
        // The old one first: what it holds is not available.
        *self = Self::default();
        self.largest_bytes = largest_bytes;
        let bytes = largest_bytes.min(available_memory_bytes() / 100 * SHARE_PERCENT);
        if bytes >= BYTES_MIN && crate::environment::is_virtualised(&KernelFiles::here()) {
            self.bytes = bytes;
            self.helper = Mutex::new(Helper::start(bytes).ok());
        }
    }

    /// Holds all but what `cell` touches. A helper that fails is not asked again: cells then take longer to start.
    pub fn leave_for(&self, cell: &Cell) {
        let used_bytes = touched_bytes(cell);
        let mut helper = self.helper.lock().unwrap_or_else(PoisonError::into_inner);
        let held = helper.as_mut().map(|helper| helper.hold(self.bytes.saturating_sub(used_bytes)));
        if matches!(held, Some(Err(_))) {
            *helper = None;
        }
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
