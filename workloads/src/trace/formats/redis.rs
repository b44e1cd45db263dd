//! The output of Redis' MONITOR.

use super::batch::{Batch, Key, Parser};
use super::error::Fault;
use super::field::{decimal_seconds_ns, number, shown};
use super::redis_arguments::Arguments;
use crate::mix::mix;
use crate::trace::OperationKind;

/// Redis holds a counter as a 64-bit integer.
const COUNTER_BYTES: u64 = 8;
/// Longer names are not commands.
const NAME_BYTES_MAX: usize = 32;
/// A byte that no text in UTF-8 has.
const NO_UTF8: u8 = 0xFF;
const REMEDY: &str = "record the trace again with redis-cli MONITOR";

/// `1339518083.107412 [0 127.0.0.1:60866] "set" "key" "value"`, with or without a `+`.
#[derive(Debug, Default)]
pub(super) struct RedisMonitor {
    arguments: Arguments,
}

/// How a command's arguments become operations.
#[derive(Clone, Copy)]
enum Shape {
    /// The first argument is a key, which is read.
    Read,
    /// All arguments are keys.
    Each(OperationKind),
    /// The first argument is a key; the argument with this number is its value.
    Store(usize),
    /// Keys and values alternate.
    StorePairs,
    /// The first argument is the key of a counter.
    Count,
    /// Key, first byte to write, bytes.
    StoreRange,
    /// Key, bit to write, bit.
    StoreBit,
    /// The first argument is a key, which is read and removed.
    ReadAndDelete,
}

impl Shape {
    fn of(command: &[u8]) -> Option<Self> {
        Some(match command {
            b"get" | b"getex" | b"getrange" | b"substr" | b"strlen" | b"getbit" | b"bitcount"
            | b"bitpos" | b"dump" => Self::Read,
            b"mget" | b"exists" | b"touch" => Self::Each(OperationKind::Get),
            b"del" | b"unlink" => Self::Each(OperationKind::Delete),
            b"set" | b"setnx" | b"getset" | b"append" => Self::Store(2),
            b"setex" | b"psetex" => Self::Store(3),
            b"mset" | b"msetnx" => Self::StorePairs,
            b"incr" | b"decr" | b"incrby" | b"decrby" | b"incrbyfloat" => Self::Count,
            b"setrange" => Self::StoreRange,
            b"setbit" => Self::StoreBit,
            b"getdel" => Self::ReadAndDelete,
            _ => return None,
        })
    }

    /// Whether a command of this shape can have this many arguments, its name included.
    fn takes(self, arguments: usize) -> bool {
        match self {
            Self::Read | Self::Each(_) | Self::Count | Self::ReadAndDelete => arguments >= 2,
            Self::Store(value) => arguments > value,
            Self::StorePairs => arguments >= 3 && arguments % 2 == 1,
            Self::StoreRange | Self::StoreBit => arguments >= 4,
        }
    }
}

impl Parser for RedisMonitor {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        match line.strip_prefix(b"+").unwrap_or(line) {
            b"" => batch.skipped.count("blank line"),
            // The reply to MONITOR itself.
            b"OK" => batch.skipped.count("OK"),
            line => {
                let (stamp_ns, database, arguments) = parts(line)?;
                batch.stamp_ns = stamp_ns;
                self.arguments.read(arguments)?;
                self.command(database, batch)?;
            }
        }
        Ok(())
    }
}

/// The time, the database, and the raw arguments.
pub(super) fn parts(line: &[u8]) -> Result<(u128, u64, &[u8]), Fault> {
    let wrong = || {
        Fault::new(
            format!("{} is not seconds [database client] \"command\" …", shown(line)),
            REMEDY,
        )
    };
    let space = line.iter().position(|&byte| byte == b' ').ok_or_else(wrong)?;
    let origin = line[space + 1..].strip_prefix(b"[").ok_or_else(wrong)?;
    // A client's address may contain brackets, but this sequence only precedes the command.
    let end = origin.windows(3).position(|bytes| bytes == b"] \"").ok_or_else(wrong)?;
    let database = origin[..end].split(|&byte| byte == b' ').next().ok_or_else(wrong)?;
    Ok((
        decimal_seconds_ns("time", &line[..space])?,
        number("database", database)?,
        &origin[end + 2..],
    ))
}

/// The key `name` of a database. Those of database 0 are their texts; behind others stand a byte that no
/// UTF-8 has and the database's number, because databases may have keys of the same text.
fn key_of(batch: &mut Batch, name: &[u8], database: u64) -> Key {
    let mut key = batch.text(name, name.len() as u64);
    if database != 0 {
        key.hash ^= mix(database);
        batch.append(&mut key, &[NO_UTF8]);
        batch.append(&mut key, database.to_string().as_bytes());
    }
    key
}

impl RedisMonitor {
    fn command(&mut self, database: u64, batch: &mut Batch) -> Result<(), Fault> {
        let name = self.arguments.lowercase_name();
        let Some(shape) = Shape::of(name) else {
            let shown = name.get(..NAME_BYTES_MAX).unwrap_or(name).escape_ascii().to_string();
            batch.skipped.count(&shown);
            return Ok(());
        };
        let arguments = &self.arguments;
        let count = arguments.len();
        if !shape.takes(count) {
            return Err(Fault::new(
                format!("{} with {} arguments", shown(arguments.get(0)), count - 1),
                REMEDY,
            ));
        }
        let key = |batch: &mut Batch, at: usize| key_of(batch, arguments.get(at), database);
        let bytes = |at: usize| arguments.get(at).len() as u64;
        match shape {
            Shape::Read => {
                let key = key(batch, 1);
                batch.get(key, 0);
            }
            Shape::Each(kind) => {
                for at in 1..count {
                    let key = key(batch, at);
                    match kind {
                        OperationKind::Get => batch.get(key, 0),
                        _ => batch.delete(key),
                    }
                }
            }
            Shape::Store(value) => {
                let key = key(batch, 1);
                batch.put(key, bytes(value));
            }
            Shape::StorePairs => {
                for at in (1..count).step_by(2) {
                    let key = key(batch, at);
                    batch.put(key, bytes(at + 1));
                }
            }
            Shape::Count => {
                let key = key(batch, 1);
                batch.put(key, COUNTER_BYTES);
            }
            Shape::StoreRange => {
                let first = number("offset", arguments.get(2))?;
                let key = key(batch, 1);
                batch.put(key, first.saturating_add(bytes(3)));
            }
            Shape::StoreBit => {
                let bit = number("offset", arguments.get(2))?;
                let key = key(batch, 1);
                batch.put(key, bit / u64::from(u8::BITS) + 1);
            }
            Shape::ReadAndDelete => {
                let key = key(batch, 1);
                batch.get(key, 0);
                batch.delete(key);
            }
        }
        Ok(())
    }
}
