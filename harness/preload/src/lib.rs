//! Records a program's allocations when it is loaded before the program's own libraries:
//! `LD_PRELOAD=libnibble_preload.so NIBBLE_PRELOAD_FOLDER=/whole/path program`.
//!
//! Every process that the program becomes or starts writes a file `PID-N.raw` of its own, with the
//! layout of `src/record.rs`; `N` tells images of one process apart. A copy that goes on without another
//! program (`fork`) has a file too, marked as one that inherited objects. Files are shared
//! mappings: what was recorded survives the end of the process, whatever it was. Programs that are
//! statically linked, that gain rights when they start, or that bring an allocator of other names
//! record nothing.
//!
//! The program notices nothing but time: results and `errno` are its allocator's own, nothing is
//! allocated, no file stays open. Signal handlers that allocate are not recorded when they
//! interrupt an allocation.
//!
//! | module | what it holds |
//! |---|---|
//! | `hooks` | the functions that programs find |
//! | `real`, `arena` | those they would have found; memory until these are known |
//! | `thread` | a thread's number |
//! | `current`, `recording`, `place` | which recording, its life, its folder |
//! | `record` | the layout of its file |
//! | `system`, `text` | calls to the system and text, without allocation |

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
