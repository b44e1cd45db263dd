//! A connection to one server through hiredis. Replies live and die here: their values are copied
//! out, so that no pointer of hiredis leaves this module.

use std::ffi::{CString, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::time::{Duration, Instant};

use crate::hiredis::{self, Hiredis};
use crate::raw::{Words, copied, time_of};
use crate::reply::Reply;

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

    /// Queues a command of at most five parts.
    ///
    /// # Errors
    /// What went wrong with the connection.
    ///
    /// # Panics
    /// If there are more parts.
    #[inline]
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<(), String> {
        let Words { count, starts, lengths } = Words::of(parts);
        // SAFETY: `count` starts with their lengths, all of which outlive the call, which copies
        // them; the context is this connection's own.
        let appended = unsafe {
            (self.hiredis.append)(self.context.as_ptr(), count, starts.as_ptr(), lengths.as_ptr())
        };
        if appended == hiredis::OK { Ok(()) } else { Err(self.error()) }
    }

    /// Sends the queued commands, so that several servers can work at once.
    ///
    /// # Errors
    /// What went wrong with the connection.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<(), String> {
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
        // SAFETY: as it came from the library, and not freed yet.
        let answer = unsafe { copied(raw, buffer) };
        // SAFETY: our reply, freed once and not used afterwards.
        unsafe { (self.hiredis.free_reply)(reply) };
        Ok(answer)
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
