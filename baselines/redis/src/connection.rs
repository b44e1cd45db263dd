//! A connection to one server through hiredis and the shim (`shim.c`): the crate's only unsafe
//! code.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_longlong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::time::Duration;

use crate::reply::Reply;

/// The most parts of a command.
const PARTS_MAX: usize = 4;
/// Room for the text of an error.
const ERROR_BYTES: usize = 256;

/// `struct nibble_reply`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawReply {
    kind: c_int,
    integer: c_longlong,
    length: usize,
}

unsafe extern "C" {
    fn nibble_hiredis_connect(
        path: *const c_char,
        timeout_ms: c_long,
        error: *mut c_char,
        error_bytes: usize,
    ) -> *mut c_void;
    fn nibble_hiredis_close(connection: *mut c_void);
    fn nibble_hiredis_append(
        connection: *mut c_void,
        parts: c_int,
        starts: *const *const c_char,
        lengths: *const usize,
    ) -> c_int;
    fn nibble_hiredis_flush(connection: *mut c_void) -> c_int;
    fn nibble_hiredis_reply(
        connection: *mut c_void,
        buffer: *mut c_char,
        buffer_bytes: usize,
    ) -> RawReply;
    fn nibble_hiredis_error(connection: *mut c_void, error: *mut c_char, error_bytes: usize);
    fn nibble_hiredis_version() -> *const c_char;
}

/// The version of hiredis that the shim was compiled with; `None` if there is no shim.
pub(crate) fn version() -> Option<String> {
    // SAFETY: returns a constant.
    let text = unsafe { nibble_hiredis_version() };
    // SAFETY: a string constant, NUL-terminated.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// A blocking connection. After an error it returns only errors. A server that is gone is such an
/// error, because Rust programs ignore SIGPIPE.
#[derive(Debug)]
pub(crate) struct Connection {
    /// A context of hiredis, owned.
    context: NonNull<c_void>,
}

impl Connection {
    /// Connects to the socket at `path`. No operation waits longer than `timeout`.
    ///
    /// # Errors
    /// The system's message.
    pub(crate) fn open(path: &Path, timeout: Duration) -> Result<Self, String> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let timeout_ms = c_long::try_from(timeout.as_millis()).unwrap_or(c_long::MAX);
        let mut error = [0; ERROR_BYTES];
        // SAFETY: a NUL-terminated path, and a place of the length stated for the error.
        let context = unsafe {
            nibble_hiredis_connect(
                path.as_ptr(),
                timeout_ms,
                error.as_mut_ptr().cast(),
                ERROR_BYTES,
            )
        };
        match NonNull::new(context) {
            Some(context) => Ok(Self { context }),
            None => Err(text(&error)),
        }
    }

    /// Queues a command of at most four parts.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub(crate) fn append(&mut self, parts: &[&[u8]]) -> Result<(), String> {
        assert!(parts.len() <= PARTS_MAX, "a command of at most {PARTS_MAX} parts");
        let (mut starts, mut lengths) = ([std::ptr::null(); PARTS_MAX], [0; PARTS_MAX]);
        for ((part, start), length) in parts.iter().zip(&mut starts).zip(&mut lengths) {
            *start = part.as_ptr().cast();
            *length = part.len();
        }
        // SAFETY: `parts.len()` starts with their lengths, all of which outlive the call, which
        // copies them.
        let appended = unsafe {
            nibble_hiredis_append(
                self.context.as_ptr(),
                parts.len() as c_int,
                starts.as_ptr(),
                lengths.as_ptr(),
            )
        };
        if appended == 0 { Err(self.error()) } else { Ok(()) }
    }

    /// Sends the queued commands, so that several servers can work at once.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<(), String> {
        // SAFETY: the context is this connection's own.
        if unsafe { nibble_hiredis_flush(self.context.as_ptr()) } == 0 {
            return Err(self.error());
        }
        Ok(())
    }

    /// Waits for the next reply; copies as many of its bytes as fit into `buffer`.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub(crate) fn reply(&mut self, buffer: &mut [u8]) -> Result<Reply, String> {
        // SAFETY: the context is this connection's own, and the buffer has the length stated.
        let raw = unsafe {
            nibble_hiredis_reply(self.context.as_ptr(), buffer.as_mut_ptr().cast(), buffer.len())
        };
        // `enum nibble_kind`.
        Ok(match raw.kind {
            0 => return Err(self.error()),
            1 => Reply::Nil,
            2 => Reply::Integer(raw.integer),
            3 => Reply::Bytes(raw.length),
            4 => Reply::Status,
            5 => Reply::Error(raw.length),
            _ => Reply::Other,
        })
    }

    fn error(&self) -> String {
        let mut error = [0; ERROR_BYTES];
        // SAFETY: the context is this connection's own; a place of the length stated.
        unsafe {
            nibble_hiredis_error(self.context.as_ptr(), error.as_mut_ptr().cast(), ERROR_BYTES);
        }
        text(&error)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the context is owned and not used afterwards.
        unsafe { nibble_hiredis_close(self.context.as_ptr()) }
    }
}

/// The text before the terminating NUL.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
