//! One thread's connections, and the operations over them.

use std::io::Write as _;
use std::time::Duration;

use engine::{
    Decide, DeleteOutcome, GetError, KvEngine, Op, Outcome, PutError, PutOutcome, ValueBuffers,
};
use kit::key::{Bytes, Key, Operations, get_then_put};

use crate::connection::Connection;
use crate::reply::{Reply, is_out_of_memory};
use crate::store::RedisServers;

/// The longest value: the servers' default `proto-max-bulk-len`.
pub(crate) const VALUE_BYTES_MAX: usize = 512 << 20;
/// The longest lifetime: about 1000 years. The servers refuse what ends beyond a signed 64-bit count of
/// milliseconds.
const LIFETIME_MS_MAX: u64 = 1 << 45;
/// Room for the text of a refusal.
const REFUSAL_BYTES: usize = 128;

/// A key as servers are sent it: a word as its eight bytes in the order of this machine's, a byte string as
/// it is.
pub trait Sent: Key {
    /// Its bytes.
    type Form<'k>: AsRef<[u8]>;

    fn form<'a>(asked: &'a Self::Asked<'_>) -> Self::Form<'a>;
}

impl Sent for u64 {
    type Form<'k> = [u8; 8];

    #[inline]
    fn form(asked: &Self) -> [u8; 8] {
        asked.to_le_bytes()
    }
}

impl Sent for Bytes {
    type Form<'k> = &'k [u8];

    #[inline]
    fn form<'a>(asked: &'a &[u8]) -> &'a [u8] {
        asked
    }
}

/// One thread's use of [`RedisServers`]: a connection to each server.
#[derive(Debug)]
pub struct RedisSession<'engine> {
    store: &'engine RedisServers,
    connections: Box<[Connection]>,
    ask_presence: bool,
}

/// Ends an operation whose server is gone. The contract has no error for it, and continuing would
/// measure something else.
#[cold]
pub(crate) fn lost(fate: &str) -> ! {
    panic!("{fate}")
}

#[inline]
fn check_length(value: &[u8]) -> Result<(), PutError> {
    let (value_bytes, limit_bytes) = (value.len(), VALUE_BYTES_MAX);
    if value_bytes > limit_bytes {
        return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
    }
    Ok(())
}

impl<'engine> RedisSession<'engine> {
    pub(crate) fn new(store: &'engine RedisServers, connections: Box<[Connection]>) -> Self {
        Self { store, connections, ask_presence: store.config().ask_presence }
    }

    /// The server of a key: every bit of the mixed key counts, and no division is needed.
    #[inline]
    fn server_of<K: Sent>(&self, key: K::Asked<'_>) -> usize {
        ((u128::from(K::hashed(key)) * self.connections.len() as u128) >> 64) as usize
    }

    #[inline]
    fn append(&mut self, server: usize, parts: &[&[u8]]) {
        if let Err(error) = self.connections[server].append(parts) {
            lost(&self.store.server(server).fate(&error));
        }
    }

    #[inline]
    fn reply(&mut self, server: usize, buffer: &mut [u8]) -> Reply {
        match self.connections[server].reply(buffer) {
            Ok(reply) => reply,
            Err(error) => lost(&self.store.server(server).fate(&error)),
        }
    }

    #[inline]
    fn append_get<K: Sent>(&mut self, server: usize, key: K::Asked<'_>) {
        self.append(server, &[b"GET", K::form(&key).as_ref()]);
    }

    #[inline]
    fn append_delete<K: Sent>(&mut self, server: usize, key: K::Asked<'_>) {
        self.append(server, &[b"DEL", K::form(&key).as_ref()]);
    }

    #[inline]
    fn append_put<K: Sent>(&mut self, server: usize, key: K::Asked<'_>, value: &[u8]) {
        let key = K::form(&key);
        if self.ask_presence {
            self.append(server, &[b"EXISTS", key.as_ref()]);
        }
        self.append(server, &[b"SET", key.as_ref(), value]);
    }

    /// As [`Self::append_put`], of an object that ends.
    fn append_put_for<K: Sent>(
        &mut self,
        server: usize,
        key: K::Asked<'_>,
        value: &[u8],
        milliseconds: u64,
    ) {
        let key = K::form(&key);
        if self.ask_presence {
            self.append(server, &[b"EXISTS", key.as_ref()]);
        }
        let mut digits = [0; 20];
        let mut rest = &mut digits[..];
        write!(rest, "{milliseconds}").expect("room for the longest number");
        let unused = rest.len();
        let digits = &digits[..digits.len() - unused];
        self.append(server, &[b"SET", key.as_ref(), value, b"PX", digits]);
    }

