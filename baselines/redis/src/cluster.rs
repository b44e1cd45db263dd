//! Connections to all servers of a cluster through libvalkey: it knows which server has a slot, and
//! follows redirections. Replies live and die here: their values are copied out, so that no pointer of
//! libvalkey leaves this module.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{self, NonNull};
use std::time::Duration;

use crate::libvalkey::{self, Libvalkey, Options};
use crate::raw::{Words, copied, time_of};
use crate::reply::Reply;

/// Blocking connections to the servers of a cluster. After an error they can be used on: what broke is
/// connected again.
#[derive(Debug)]
pub struct ClusterConnection {
    libvalkey: &'static Libvalkey,
    /// A context of libvalkey, owned.
    context: NonNull<c_void>,
}

impl ClusterConnection {
    /// Asks some of these servers, `HOST:PORT` each and parted by commas, which server has which slots.
    /// No operation on a server waits longer than `timeout`.
    ///
    /// # Errors
    /// What libvalkey or the system says.
    pub fn open(nodes: &str, timeout: Duration) -> Result<Self, String> {
        let libvalkey = libvalkey::loaded().map_err(|error| error.to_string())?;
        let nodes = CString::new(nodes).map_err(|error| error.to_string())?;
        let timeout = time_of(timeout);
        let options = Options {
            initial_nodes: nodes.as_ptr(),
            options: 0,
            connect_timeout: &raw const timeout,
            command_timeout: &raw const timeout,
            username: ptr::null(),
            password: ptr::null(),
            max_retry: 0,
            select_db: 0,
            callbacks: [ptr::null(); 9],
        };
        // SAFETY: all that the options point to outlives the call, which copies it; null stands for
        // what is not set.
        let context = unsafe { (libvalkey.connect)(&raw const options) };
        let context = NonNull::new(context).ok_or("no memory for a connection")?;
        let cluster = Self { libvalkey, context };
        match cluster.error_and_text() {
            (libvalkey::OK, _) => Ok(cluster),
            (_, text) => Err(text),
        }
    }

    /// Asks the server that has the command's key, wherever it went; copies as many bytes of the reply
    /// as fit into `buffer`.
    ///
    /// # Errors
    /// What went wrong with the connection, or that there were too many redirections.
    ///
    /// # Panics
    /// If the command has more than five words.
    pub fn ask(&mut self, words: &[&[u8]], buffer: &mut [u8]) -> Result<Reply, String> {
        let Words { count, starts, lengths } = Words::of(words);
        // SAFETY: `count` starts with their lengths, all of which outlive the call, which copies them;
        // the context is ours.
        let reply = unsafe {
            (self.libvalkey.command)(
                self.context.as_ptr(),
                count,
                starts.as_ptr(),
                lengths.as_ptr(),
            )
        };
        if reply.is_null() {
            return Err(self.error_and_text().1);
        }
        Ok(self.taken(reply, buffer))
    }

    /// Sends two commands in one piece to the master that, as far as is known, has the slot of a key,
    /// and follows no redirection. Bytes of the first reply go into `buffer`.
    ///
    /// # Errors
    /// What went wrong with the connection.
    ///
    /// # Panics
    /// If a command has more than five words.
    pub fn ask_both(
        &mut self,
        key: &CStr,
        commands: [&[&[u8]]; 2],
        buffer: &mut [u8],
    ) -> Result<[Reply; 2], String> {
        let connection = self.connection_of(key)?;
        for words in commands {
            let Words { count, starts, lengths } = Words::of(words);
            // SAFETY: `count` starts with their lengths, all of which outlive the call, which copies
            // them; the connection lives until the slots are asked for the next time.
            let appended = unsafe {
                (self.libvalkey.append)(connection, count, starts.as_ptr(), lengths.as_ptr())
            };
            if appended != libvalkey::OK {
                return Err(Self::error_of(connection));
            }
        }
        let first = self.reply(connection, buffer)?;
        let second = self.reply(connection, &mut [])?;
        Ok([first, second])
    }

    /// Asks some server which server has which slots.
    ///
    /// # Errors
    /// What went wrong with the last server that was asked.
    pub fn update_slots(&mut self) -> Result<(), String> {
        // SAFETY: the context is ours.
        match unsafe { (self.libvalkey.update_slots)(self.context.as_ptr()) } {
            libvalkey::OK => Ok(()),
            _ => Err(self.error_and_text().1),
        }
    }

    /// The connection to the master of a key's slot, without an error.
    fn connection_of(&self, key: &CStr) -> Result<*mut c_void, String> {
        let context = self.context.as_ptr();
        // SAFETY: the context is ours, and the key outlives the call, which reads it to its NUL.
        let node = unsafe { (self.libvalkey.node_of_key)(context, key.as_ptr()) };
        if node.is_null() {
            return Err(self.error_and_text().1);
        }
        // SAFETY: the context is ours, and the node its own: nothing was asked in between.
        let connection = unsafe { (self.libvalkey.connection_of)(context, node) };
        if connection.is_null() {
            return Err(self.error_and_text().1);
        }
        // SAFETY: a connection of this context, which lives until its slots are asked for.
        match unsafe { libvalkey::error_of_connection(connection) } {
            (libvalkey::OK, _) => Ok(connection),
            (_, text) => Err(text),
        }
    }

    fn reply(&self, connection: *mut c_void, buffer: &mut [u8]) -> Result<Reply, String> {
        let mut reply: *mut c_void = ptr::null_mut();
        // SAFETY: the connection lives, and `reply` outlives the call.
        let got = unsafe { (self.libvalkey.get_reply)(connection, &raw mut reply) };
        match got == libvalkey::OK && !reply.is_null() {
            true => Ok(self.taken(reply, buffer)),
            false => Err(Self::error_of(connection)),
        }
    }

    /// What a reply says; then it is freed.
    fn taken(&self, reply: *mut c_void, buffer: &mut [u8]) -> Reply {
        // SAFETY: a reply of this library, freed below.
        let raw = unsafe { libvalkey::read(reply) };
        // SAFETY: as it came from the library, and not freed yet.
        let answer = unsafe { copied(raw, buffer) };
        // SAFETY: our reply, freed once and not used afterwards.
        unsafe { (self.libvalkey.free_reply)(reply) };
        answer
    }

    fn error_and_text(&self) -> (i32, String) {
        // SAFETY: the context is ours.
        unsafe { libvalkey::error_of_cluster(self.context.as_ptr()) }
    }

    fn error_of(connection: *mut c_void) -> String {
        // SAFETY: callers pass connections of their context that they have just used.
        unsafe { libvalkey::error_of_connection(connection) }.1
    }
}

impl Drop for ClusterConnection {
    fn drop(&mut self) {
        // SAFETY: the context is owned and not used afterwards.
        unsafe { (self.libvalkey.free)(self.context.as_ptr()) }
    }
}
