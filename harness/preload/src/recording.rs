//! The recording of one process: its file, the mapped windows, its states.
//!
//! ```text
//!   Idle ──▶ Beginning ──▶ Recording ──▶ Stopped     no room, or no right to write
//!                │
//!                └──▶ Off                            no folder is named
//! ```
//!
//! All of this is in memory that the kernel wipes in a fork, whichever call created it: the fork starts
//! out `Idle`, without the original's file, and begins one of its own. No lock of a thread that does not
//! exist there stays held.

use core::ffi::c_int;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::place::{PATH_BYTES, Place, place};
use crate::record::{
    HEADER_BYTES, Header, INHERITED, MAGIC, PROGRAM_BYTES, Record, VERSION, WINDOW_BYTES,
    WINDOW_RECORDS,
};
use crate::system::{self, Decimal, File, Message};
use crate::text::Text;

/// Room for a billion records.
const WINDOWS_MAX: usize = 8192;
const _: () = assert!(WINDOWS_MAX as u64 * WINDOW_RECORDS == 1 << 30);
/// Limit of process images with the same id in one folder.
const FILES_MAX: u64 = 1 << 20;

type Slot = [AtomicU64; 4];

/// All zeros is a valid `Idle` recording.
#[repr(C)]
pub(crate) struct Recording {
    status: AtomicU32,
    /// Null before `Recording`, or if there never was a file.
    header: AtomicPtr<Header>,
    /// Each is null, [`BEING_MAPPED`], or a window.
    windows: [AtomicPtr<Slot>; WINDOWS_MAX],
    /// Path of the file.
    path: Text<PATH_BYTES>,
}

const BEING_MAPPED: *mut Slot = without_provenance_mut(1);

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum Status {
    /// The state of wiped memory.
    Idle = 0,
    Beginning = 1,
    Recording = 2,
    Stopped = 3,
    Off = 4,
}

impl Status {
    fn of(word: u32) -> Self {
        match word {
            0 => Self::Idle,
            1 => Self::Beginning,
            2 => Self::Recording,
            3 => Self::Stopped,
            _ => Self::Off,
        }
    }
}

impl Recording {
    /// Records `event`, unless this process is not recorded.
    #[inline]
    pub(crate) fn record(&self, event: Record) {
        let status = match self.status() {
            status @ (Status::Idle | Status::Beginning) => self.begun(status),
            status => status,
        };
        match status {
            Status::Recording => self.write(event),
            Status::Stopped => self.lose(),
            Status::Idle | Status::Beginning | Status::Off => {}
        }
    }

    #[inline]
    fn status(&self) -> Status {
        // Acquire: pairs with the Release in `go_on_as`: the header and the path.
        Status::of(self.status.load(Ordering::Acquire))
    }

    fn go_on_as(&self, status: Status) {
        // Release: pairs with the Acquire in `status`.
        self.status.store(status as u32, Ordering::Release);
    }

    #[inline]
    fn header(&self) -> Option<&Header> {
        // Relaxed: set before the status that led here.
        let header = self.header.load(Ordering::Relaxed);
        // SAFETY: null, or mapped and never unmapped.
        unsafe { header.as_ref() }
    }

    #[inline]
    fn write(&self, event: Record) {
        let Some(header) = self.header() else { return };
        // Relaxed: if one event happens before another, through locks of the allocator or of the program,
        // its number is lower, as all numbers come from this one word.
        let number = header.claimed.fetch_add(1, Ordering::Relaxed);
        let Some(window) = self.windows.get((number / WINDOW_RECORDS) as usize) else {
            return self.stop(libc::EFBIG);
        };
        // Acquire: pairs with the Release in `map_window`.
        let mut slots = window.load(Ordering::Acquire);
        if slots.is_null() || slots == BEING_MAPPED {
            let index = number / WINDOW_RECORDS;
            match system::keep_errno(|| self.window(header, window, index)) {
                Some(mapped) => slots = mapped,
                None => return,
            }
        }
        let slot = slots.wrapping_add((number % WINDOW_RECORDS) as usize);
        // SAFETY: inside the window, which is never unmapped; only this event uses it.
        let slot = unsafe { &*slot };
        slot[0].store(event.address, Ordering::Relaxed);
        slot[1].store(event.bytes, Ordering::Relaxed);
        slot[2].store(event.alignment, Ordering::Relaxed);
        // Release: a reader that sees the mark sees the other words. Pairs with the end of the process,
        // or with the reader's copy of the file.
        slot[3].store(event.mark(), Ordering::Release);
    }

