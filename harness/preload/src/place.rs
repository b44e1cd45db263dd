//! Where recordings go: the folder that the environment names.

use core::sync::atomic::{AtomicU8, Ordering};

use crate::system;
use crate::text::Text;

pub(crate) const PATH_BYTES: usize = 4096;

/// The folder's variable. Its value is kept, as programs clear their environment before they make
/// copies of themselves.
const VARIABLE: &core::ffi::CStr = c"NIBBLE_PRELOAD_FOLDER";

static FOLDER: Text<PATH_BYTES> = Text::new();
static KNOWN: AtomicU8 = AtomicU8::new(UNREAD);

const UNREAD: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

/// What the environment says.
pub(crate) enum Place {
    /// The C library has not begun; ask again.
    NotYet,
    /// Nothing is to be recorded.
    Nowhere,
    /// The folder's path, which begins with `/`.
    Folder(&'static Text<PATH_BYTES>),
    /// What it names cannot be a folder's path.
    Bad,
}

/// Called by the one thread that begins a recording.
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
            // A program may go to another folder before its next file is made.
            if !folder.starts_with(b"/") || !FOLDER.push(folder.iter().copied()) {
                return Place::Bad;
            }
            PRESENT
        }
    };
    KNOWN.store(known, Ordering::Relaxed);
    place()
}
