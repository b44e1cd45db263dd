//! Twitter's cache traces.

use super::batch::{Batch, Parser};
use super::error::Fault;
use super::field::{number, seconds_ns, shown};
use crate::near::near;

const OPERATIONS: [&str; 11] =
    ["get", "gets", "set", "add", "replace", "cas", "append", "prepend", "delete", "incr", "decr"];
/// The size of a counter: 64 bits in binary, or the digits of the largest such number.
const COUNTER_BYTES_MIN: u64 = 8;
const COUNTER_BYTES_MAX: u64 = 20;

/// `timestamp,key,key size,value size,client id,operation,TTL`.
#[derive(Debug)]
pub(super) struct Twitter;

/// The columns of a line; the key includes any commas it contains.
pub(super) struct Columns<'l> {
    time: &'l [u8],
    key: &'l [u8],
    key_bytes: &'l [u8],
    value_bytes: &'l [u8],
    operation: &'l [u8],
    time_to_live: &'l [u8],
}

impl<'l> Columns<'l> {
    pub(super) fn of(line: &'l [u8]) -> Option<Self> {
        let mut from_right = line.rsplitn(6, |&byte| byte == b',');
        let time_to_live = from_right.next()?;
        let operation = from_right.next()?;
        let _client = from_right.next()?;
        let value_bytes = from_right.next()?;
        let key_bytes = from_right.next()?;
        let rest = from_right.next()?;
        let comma = rest.iter().position(|&byte| byte == b',')?;
        let (time, key) = (&rest[..comma], &rest[comma + 1..]);
        Some(Self { time, key, key_bytes, value_bytes, operation, time_to_live })
    }

    pub(super) fn has_known_operation(&self) -> bool {
        OPERATIONS.iter().any(|name| name.as_bytes() == self.operation)
    }
}

impl Parser for Twitter {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        if line.is_empty() {
            batch.skipped.count("blank line");
            return Ok(());
        }
        let columns = Columns::of(line).ok_or_else(|| {
            Fault::new(
                format!("{} has fewer than seven columns", shown(line)),
                "write timestamp,key,key size,value size,client id,operation,TTL",
            )
        })?;
        batch.stamp_ns = seconds_ns("timestamp", columns.time)?;
        // The text is another than the client's, its length is told.
        let bytes = number("key size", columns.key_bytes)?;
        let key = batch.text(columns.key, bytes);
        let value_bytes = number("value size", columns.value_bytes)?;
        // This column has no meaning here, but a line in which it is no number is malformed.
        number("TTL", columns.time_to_live)?;
        match columns.operation {
            b"get" | b"gets" => batch.get(key, value_bytes),
            b"set" | b"add" | b"replace" | b"cas" | b"append" | b"prepend" => {
                batch.put(key, value_bytes);
            }
            b"incr" | b"decr" => {
                batch.put(key, value_bytes.clamp(COUNTER_BYTES_MIN, COUNTER_BYTES_MAX));
            }
            b"delete" => batch.delete(key),
            unknown => return Err(unknown_operation(unknown)),
        }
        Ok(())
    }
}

fn unknown_operation(operation: &[u8]) -> Fault {
    let hint = near(&String::from_utf8_lossy(operation), OPERATIONS)
        .map_or_else(String::new, |near| format!(" (is it \"{near}\"?)"));
    Fault::new(
        format!("unknown operation {}{hint}", shown(operation)),
        format!("write one of {}", OPERATIONS.join(", ")),
    )
}
