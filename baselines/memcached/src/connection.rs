//! A connection to the server: commands are queued and sent together, replies received line by line
//! and value by value.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::protocol::LINE_END;

/// Bytes received at once, at most, unless they go right into a value's place. No line is longer.
const RECEIVED_BYTES: usize = 16 << 10;
/// Bytes of the queue that are kept for the next commands.
const QUEUE_KEPT_BYTES: usize = 128 << 10;

/// A blocking connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    /// Commands that are not sent yet.
    queue: Vec<u8>,
    received: Box<[u8]>,
    /// What is received and not taken yet.
    unread: Range<usize>,
}

impl Connection {
    /// Connects to the socket at `path`. No operation waits longer than `timeout`.
    ///
    /// # Errors
    /// The system's message.
    pub(crate) fn open(path: &Path, timeout: Duration) -> Result<Self, String> {
        let open = || -> io::Result<UnixStream> {
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            Ok(stream)
        };
        Ok(Self {
            stream: open().map_err(told)?,
            queue: Vec::new(),
            received: vec![0_u8; RECEIVED_BYTES].into_boxed_slice(),
            unread: 0..0,
        })
    }

    /// Where commands are appended.
    #[inline]
    pub(crate) fn queue(&mut self) -> &mut Vec<u8> {
        &mut self.queue
    }

    /// Sends the queued commands.
    ///
    /// # Errors
    /// The system's message.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<(), String> {
        self.stream.write_all(&self.queue).map_err(told)?;
        self.queue.clear();
        // A long value leaves no long buffer behind: it would count as the store's memory.
        if self.queue.capacity() > QUEUE_KEPT_BYTES {
            self.queue.shrink_to(QUEUE_KEPT_BYTES);
        }
        Ok(())
    }

    /// Takes the next line, without its end.
    ///
    /// # Errors
    /// The system's message, or what is wrong with the line.
    #[inline]
    pub(crate) fn line(&mut self) -> Result<&[u8], String> {
        let mut searched = 0;
        loop {
            let unread = &self.received[self.unread.clone()];
            if let Some(at) = unread[searched..].iter().position(|&byte| byte == b'\n') {
                let start = self.unread.start;
                let end = start + searched + at;
                self.unread.start = end + 1;
                let line = &self.received[start..end];
                return Ok(line.strip_suffix(b"\r").unwrap_or(line));
            }
            searched = unread.len();
            self.receive()?;
        }
    }

    /// Takes a value of `bytes` and the end of its line; copies as much of it as fits into `place`.
    ///
    /// # Errors
    /// The system's message.
    #[inline]
    pub(crate) fn value(&mut self, bytes: usize, place: &mut [u8]) -> Result<(), String> {
        let wanted = bytes.min(place.len());
        let here = wanted.min(self.unread.len());
        let start = self.unread.start;
        place[..here].copy_from_slice(&self.received[start..start + here]);
        self.unread.start += here;
        if here < wanted {
            self.stream.read_exact(&mut place[here..wanted]).map_err(told)?;
        }
        self.skip(bytes - wanted + LINE_END.len())
    }

    fn skip(&mut self, mut bytes: usize) -> Result<(), String> {
        loop {
            let here = bytes.min(self.unread.len());
            self.unread.start += here;
            bytes -= here;
            if bytes == 0 {
                return Ok(());
            }
            self.receive()?;
        }
    }

    /// Receives more, after what is there.
    fn receive(&mut self) -> Result<(), String> {
        if self.unread.is_empty() {
            self.unread = 0..0;
        } else if self.unread.end == self.received.len() {
            if self.unread.start == 0 {
                return Err(format!("a line of more than {RECEIVED_BYTES} bytes"));
            }
            self.received.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        let end = self.unread.end;
        match self.stream.read(&mut self.received[end..]) {
            Ok(0) => Err("the connection is closed".to_owned()),
            Ok(bytes) => {
                self.unread.end += bytes;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(told(error)),
        }
    }
}

#[cold]
fn told(error: io::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection whose other end is the test's.
    fn pair() -> (Connection, UnixStream) {
        let (stream, other) = UnixStream::pair().unwrap();
        let received = vec![0_u8; RECEIVED_BYTES].into_boxed_slice();
        (Connection { stream, queue: Vec::new(), received, unread: 0..0 }, other)
    }

    #[test]
    fn lines_and_values_come_back_however_they_are_cut() {
        let long: Vec<u8> = (0..40_000_u32).map(|at| at as u8).collect();
        let mut sent = b"VA 40000\r\n".to_vec();
        sent.extend(&long);
        sent.extend(b"\r\nHD\r\nVA 2\r\n\r\n\r\nEN\r\n");
        for part in [1, 7, 4096, sent.len()] {
            let (mut connection, mut other) = pair();
            std::thread::scope(|scope| {
                scope.spawn(|| sent.chunks(part).for_each(|part| other.write_all(part).unwrap()));
                assert_eq!(connection.line().unwrap(), b"VA 40000");
                let mut place = vec![0; 40_000];
                connection.value(40_000, &mut place).unwrap();
                assert!(place == long, "in parts of {part}");
                assert_eq!(connection.line().unwrap(), b"HD");
                assert_eq!(connection.line().unwrap(), b"VA 2");
                let mut place = [0; 2];
                connection.value(2, &mut place).unwrap();
                assert_eq!(&place, b"\r\n", "a value may look like the end of a line");
                assert_eq!(connection.line().unwrap(), b"EN");
            });
        }
    }

    #[test]
    fn what_does_not_fit_is_skipped() {
        let (mut connection, mut other) = pair();
        other.write_all(b"VA 5\r\nvalue\r\nEN\r\n").unwrap();
        assert_eq!(connection.line().unwrap(), b"VA 5");
        let mut place = [0; 2];
        connection.value(5, &mut place).unwrap();
        assert_eq!(&place, b"va");
        assert_eq!(connection.line().unwrap(), b"EN");
    }

    #[test]
    fn a_line_without_end_and_a_closed_connection_are_errors() {
        let (mut connection, mut other) = pair();
        other.write_all(&vec![b'x'; RECEIVED_BYTES]).unwrap();
        assert!(connection.line().unwrap_err().contains("a line of more than"));
        let (mut connection, other) = pair();
        drop(other);
        assert_eq!(connection.line().unwrap_err(), "the connection is closed");
    }

    #[test]
    fn a_long_command_leaves_no_long_queue() {
        let (mut connection, mut other) = pair();
        let reader = std::thread::spawn(move || io::copy(&mut other, &mut io::sink()).unwrap());
        connection.queue().extend(vec![1; 1 << 20]);
        connection.flush().unwrap();
        assert!(connection.queue().capacity() < 1 << 20);
        drop(connection);
        assert_eq!(reader.join().unwrap(), 1 << 20);
    }
}
