//! One thread's connection, and the operations over it.

use std::ops::Range;
use std::time::Duration;

use engine::{
    Decide, DeleteOutcome, GetError, KvEngine, Op, Outcome, PutError, PutOutcome, ValueBuffers,
};
use kit::key::{Operations, get_then_put};

use crate::connection::Connection;
use crate::protocol::{self, KEY_BYTES_MAX, Lettered, Reply};
use crate::store::Memcached;

/// The longest value: an item of 1 MiB, the server's default, less its header and its key.
pub const VALUE_BYTES_MAX: usize = (1 << 20) - 512;
/// Bytes that are on their way at once, at most. A server that nobody reads from stops reading; so
/// much it need not read for a write to end.
const PIPELINE_BYTES_MAX: usize = 96 << 10;

/// One thread's use of [`Memcached`].
#[derive(Debug)]
pub struct MemcachedSession<'engine> {
    store: &'engine Memcached,
    connection: Connection,
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

impl<'engine> MemcachedSession<'engine> {
    pub(crate) fn new(store: &'engine Memcached, connection: Connection) -> Self {
        Self { store, connection, ask_presence: store.config().ask_presence }
    }

    #[inline]
    fn flush(&mut self) {
        if let Err(error) = self.connection.flush() {
            lost(&self.store.fate(&error));
        }
    }

    #[inline]
    fn reply(&mut self) -> Reply {
        match self.connection.line() {
            Ok(line) => Reply::parse(line),
            Err(error) => lost(&self.store.fate(&error)),
        }
    }

    #[inline]
    fn queue_put<K: Lettered>(&mut self, key: K::Asked<'_>, value: &[u8]) {
        if self.ask_presence {
            protocol::ask::<K>(self.connection.queue(), key);
        }
        protocol::put::<K>(self.connection.queue(), key, value);
    }

    #[inline]
    fn take_get(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        match self.reply() {
            Reply::Value(value_bytes) => {
                if let Err(error) = self.connection.value(value_bytes, buffer) {
                    lost(&self.store.fate(&error));
                }
                let buffer_bytes = buffer.len();
                if value_bytes <= buffer_bytes {
                    Ok(Some(value_bytes))
                } else {
                    Err(GetError::BufferTooShort { value_bytes, buffer_bytes })
                }
            }
            Reply::Absent => Ok(None),
            other => unexpected("mg", &other),
        }
    }

    #[inline]
    fn take_delete(&mut self) -> DeleteOutcome {
        match self.reply() {
            Reply::Done => DeleteOutcome::Removed,
            Reply::Absent => DeleteOutcome::Absent,
            other => unexpected("md", &other),
        }
    }

    #[inline]
    fn take_put(&mut self) -> PutOutcome {
        let known = self.ask_presence
            && match self.reply() {
                Reply::Done => true,
                Reply::Absent => false,
                other => unexpected("mg", &other),
            };
        match self.reply() {
            Reply::Done if !self.ask_presence => PutOutcome::Stored,
            Reply::Done if known => PutOutcome::Updated,
            Reply::Done => PutOutcome::Inserted,
            Reply::Full => PutOutcome::Full,
            other => unexpected("ms", &other),
        }
    }

    /// Sends what is queued, which is these operations, and takes their replies.
    fn run<K: Lettered>(
        &mut self,
        range: Range<usize>,
        operations: &[Op<'_, K::Asked<'_>>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.flush();
        for index in range {
            outcomes[index] = match operations[index] {
                Op::Get { .. } => Outcome::of_get(self.take_get(values.slot(index))),
                Op::Put { value, .. } if value.len() <= VALUE_BYTES_MAX => {
                    Outcome::Put(self.take_put())
                }
                Op::Put { .. } => Outcome::ValueTooLarge,
                Op::Delete { .. } => Outcome::Deleted(self.take_delete()),
            };
        }
    }
}

impl<K: Lettered> Operations<K> for MemcachedSession<'_> {
    const KEY_BYTES_MAX: usize = KEY_BYTES_MAX;

    #[inline]
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        protocol::get::<K>(self.connection.queue(), key);
        self.flush();
        self.take_get(buffer)
    }

    #[inline]
    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        check_length(value)?;
        self.queue_put::<K>(key, value);
        self.flush();
        Ok(self.take_put())
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        get_then_put::<K, _>(self, key, decide)
    }

    /// Lifetimes above a month are a month, the server's longest.
    fn put_for(
        &mut self,
        key: K::Asked<'_>,
        value: &[u8],
        lifetime: Duration,
    ) -> Result<Option<PutOutcome>, PutError> {
        check_length(value)?;
        let Some(seconds) = Memcached::TRAITS.expiry.units(lifetime) else { return Ok(None) };
        if self.ask_presence {
            protocol::ask::<K>(self.connection.queue(), key);
        }
        protocol::put_for::<K>(self.connection.queue(), key, value, seconds);
        self.flush();
        Ok(Some(self.take_put()))
    }

    #[inline]
    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        protocol::delete::<K>(self.connection.queue(), key);
        self.flush();
        self.take_delete()
    }

    /// A pipeline: commands are sent before their first reply is awaited, as many at once as the
    /// socket holds. One that is longer goes alone, when no reply is due.
    fn execute(
        &mut self,
        operations: &[Op<'_, K::Asked<'_>>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut first = 0;
        for (index, operation) in operations.iter().enumerate() {
            let bytes = self.connection.queue().len() + bytes_of::<K>(operation);
            if bytes > PIPELINE_BYTES_MAX && first < index {
                self.run::<K>(first..index, operations, values, outcomes);
                first = index;
            }
            match *operation {
                Op::Get { key } => protocol::get::<K>(self.connection.queue(), key),
                Op::Put { key, value } if value.len() <= VALUE_BYTES_MAX => {
                    self.queue_put::<K>(key, value);
                }
                Op::Put { .. } => {}
                Op::Delete { key } => protocol::delete::<K>(self.connection.queue(), key),
            }
        }
        self.run::<K>(first..operations.len(), operations, values, outcomes);
    }
}

/// At most so many bytes the commands of an operation have.
fn bytes_of<K: Lettered>(operation: &Op<'_, K::Asked<'_>>) -> usize {
    match operation {
        Op::Put { value, .. } => 2 * K::COMMAND_BYTES_MAX + value.len(),
        Op::Get { .. } | Op::Delete { .. } => K::COMMAND_BYTES_MAX,
    }
}

/// Panics on a reply that a working server does not send: a bug, here or there.
#[cold]
fn unexpected(command: &str, reply: &Reply) -> ! {
    panic!("the server answers {command} with {reply:?}")
}
