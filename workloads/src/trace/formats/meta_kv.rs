//! Meta's key-value cache traces, published with CacheLib.

use super::batch::{Batch, Parser, Pending};
use super::error::Fault;
use super::field::{number, seconds_ns, shown};
use super::table::Table;
use crate::trace::OperationKind;

pub(super) const UNTIMED: [&str; 4] = ["key", "op", "size", "op_count"];
const KEY_SIZE: &str = "key_size";
pub(super) const TIMED: [&str; 5] = ["key", "op", "size", "op_count", "op_time"];

/// The trace of June 2022, without times.
#[derive(Debug)]
pub(super) struct MetaKv202206(Table<4>);

/// The trace of January 2024, with times.
#[derive(Debug)]
pub(super) struct MetaKv202401(Table<5>);

impl MetaKv202206 {
    pub(super) fn new() -> Self {
        Self(Table::new(UNTIMED).or(KEY_SIZE))
    }
}

impl MetaKv202401 {
    pub(super) fn new() -> Self {
        Self(Table::new(TIMED).or(KEY_SIZE))
    }
}

impl Parser for MetaKv202206 {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        match self.0.row(line, batch)? {
            Some((row, key_size)) => request(row, key_size, batch),
            None => Ok(()),
        }
    }

    fn finish(&self) -> Result<(), Fault> {
        self.0.finish()
    }
}

impl Parser for MetaKv202401 {
    fn parse(&mut self, line: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        let Some(([key, op, size, op_count, op_time], key_size)) = self.0.row(line, batch)? else {
            return Ok(());
        };
        batch.stamp_ns = seconds_ns("op_time", op_time)?;
        request([key, op, size, op_count], key_size, batch)
    }

    fn finish(&self) -> Result<(), Fault> {
        self.0.finish()
    }
}

fn request(
    [key, op, size, op_count]: [&[u8]; 4],
    key_size: Option<&[u8]>,
    batch: &mut Batch,
) -> Result<(), Fault> {
    let kind = match op {
        b"GET" | b"GET_LEASE" => OperationKind::Get,
        b"SET" | b"SET_LEASE" => OperationKind::Put,
        b"DELETE" => OperationKind::Delete,
        unknown => {
            batch.skipped.count(&format!("op {}", shown(unknown)));
            return Ok(());
        }
    };
    // The text is another than the client's, its length is told in most files.
    let bytes = match key_size {
        Some(key_size) => number("key_size", key_size)?,
        None => key.len() as u64,
    };
    let value_bytes = match kind {
        OperationKind::Put => number("size", size)?,
        // A miss has no size.
        OperationKind::Get if size.is_empty() => 0,
        OperationKind::Get => number("size", size)?,
        OperationKind::Delete => 0,
    };
    let times = number("op_count", op_count)?;
    let times = u32::try_from(times).map_err(|_| {
        Fault::new(
            format!("op_count {times} is above 32 bits"),
            "check that the line is complete; no client repeats an operation that often",
        )
    })?;
    if times == 0 {
        batch.skipped.count("op_count 0");
        return Ok(());
    }
    let key = batch.text(key, bytes);
    batch.pending.push(Pending { kind, key, value_bytes, times });
    Ok(())
}
