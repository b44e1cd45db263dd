//! CloudPhysics' block traces, in libCacheSim's text form.

use super::batch::{Batch, Key, Parser};
use super::error::Fault;
use super::field::{number, seconds_ns, shown};
use super::table::Table;

pub(super) const COLUMNS: [&str; 4] = ["time", "op", "size", "lbn"];

/// `version,time,op,size,lbn`: seconds, a SCSI operation code, bytes, the first block.
#[derive(Debug)]
pub(super) struct CloudPhysics(Table<4>);

impl CloudPhysics {
    pub(super) fn new() -> Self {
        Self(Table::new(COLUMNS))
    }
}

impl Parser for CloudPhysics {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        let Some(([time, op, size, lbn], _)) = self.0.row(line, batch)? else {
            return Ok(());
        };
        batch.stamp_ns = seconds_ns("time", time)?;
        let size_bytes = number("size", size)?;
        let key = Key::of_number(number("lbn", lbn)?);
        let code = str::from_utf8(op)
            .ok()
            .filter(|op| !op.starts_with('+'))
            .and_then(|op| u8::from_str_radix(op, 16).ok())
            .ok_or_else(|| {
                Fault::new(
                    format!("op {} is no SCSI operation code", shown(op)),
                    "write two hexadecimal digits, as in 28 (READ) or 2a (WRITE)",
                )
            })?;
        match code {
            // READ(6), READ(10), READ(12) and READ(16).
            0x08 | 0x28 | 0xA8 | 0x88 => batch.get(key, size_bytes),
            // WRITE(6) to WRITE(16); WRITE AND VERIFY(10) to WRITE AND VERIFY(16).
            0x0A | 0x2A | 0xAA | 0x8A | 0x2E | 0xAE | 0x8E => batch.put(key, size_bytes),
            other => batch.skipped.count(&format!("SCSI operation {other:02x}")),
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Fault> {
        self.0.finish()
    }
}
