//! One thread's connections, and the operations over them.

use engine::{DeleteOutcome, GetError, KvSession, Op, Outcome, PutError, PutOutcome, ValueBuffers};

use crate::connection::Connection;
use crate::reply::{Reply, is_out_of_memory};
use crate::store::RedisServers;

/// The longest value: the servers' default `proto-max-bulk-len`.
pub(crate) const VALUE_BYTES_MAX: usize = 512 << 20;
/// Room for the text of a refusal.
const REFUSAL_BYTES: usize = 128;

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

impl<'engine> RedisSession<'engine> {
    pub(crate) fn new(store: &'engine RedisServers, connections: Box<[Connection]>) -> Self {
        Self { store, connections, ask_presence: store.config().ask_presence }
    }

    /// The server of a key: every bit of the mixed key counts, and no division is needed.
    #[inline]
    fn server_of(&self, key: u64) -> usize {
        ((u128::from(mix(key)) * self.connections.len() as u128) >> 64) as usize
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
    fn append_get(&mut self, server: usize, key: u64) {
        self.append(server, &[b"GET", &key.to_le_bytes()]);
    }

    #[inline]
    fn append_delete(&mut self, server: usize, key: u64) {
        self.append(server, &[b"DEL", &key.to_le_bytes()]);
    }

    #[inline]
    fn append_put(&mut self, server: usize, key: u64, value: &[u8]) {
        let key = key.to_le_bytes();
        if self.ask_presence {
            self.append(server, &[b"EXISTS", &key]);
        }
        self.append(server, &[b"SET", &key, value]);
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

impl KvSession for RedisSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let server = self.server_of(key);
        self.append_get(server, key);
        self.take_get(server, buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        if value.len() > VALUE_BYTES_MAX {
            let (value_bytes, limit_bytes) = (value.len(), VALUE_BYTES_MAX);
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let server = self.server_of(key);
        self.append_put(server, key, value);
        Ok(self.take_put(server))
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        let server = self.server_of(key);
        self.append_delete(server, key);
        self.take_delete(server)
    }

    /// One pipeline per server: all commands are sent before the first reply is awaited. A server
    /// executes its commands in order, and each key belongs to one server.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        for operation in operations {
            match *operation {
                Op::Get { key } => self.append_get(self.server_of(key), key),
                Op::Put { key, value } if value.len() <= VALUE_BYTES_MAX => {
                    self.append_put(self.server_of(key), key, value);
                }
                Op::Put { .. } => {}
                Op::Delete { key } => self.append_delete(self.server_of(key), key),
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
                    Outcome::of_get(self.take_get(self.server_of(key), values.slot(index)))
                }
                Op::Put { key, value } if value.len() <= VALUE_BYTES_MAX => {
                    Outcome::Put(self.take_put(self.server_of(key)))
                }
                Op::Put { .. } => Outcome::ValueTooLarge,
                Op::Delete { key } => Outcome::Deleted(self.take_delete(self.server_of(key))),
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

/// Folds the 128-bit product of key and factor: every bit of the result depends on many bits of
/// the key.
#[inline]
fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_key_patterns_spread_over_the_high_bits() {
        for stride in [1_u64, 8, 4096, 1 << 32, 1 << 48, 0x1_0001] {
            let mut counts = [0_u32; 16];
            (0..16_384_u64).for_each(|key| {
                counts[(mix(key.wrapping_mul(stride)) >> 60) as usize] += 1;
            });
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 768 && *most < 1280, "{stride:#x}: {least}..{most}");
        }
    }
}
