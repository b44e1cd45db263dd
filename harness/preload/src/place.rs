//! The folder for recordings, from the environment.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::system;
use crate::text::Text;

pub(crate) const PATH_BYTES: usize = 4096;

/// The environment variable. Its value is kept, because programs clear their environment before they
/// fork.
const VARIABLE: &core::ffi::CStr = c"NIBBLE_PRELOAD_FOLDER";

static FOLDER: Text<PATH_BYTES> = Text::new();
static KNOWN: AtomicU8 = AtomicU8::new(UNREAD);

const UNREAD: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

/// The setting in the environment.
pub(crate) enum Place {
    /// The C library is not initialised yet; ask again.
    NotYet,
    /// Recording is off.
    Nowhere,
    /// The folder's path, which begins with `/`.
    Folder(&'static Text<PATH_BYTES>),
    /// The variable does not hold the path of a folder.
    Bad,
}

/// Called only by the thread that begins a recording.
pub(crate) fn place() -> Place {
    // Relaxed: one thread at a time comes here; the recording's status orders them.
    match KNOWN.load(Ordering::Relaxed) {
        ABSENT => return Place::Nowhere,
        PRESENT => return Place::Folder(&FOLDER),
        _ => {}
    }
    let Ok(value) = system::variable(VARIABLE) else { return Place::NotYet };
    let known = match value {
        None => ABSENT,
        Some(folder) => {
            FOLDER.clear();
            // An absolute path only: a program may change its working directory before its next file is
            // created.
            if !folder.starts_with(b"/") || !FOLDER.push(folder.iter().copied()) {
                return Place::Bad;
            }
            PRESENT
        }
    };
    KNOWN.store(known, Ordering::Relaxed);
    place()
}
