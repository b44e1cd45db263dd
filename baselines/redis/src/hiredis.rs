//! The functions of hiredis, found in the system's library at run time, and what is read of its
//! structs.
//!
//! Structs are those of `hiredis.h`, whose layout changed once: with 1.0 a reply can be a double, and
//! a connection has a table of functions. The library's name carries the version of its interface;
//! libraries of other names are not looked for, because their structs are not known.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::sync::OnceLock;

use engine::OpenError;
use kit::library::SharedLibrary;
use libc::timeval;

/// `REDIS_OK`.
pub(crate) const OK: c_int = 0;
/// `REDIS_ERR_IO`: `errno` says what happened.
pub(crate) const SYSTEM_ERROR: c_int = 1;

/// Kinds of replies, `REDIS_REPLY_` in `read.h`.
pub(crate) mod kind {
    use std::ffi::c_int;

    pub(crate) const STRING: c_int = 1;
    pub(crate) const INTEGER: c_int = 3;
    pub(crate) const NIL: c_int = 4;
    pub(crate) const STATUS: c_int = 5;
    pub(crate) const ERROR: c_int = 6;
}

/// Which structs a library has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    Before1,
    From1,
}

/// A library: its name, the version in it, its structs.
type Candidate = (&'static str, &'static str, Layout);

/// Debian 12's first.
const CANDIDATES: [Candidate; 5] = [
    ("libhiredis.so.0.14", "0.14", Layout::Before1),
    ("libhiredis.so.1.1.0", "1.1.0", Layout::From1),
    ("libhiredis.so.1.3.0", "1.3.0", Layout::From1),
    ("libhiredis.so.1.2.0", "1.2.0", Layout::From1),
    ("libhiredis.so.1.0.0", "1.0.0", Layout::From1),
];
const PACKAGE: &str = "libhiredis0.14";

/// The beginning of `redisContext` before 1.0.
#[repr(C)]
struct ContextBefore1 {
    error: c_int,
    error_text: [c_char; 128],
}

/// The beginning of `redisContext` from 1.0 on.
#[repr(C)]
struct ContextFrom1 {
    _functions: *const c_void,
    error: c_int,
    error_text: [c_char; 128],
}

/// The beginning of `redisReply` before 1.0.
#[repr(C)]
struct ReplyBefore1 {
    kind: c_int,
    integer: c_longlong,
    length: usize,
    text: *const c_char,
}

/// The beginning of `redisReply` from 1.0 on.
#[repr(C)]
struct ReplyFrom1 {
    kind: c_int,
    integer: c_longlong,
    _double: f64,
    length: usize,
    text: *const c_char,
}

/// What is read of a reply. The text is the reply's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawReply {
    pub(crate) kind: c_int,
    pub(crate) integer: c_longlong,
    pub(crate) length: usize,
    pub(crate) text: *const c_char,
}

/// The functions, each with the types that the headers of all these versions declare.
#[derive(Debug)]
pub(crate) struct Hiredis {
    /// `redisConnectUnixWithTimeout`
    pub(crate) connect: unsafe extern "C" fn(*const c_char, timeval) -> *mut c_void,
    /// `redisConnectWithTimeout`
    pub(crate) connect_host: unsafe extern "C" fn(*const c_char, c_int, timeval) -> *mut c_void,
    /// `redisSetTimeout`
    pub(crate) set_timeout: unsafe extern "C" fn(*mut c_void, timeval) -> c_int,
    /// `redisFree`
    pub(crate) free: unsafe extern "C" fn(*mut c_void),
    /// `redisAppendCommandArgv`
    pub(crate) append:
        unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char, *const usize) -> c_int,
    /// `redisBufferWrite`
    pub(crate) write: unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    /// `redisGetReply`
    pub(crate) get_reply: unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> c_int,
    /// `freeReplyObject`
    pub(crate) free_reply: unsafe extern "C" fn(*mut c_void),
    layout: Layout,
    version: &'static str,
}

/// The library, found once for the process.
///
/// # Errors
/// [`OpenError::Missing`] where it or one of its functions is missing.
pub(crate) fn loaded() -> Result<&'static Hiredis, OpenError> {
    static FOUND: OnceLock<Result<Hiredis, OpenError>> = OnceLock::new();
    FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// The first library that is there; if none is, the error is that of the first name.
fn find() -> Result<Hiredis, OpenError> {
    let mut found = CANDIDATES.into_iter().map(load);
    let first = found.next().expect("there are candidates");
    first.or_else(|error| found.find_map(Result::ok).ok_or(error))
}

