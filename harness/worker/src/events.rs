//! The events of an allocation trace, one by one.

use std::fs::File;

use workloads::trace::{Allocation, TraceError, TraceReader};

use super::Stop;
use record::Allocations;

/// Reads the trace of a cell. To be kept until the cell's end: what it would free serves the
/// harness, and is not to serve an allocator under test.
#[derive(Debug)]
pub(super) struct Events {
    reader: TraceReader<Allocation, File>,
    block: Vec<Allocation>,
    next: usize,
}

impl Events {
    /// Begins to read.
    pub(super) fn of(work: &Allocations) -> Result<Self, Stop> {
        let name = format!("trace `{}` ({})", work.trace, work.path);
        let file = File::open(&work.path).map_err(|error| {
            Stop::failed(format!("{name} cannot be read: {error}; capture it, and plan again"))
        })?;
        let reader = TraceReader::new(file, &name).map_err(Stop::failed)?;
        Ok(Self { reader, block: Vec::new(), next: 0 })
    }

    /// Refuses a trace, read to its end, that is another than the cell was planned for.
    pub(super) fn check(&self, work: &Allocations) -> Result<(), Stop> {
        let found = self.reader.totals().map(|totals| totals.digest);
        if found == Some(work.digest) {
            return Ok(());
        }
        Err(Stop::failed(format!(
            "trace `{}` ({}) is not the one that was planned (its digest is {found:x?}, not {:x}): \
             plan again",
            work.trace, work.path, work.digest
        )))
    }
}

impl Iterator for Events {
    type Item = Result<Allocation, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let told = |error: TraceError| error.to_string();
        while self.next == self.block.len() {
            self.next = 0;
            match self.reader.next_block(&mut self.block).map_err(told) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.next += 1;
        self.block.get(self.next - 1).copied().map(Ok)
    }
}