    /// The window, mapped by this thread or another one; `None` if it cannot be mapped.
    #[cold]
    fn window(&self, header: &Header, window: &AtomicPtr<Slot>, index: u64) -> Option<*mut Slot> {
        while self.status() == Status::Recording {
            // Acquire: pairs with the Release below, of another thread.
            let (taken, seen) = (Ordering::Acquire, Ordering::Acquire);
            match window.compare_exchange(null_mut(), BEING_MAPPED, taken, seen) {
                Ok(_) => {
                    let mapped = self.map_window(index);
                    if let Err(error) = mapped {
                        self.stop(error);
                    } else {
                        // Relaxed: a count that is read after the process has ended.
                        header.windows.fetch_max(index + 1, Ordering::Relaxed);
                    }
                    let slots = mapped.unwrap_or(null_mut());
                    // Release: pairs with the Acquire above and in `write`.
                    window.store(slots, Ordering::Release);
                }
                Err(BEING_MAPPED) => system::yield_now(),
                Err(slots) => return Some(slots),
            }
        }
        None
    }

    fn map_window(&self, index: u64) -> Result<*mut Slot, c_int> {
        let file = File::open(self.path.as_c_str())?;
        let offset = HEADER_BYTES + index * WINDOW_BYTES;
        file.reserve(offset, WINDOW_BYTES)?;
        file.map(offset, WINDOW_BYTES).map(|window| window.cast())
    }

    /// The status after initialisation, by whichever thread.
    #[cold]
    fn begun(&self, mut status: Status) -> Status {
        let (idle, beginning) = (Status::Idle as u32, Status::Beginning as u32);
        // Acquire: pairs with the Release in `go_on_as`, of a thread that came too early.
        let (taken, seen) = (Ordering::Acquire, Ordering::Acquire);
        if status == Status::Idle
            && self.status.compare_exchange(idle, beginning, taken, seen).is_ok()
        {
            let next = system::keep_errno(|| self.begin());
            self.go_on_as(next);
            return next;
        }
        loop {
            status = self.status();
            if status != Status::Beginning {
                return status;
            }
            system::keep_errno(system::yield_now);
        }
    }

    fn begin(&self) -> Status {
        let folder = match place() {
            Place::NotYet => return Status::Idle,
            Place::Nowhere => return Status::Off,
            Place::Folder(folder) => folder,
            Place::Bad => {
                self.say(libc::ENAMETOOLONG);
                return Status::Stopped;
            }
        };
        match self.create(folder) {
            Ok(header) => {
                // Relaxed: `go_on_as` publishes it.
                self.header.store(header, Ordering::Relaxed);
                Status::Recording
            }
            Err(error) => {
                self.say(error);
                Status::Stopped
            }
        }
    }

    fn create(&self, folder: &Text<PATH_BYTES>) -> Result<*mut Header, c_int> {
        /// Whether this process was forked from a recorded one.
        static COPY: AtomicBool = AtomicBool::new(false);

        let (pid, parent_pid) = system::process_ids();
        for image in 0..FILES_MAX {
            self.path.clear();
            let named = self.path.push(folder.bytes())
                && self.path.push(b"/".iter().copied())
                && self.path.push(Decimal::of(pid).digits())
                && self.path.push(b"-".iter().copied())
                && self.path.push(Decimal::of(image).digits())
                && self.path.push(b".raw".iter().copied());
            if !named {
                return Err(libc::ENAMETOOLONG);
            }
            let file = match File::create(self.path.as_c_str()) {
                Err(libc::EEXIST) => continue,
                other => other?,
            };
            file.reserve(0, HEADER_BYTES)?;
            let mapped: *mut Header = file.map(0, HEADER_BYTES)?.cast();
            // SAFETY: `HEADER_BYTES` zeros, which are a valid header, accessed only through atomics.
            let header = unsafe { &*mapped };
            header.version.store(VERSION, Ordering::Relaxed);
            header.window_bytes.store(WINDOW_BYTES, Ordering::Relaxed);
            header.pid.store(pid, Ordering::Relaxed);
            header.parent_pid.store(parent_pid, Ordering::Relaxed);
            // Relaxed: a fork has one thread, and inherits what its original wrote.
            let flags = if COPY.swap(true, Ordering::Relaxed) { INHERITED } else { 0 };
            header.flags.store(flags, Ordering::Relaxed);
            system::name(header.name.as_ptr().cast_mut().cast());
            let program = header.program.as_ptr().cast_mut().cast();
            let program_bytes = system::program(program, PROGRAM_BYTES) as u64;
            header.program_bytes.store(program_bytes, Ordering::Relaxed);
            // Release: a reader that sees the magic sees the whole header.
            header.magic.store(MAGIC, Ordering::Release);
            return Ok(mapped);
        }
        Err(libc::EEXIST)
    }

    /// Ends the recording permanently, with one message.
    #[cold]
    fn stop(&self, error: c_int) {
        // AcqRel: pairs with `status`, both ways.
        if self.status.swap(Status::Stopped as u32, Ordering::AcqRel) == Status::Recording as u32 {
            self.say(error);
        }
    }

    #[cold]
    fn lose(&self) {
        if let Some(header) = self.header() {
            // Relaxed: a count.
            header.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[cold]
    #[inline(never)]
    fn say(&self, error: c_int) {
        Message::new()
            .text(b"recording stops and the program goes on: error ")
            .number(error)
            .text(b"; NIBBLE_PRELOAD_FOLDER must be the whole path of a folder with room: ")
            .text(self.path.as_c_str().to_bytes())
            .say();
    }
}
