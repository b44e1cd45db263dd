//! Records a program's allocations when loaded before the program's own libraries:
//! `LD_PRELOAD=libnibble_preload.so NIBBLE_PRELOAD_FOLDER=/absolute/path program`.
//!
//! Every process that the program becomes or starts writes its own file `PID-N.raw`, in the layout of
//! `src/record.rs`; `N` distinguishes images of one process. A forked process that executes no other
//! program has a file too, marked as one that inherited objects. Files are shared mappings, so recorded
//! events survive the end of the process, whatever its cause. Nothing is recorded of programs that are
//! statically linked, that gain privileges when they start, or that bring an allocator under other names.
//!
//! The program is only slowed down: results and `errno` are those of its own allocator, nothing is
//! allocated, no file stays open. Signal handlers that allocate while they interrupt an allocation are
//! not recorded.
//!
//! | module | what it holds |
//! |---|---|
//!
//! `hooks`
//! the functions that programs call instead of the allocator's
//!
//!
//! `real`, `arena`
//! the allocator's functions; memory until these are resolved
//!
//!
//! `thread`
//! thread numbers
//!
//!
//! `current`, `recording`, `place`
//! the process's recording, its states, its folder
//!
//! | `record` | the layout of its file |
//!
//! `system`, `text`
//! system calls and text, without allocation
//!

mod arena;
mod current;
pub mod hooks;
mod place;
mod real;
#[allow(dead_code, reason = "what only the reader needs")]
mod record;
mod recording;
mod system;
mod text;
mod thread;
