//! MSR Cambridge's block traces.

use super::batch::{Batch, Key, Parser};
use super::error::Fault;
use super::field::{number, shown};

/// Windows counts time in ticks of 100 ns.
const NS_PER_TICK: u128 = 100;

/// `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
#[derive(Debug, Default)]
pub(super) struct Msr {
    object: Vec<u8>,
}

impl Parser for Msr {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        if line.is_empty() {
            batch.skipped.count("blank line");
            return Ok(());
        }
        let [time, host, disk, kind, offset, size, response] = columns(line).ok_or_else(|| {
            Fault::new(
                format!("{} has not seven columns", shown(line)),
                "write Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
            )
        })?;
        batch.stamp_ns = u128::from(number("Timestamp", time)?) * NS_PER_TICK;
        // Each number takes eight bytes, so no two objects have the same bytes.
        self.object.clear();
        self.object.extend_from_slice(host);
        self.object.extend_from_slice(&number("DiskNumber", disk)?.to_le_bytes());
        self.object.extend_from_slice(&number("Offset", offset)?.to_le_bytes());
        let key = Key::of_object(&self.object);
        let size_bytes = number("Size", size)?;
        number("ResponseTime", response)?;
        if kind.eq_ignore_ascii_case(b"read") {
            batch.get(key, size_bytes);
        } else if kind.eq_ignore_ascii_case(b"write") {
            batch.put(key, size_bytes);
        } else {
            return Err(Fault::new(format!("unknown Type {}", shown(kind)), "write Read or Write"));
        }
        Ok(())
    }
}

/// The seven columns; `None` if there are more or fewer.
pub(super) fn columns(line: &[u8]) -> Option<[&[u8]; 7]> {
    let mut fields = line.split(|&byte| byte == b',');
    let mut columns = [&line[..0]; 7];
    for column in &mut columns {
        *column = fields.next()?;
    }
    fields.next().is_none().then_some(columns)
}