    #[inline]
    fn take_get(&mut self, server: usize, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        match self.reply(server, buffer) {
            Reply::Bytes(value_bytes) if value_bytes <= buffer.len() => Ok(Some(value_bytes)),
            Reply::Nil => Ok(None),
            Reply::Bytes(value_bytes) => {
                Err(GetError::BufferTooShort { value_bytes, buffer_bytes: buffer.len() })
            }
            other => unexpected("GET", other, buffer),
        }
    }

    #[inline]
    fn take_delete(&mut self, server: usize) -> DeleteOutcome {
        let mut refusal = [0; REFUSAL_BYTES];
        match self.reply(server, &mut refusal) {
            Reply::Integer(deleted) => DeleteOutcome::told(deleted > 0),
            other => unexpected("DEL", other, &refusal),
        }
    }

    #[inline]
    fn take_put(&mut self, server: usize) -> PutOutcome {
        let mut refusal = [0; REFUSAL_BYTES];
        let known = self.ask_presence
            && match self.reply(server, &mut refusal) {
                Reply::Integer(keys) => keys > 0,
                other => unexpected("EXISTS", other, &refusal),
            };
        match self.reply(server, &mut refusal) {
            Reply::Status if !self.ask_presence => PutOutcome::Stored,
            Reply::Status if known => PutOutcome::Updated,
            Reply::Status => PutOutcome::Inserted,
            Reply::Error(_) if is_out_of_memory(&refusal) => PutOutcome::Full,
            other => unexpected("SET", other, &refusal),
        }
    }
}

impl<K: Sent> Operations<K> for RedisSession<'_> {
    #[inline]
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let server = self.server_of::<K>(key);
        self.append_get::<K>(server, key);
        self.take_get(server, buffer)
    }

    #[inline]
    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        check_length(value)?;
        let server = self.server_of::<K>(key);
        self.append_put::<K>(server, key, value);
        Ok(self.take_put(server))
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        get_then_put::<K, _>(self, key, decide)
    }

    fn put_for(
        &mut self,
        key: K::Asked<'_>,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        check_length(value)?;
        let Some(milliseconds) = RedisServers::TRAITS.expiry.units(lifetime) else {
            return Ok(None);
        };
        let server = self.server_of::<K>(key);
        self.append_put_for::<K>(server, key, value, milliseconds.min(LIFETIME_MS_MAX));
        Ok(Some(self.take_put(server)))
    }

    #[inline]
    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        let server = self.server_of::<K>(key);
        self.append_delete::<K>(server, key);
        self.take_delete(server)
    }

    /// One pipeline per server: all commands are sent before the first reply is awaited. A server
    /// executes its commands in order, and each key belongs to one server.
    fn execute(
        &mut self,
        operations: &[Op<'_, K::Asked<'_>>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        for operation in operations {
            match *operation {
                Op::Get { key } => self.append_get::<K>(self.server_of::<K>(key), key),
                Op::Put { key, value } if value.len() <= VALUE_BYTES_MAX => {
                    self.append_put::<K>(self.server_of::<K>(key), key, value);
                }
                Op::Put { .. } => {}
                Op::Delete { key } => self.append_delete::<K>(self.server_of::<K>(key), key),
            }
        }
        for server in 0..self.connections.len() {
            if let Err(error) = self.connections[server].flush() {
                lost(&self.store.server(server).fate(&error));
            }
        }
        for (index, (operation, outcome)) in operations.iter().zip(outcomes).enumerate() {
            *outcome = match *operation {
                Op::Get { key } => {
                    Outcome::of_get(self.take_get(self.server_of::<K>(key), values.slot(index)))
                }
                Op::Put { key, value } if value.len() <= VALUE_BYTES_MAX => {
                    Outcome::Put(self.take_put(self.server_of::<K>(key)))
                }
                Op::Put { .. } => Outcome::ValueTooLarge,
                Op::Delete { key } => Outcome::Deleted(self.take_delete(self.server_of::<K>(key))),
            };
        }
    }
}

/// Panics on a reply that a working server does not send: a bug, here or there.
#[cold]
fn unexpected(command: &str, reply: Reply, text: &[u8]) -> ! {
    let text = match reply {
        Reply::Error(bytes) => String::from_utf8_lossy(&text[..bytes.min(text.len())]),
        _ => "".into(),
    };
    panic!("a server answers {command} with {reply:?}: {text}")
}
