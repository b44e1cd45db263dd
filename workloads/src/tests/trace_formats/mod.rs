//! Public trace formats: samples written by their specification are read back exactly.

mod damage;
mod edges;
mod golden;
mod guess;
mod real_files;
mod samples;
mod streaming;

use workloads::trace::Operation;
use workloads::trace::formats::{Format, FormatError, Reader, Skipped, open};

/// The result of reading a trace.
struct Read {
    operations: Vec<Operation>,
    error: Option<FormatError>,
    skipped: Skipped,
    backward_times: u64,
}

/// A damaged count repeats an operation up to 2^32 times, which a test cannot wait for.
const OPERATIONS_MAX: usize = 100_000;

fn read(format: Format, bytes: &[u8]) -> Read {
    drain(open(format, bytes, "sample").unwrap())
}

fn drain(mut reader: Reader<'_>) -> Read {
    let mut operations = Vec::new();
    let mut error = None;
    for result in reader.by_ref().take(OPERATIONS_MAX) {
        assert!(error.is_none(), "a reader ends at its first error");
        match result {
            Ok(operation) => operations.push(operation),
            Err(wrong) => error = Some(wrong),
        }
    }
    let skipped = reader.skipped().clone();
    Read { operations, error, skipped, backward_times: reader.backward_times() }
}