fn load((soname, version, layout): Candidate) -> Result<Hiredis, OpenError> {
    let library = SharedLibrary::load(soname, PACKAGE)?;
    Ok(Hiredis {
        // SAFETY: the field has the type that `hiredis.h` declares for the name.
        connect: unsafe { library.function("redisConnectUnixWithTimeout")? },
        // SAFETY: as above.
        connect_host: unsafe { library.function("redisConnectWithTimeout")? },
        // SAFETY: as above.
        set_timeout: unsafe { library.function("redisSetTimeout")? },
        // SAFETY: as above.
        free: unsafe { library.function("redisFree")? },
        // SAFETY: as above.
        append: unsafe { library.function("redisAppendCommandArgv")? },
        // SAFETY: as above.
        write: unsafe { library.function("redisBufferWrite")? },
        // SAFETY: as above.
        get_reply: unsafe { library.function("redisGetReply")? },
        // SAFETY: as above.
        free_reply: unsafe { library.function("freeReplyObject")? },
        layout,
        version,
    })
}

impl Hiredis {
    /// The version of its interface.
    pub(crate) fn version(&self) -> &'static str {
        self.version
    }

    /// What a reply says.
    ///
    /// # Safety
    /// `reply` came from `get_reply` of this library and is not freed yet.
    #[inline]
    pub(crate) unsafe fn read(&self, reply: *const c_void) -> RawReply {
        // SAFETY: a live reply by contract, of this library's layout.
        unsafe { self.layout.read(reply) }
    }

    /// The error of a connection: its kind, 0 for none, and its text.
    ///
    /// # Safety
    /// `context` came from `connect` of this library and is not freed yet.
    pub(crate) unsafe fn error(&self, context: *const c_void) -> (c_int, String) {
        // SAFETY: a live context by contract, of this library's layout.
        unsafe { self.layout.error(context) }
    }
}

impl Layout {
    /// What a reply says.
    ///
    /// # Safety
    /// `reply` is of a library with this layout and is not freed yet.
    #[inline]
    pub(crate) unsafe fn read(self, reply: *const c_void) -> RawReply {
        match self {
            Self::Before1 => {
                // SAFETY: a live reply by contract, which begins with this struct.
                let reply = unsafe { &*reply.cast::<ReplyBefore1>() };
                let &ReplyBefore1 { kind, integer, length, text } = reply;
                RawReply { kind, integer, length, text }
            }
            Self::From1 => {
                // SAFETY: a live reply by contract, which begins with this struct.
                let reply = unsafe { &*reply.cast::<ReplyFrom1>() };
                let &ReplyFrom1 { kind, integer, _double: _, length, text } = reply;
                RawReply { kind, integer, length, text }
            }
        }
    }

    /// The error of a connection: its kind, 0 for none, and its text.
    ///
    /// # Safety
    /// `context` is of a library with this layout and is not freed yet.
    pub(crate) unsafe fn error(self, context: *const c_void) -> (c_int, String) {
        let (error, text) = match self {
            Self::Before1 => {
                // SAFETY: a live context by contract, which begins with this struct.
                let context = unsafe { &*context.cast::<ContextBefore1>() };
                (context.error, &context.error_text)
            }
            Self::From1 => {
                // SAFETY: a live context by contract, which begins with this struct.
                let context = unsafe { &*context.cast::<ContextFrom1>() };
                (context.error, &context.error_text)
            }
        };
        // SAFETY: the library ends every message within its array by a NUL, and an empty one begins
        // with it.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        (error, text.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structs_are_laid_out_as_the_headers_say() {
        assert_eq!(offset_of!(ContextBefore1, error_text), 4);
        assert_eq!(
            (offset_of!(ContextFrom1, error), offset_of!(ContextFrom1, error_text)),
            (8, 12)
        );
        assert_eq!((offset_of!(ReplyBefore1, length), offset_of!(ReplyBefore1, text)), (16, 24));
        assert_eq!((offset_of!(ReplyFrom1, length), offset_of!(ReplyFrom1, text)), (24, 32));
    }

    #[test]
    fn a_library_that_is_missing_is_named_with_its_package() {
        match loaded() {
            Ok(found) => assert!(found.version().starts_with(|first: char| first.is_ascii_digit())),
            Err(error) => assert!(error.to_string().contains(PACKAGE), "{error}"),
        }
    }
}
