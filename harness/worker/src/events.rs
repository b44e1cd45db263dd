//! The events of an allocation trace, in order.

use std::fs::File;

use workloads::trace::{Allocation, TraceError, TraceReader};

use super::Stop;
use record::Allocations;

/// Reader of a cell's trace. Keep it until the cell ends: the memory it would free belongs to the harness
/// and must not serve the allocator under test.
#[derive(Debug)]
pub(super) struct Events {
    reader: TraceReader<Allocation, File>,
    block: Vec<Allocation>,
    next: usize,
}

impl Events {
    /// Opens the trace.
    pub(super) fn of(work: &Allocations) -> Result<Self, Stop> {
        let name = format!("trace `{}` ({})", work.trace, work.path);
        let file = File::open(&work.path).map_err(|error| {
            Stop::failed(format!("{name} cannot be read: {error}; capture it, and plan again"))
        })?;
        let reader = TraceReader::new(file, &name).map_err(Stop::failed)?;
        Ok(Self { reader, block: Vec::new(), next: 0 })
    }

    /// Checks, after the last event, that this is the trace for which the cell was planned.
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
