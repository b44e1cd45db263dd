//! A connection to one server through hiredis. Replies live and die here: their values are copied
//! out, so that no pointer of hiredis leaves this module.

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use libc::timeval;

use crate::hiredis::{self, Hiredis, RawReply, kind};
use crate::reply::Reply;

/// The most parts of a command.
const PARTS_MAX: usize = 4;
/// Time between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(2);

/// A blocking connection. After an error it returns only errors. A server that is gone is such an
/// error, because Rust programs ignore SIGPIPE.
#[derive(Debug)]
pub struct Connection {
    hiredis: &'static Hiredis,
    /// A context of hiredis, owned.
    context: NonNull<c_void>,
}

impl Connection {
    /// Connects to a port of a host. No operation waits longer than `timeout`.
    ///
    /// # Errors
    /// What hiredis or the system says.
    pub fn open_host(host: &str, port: u16, timeout: Duration) -> Result<Self, String> {
        let hiredis = hiredis::loaded().map_err(|error| error.to_string())?;
        let host = CString::new(host).map_err(|error| error.to_string())?;
        // SAFETY: a NUL-terminated name that outlives the call.
        let context =
            unsafe { (hiredis.connect_host)(host.as_ptr(), port.into(), time_of(timeout)) };
        let context = NonNull::new(context).ok_or("no memory for a connection")?;
        let connection = Self { hiredis, context };
        match connection.error_and_text() {
            (hiredis::OK, _) => connection.with_timeout(timeout),
            (_, text) => Err(text),
        }
    }

    /// Connects to the socket at `path`. No operation waits longer than `timeout`.
    ///
    /// # Errors
    /// What hiredis or the system says.
    pub(crate) fn open(path: &Path, timeout: Duration) -> Result<Self, String> {
        let hiredis = hiredis::loaded().map_err(|error| error.to_string())?;
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).max(PAUSE);
            // SAFETY: a NUL-terminated path that outlives the call.
            let context = unsafe { (hiredis.connect)(path.as_ptr(), time_of(left)) };
            // What `errno` says of the attempt, before another call overwrites it.
            let system_error = io::Error::last_os_error();
            let Some(context) = NonNull::new(context) else {
                return Err("no memory for a connection".to_owned());
            };
            let connection = Self { hiredis, context };
            let (error, text) = connection.error_and_text();
            if error == hiredis::OK {
                return connection.with_timeout(timeout);
            }
            // The server's queue of connections is full: it has not had time to accept them.
            let queue_is_full =
                error == hiredis::SYSTEM_ERROR && system_error.raw_os_error() == Some(libc::EAGAIN);
            if !queue_is_full || Instant::now() > deadline {
                return Err(text);
            }
            drop(connection);
            std::thread::sleep(PAUSE);
        }
    }

    fn with_timeout(self, timeout: Duration) -> Result<Self, String> {
        // SAFETY: the context is this connection's own.
        let set = unsafe { (self.hiredis.set_timeout)(self.context.as_ptr(), time_of(timeout)) };
        if set == hiredis::OK { Ok(self) } else { Err(self.error()) }
    }

    /// Queues a command of at most four parts.
    ///
    /// # Errors
    /// What went wrong with the connection.
    ///
    /// # Panics
    /// If there are more parts.
    #[inline]
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<(), String> {
        assert!(parts.len() <= PARTS_MAX, "a command of at most {PARTS_MAX} parts");
        let (mut starts, mut lengths) = ([ptr::null::<c_char>(); PARTS_MAX], [0; PARTS_MAX]);
        for ((part, start), length) in parts.iter().zip(&mut starts).zip(&mut lengths) {
            *start = part.as_ptr().cast();
            *length = part.len();
        }
        // SAFETY: `parts.len()` starts with their lengths, all of which outlive the call, which
        // copies them; the context is this connection's own.
        let appended = unsafe {
            (self.hiredis.append)(
                self.context.as_ptr(),
                parts.len() as c_int,
                starts.as_ptr(),
                lengths.as_ptr(),
            )
        };
        if appended == hiredis::OK { Ok(()) } else { Err(self.error()) }
    }

    /// Sends the queued commands, so that several servers can work at once.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub fn flush(&mut self) -> Result<(), String> {
        let mut done: c_int = 0;
        while done == 0 {
            // SAFETY: the context is this connection's own, and `done` outlives the call.
            let written = unsafe { (self.hiredis.write)(self.context.as_ptr(), &raw mut done) };
            if written != hiredis::OK {
                return Err(self.error());
            }
        }
        Ok(())
    }

    /// Sends what is still queued and waits for the next reply; copies as many of its bytes as fit
    /// into `buffer`.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub fn reply(&mut self, buffer: &mut [u8]) -> Result<Reply, String> {
        let mut reply: *mut c_void = ptr::null_mut();
        // SAFETY: the context is this connection's own, and `reply` outlives the call.
        let got = unsafe { (self.hiredis.get_reply)(self.context.as_ptr(), &raw mut reply) };
        if got != hiredis::OK || reply.is_null() {
            return Err(self.error());
        }
        // SAFETY: a reply of this library, freed below.
        let raw = unsafe { self.hiredis.read(reply) };
        if matches!(raw.kind, kind::STRING | kind::STATUS | kind::ERROR) {
            // SAFETY: a reply of these kinds has a text of `length` bytes, which lives until the
            // reply is freed, and which nobody changes.
            unsafe { copy_text(raw, buffer) };
        }
        // SAFETY: our reply, freed once and not used afterwards.
        unsafe { (self.hiredis.free_reply)(reply) };
        Ok(match raw.kind {
            kind::NIL => Reply::Nil,
            kind::INTEGER => Reply::Integer(raw.integer),
            kind::STRING => Reply::Bytes(raw.length),
            kind::STATUS => Reply::Status,
            kind::ERROR => Reply::Error(raw.length),
            _ => Reply::Other,
        })
    }

    fn error(&self) -> String {
        self.error_and_text().1
    }

    fn error_and_text(&self) -> (c_int, String) {
        // SAFETY: the context is this connection's own.
        unsafe { self.hiredis.error(self.context.as_ptr()) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the context is owned and not used afterwards.
        unsafe { (self.hiredis.free)(self.context.as_ptr()) }
    }
}

/// Copies as much of a reply's text as fits.
///
/// # Safety
/// The text has `length` bytes that nobody changes during the call.
#[inline]
unsafe fn copy_text(raw: RawReply, buffer: &mut [u8]) {
    if raw.length == 0 || raw.text.is_null() {
        return;
    }
    // SAFETY: by contract, and not null.
    let text = unsafe { std::slice::from_raw_parts(raw.text.cast::<u8>(), raw.length) };
    let copied = text.len().min(buffer.len());
    buffer[..copied].copy_from_slice(&text[..copied]);
}

fn time_of(duration: Duration) -> timeval {
    timeval {
        tv_sec: duration.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_usec: duration.subsec_micros().into(),
    }
}
