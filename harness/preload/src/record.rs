//! The layout of a raw recording, which the preloaded library writes and the converter reads. Both crates
//! include this file.
//!
//! ```text
//!  0                HEADER_BYTES                                       one file per process image
//!  ┌────────────────┬───────────────────┬───────────────────┬──▶
//!  │ Header         │ window 0          │ window 1          │   windows of WINDOW_BYTES; the file
//!  └────────────────┴───────────────────┴───────────────────┴──▶ grows by one when it is needed
//!                   ┌────────┬────────┬──▶
//!                   │ record │ record │      of RECORD_BYTES, numbered as they were claimed
//!                   └────────┴────────┴──▶
//!
//!  record   0         8       16           24
//!           ┌─────────┬───────┬───────────┬──────┐
//!           │ address │ bytes │ alignment │ mark │   the mark is written last; 0 is a record
//!           └─────────┴───────┴───────────┴──────┘   that was claimed and not written
//!
//!  mark    63     40 39        8 7    0
//!          ┌────────┬───────────┬──────┐
//!          │   0    │  thread   │ kind │   threads count from 1 within a process
//!          └────────┴───────────┴──────┘
//! ```
//!
//! All words are in the byte order of the machine that wrote them; the magic reveals another order.

use core::mem::{offset_of, size_of};
use core::sync::atomic::{AtomicU8, AtomicU64};

/// The first word of a recording that has begun.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"NIBBLERM");
/// Changes with the layout.
pub(crate) const VERSION: u64 = 1;
/// Bytes before the first window: a multiple of every page size, because windows are mapped.
pub(crate) const HEADER_BYTES: u64 = 64 << 10;
/// Bytes by which a file grows. Many processes of a build need less than one.
pub(crate) const WINDOW_BYTES: u64 = 4 << 20;
pub(crate) const RECORD_BYTES: u64 = 32;
pub(crate) const WINDOW_RECORDS: u64 = WINDOW_BYTES / RECORD_BYTES;
/// Largest length of the program's path.
pub(crate) const PROGRAM_BYTES: usize = 4096;
/// Size of the kernel's thread name, including its NUL.
pub(crate) const NAME_BYTES: usize = 16;
/// In [`Header::flags`]: the process was forked from a recorded one, and has its objects.
pub(crate) const INHERITED: u64 = 1;

/// The beginning of the file. Counters that threads share have cache lines of their own.
#[repr(C)]
pub(crate) struct Header {
    /// [`MAGIC`], written last; until then the recording has not begun.
    pub(crate) magic: AtomicU64,
    pub(crate) version: AtomicU64,
    pub(crate) pid: AtomicU64,
    pub(crate) parent_pid: AtomicU64,
    pub(crate) flags: AtomicU64,
    pub(crate) program_bytes: AtomicU64,
    /// [`WINDOW_BYTES`].
    pub(crate) window_bytes: AtomicU64,
    reserved: [u64; 9],
    /// Number of claimed records; also the number of the next one.
    pub(crate) claimed: AtomicU64,
    apart: [u64; 15],
    /// Events after recording had stopped.
    pub(crate) lost: AtomicU64,
    /// Windows that the file has room for.
    pub(crate) windows: AtomicU64,
    fill: [u64; 14],
    /// The program's path, of length `program_bytes`.
    pub(crate) program: [AtomicU8; PROGRAM_BYTES],
    /// The name by which the program was executed, truncated by the kernel, up to the first NUL.
    pub(crate) name: [AtomicU8; NAME_BYTES],
}

const _: () = assert!(offset_of!(Header, claimed) == 128);
const _: () = assert!(offset_of!(Header, lost) == 256);
const _: () = assert!(offset_of!(Header, program) == 384);
const _: () = assert!(offset_of!(Header, name) == 384 + 4096);
const _: () = assert!(size_of::<Header>() as u64 <= HEADER_BYTES);
const _: () = assert!(WINDOW_BYTES.is_multiple_of(HEADER_BYTES));
const _: () = assert!(WINDOW_BYTES.is_multiple_of(RECORD_BYTES));
const _: () = assert!(size_of::<[u64; 4]>() as u64 == RECORD_BYTES);

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// After the call: an object of `bytes` bytes is at `address`.
    Allocate = 1,
    /// Before the call: the object at `address` is freed.
    Free = 2,
    /// Before the call: the object at `address` is resized.
    ReallocateBegin = 3,
    /// After the same thread's [`Kind::ReallocateBegin`]: it has `bytes` bytes and is at `address`.
    /// Address 0 means that the call returned null: the object is freed if `bytes` is 0, else unchanged.
    ReallocateEnd = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) thread: u32,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// As requested; 0 for none.
    pub(crate) alignment: u64,
}

impl Record {
    pub(crate) const fn mark(self) -> u64 {
        self.kind as u64 | (self.thread as u64) << 8
    }

    /// The record in four words; `None` if it was not completed.
    ///
    /// # Errors
    /// The mark, if it is not a valid one.
    pub(crate) const fn from_words(words: [u64; 4]) -> Result<Option<Self>, u64> {
        let [address, bytes, alignment, mark] = words;
        let kind = match mark & 0xff {
            0 if mark == 0 => return Ok(None),
            1 => Kind::Allocate,
            2 => Kind::Free,
            3 => Kind::ReallocateBegin,
            4 => Kind::ReallocateEnd,
            _ => return Err(mark),
        };
        if mark >> 40 != 0 {
            return Err(mark);
        }
        Ok(Some(Self { kind, thread: (mark >> 8) as u32, address, bytes, alignment }))
    }
}

const _: () = {
    let record =
        Record { kind: Kind::ReallocateEnd, thread: u32::MAX, address: 1, bytes: 2, alignment: 3 };
    let Ok(Some(read)) = Record::from_words([1, 2, 3, record.mark()]) else { panic!() };
    assert!(read.kind as u8 == 4 && read.thread == u32::MAX);
    assert!(matches!(Record::from_words([1, 2, 3, 0]), Ok(None)));
};
