//! Trace files: small, fast to read, and never silently wrong.
//!
//! ```text
//! header   8 B  magic 89 "NBTRC" 0D 0A
//!          4 B  version of the format
//!          4 B  bytes of the text
//!               text: what the trace holds and where it comes from, as JSON
//!          8 B  checksum of all that
//! block    4 B  "RECS"                                    ┐
//!          4 B  records, at most 65 536                   │ as many
//!          4 B  bytes before compression                  │ as there
//!          4 B  bytes of the content                      │ are
//!          8 B  checksum of the 16 bytes above            │
//!               content: columns of records, in zstd      │
//!          8 B  checksum of the content                   ┘
//! texts         as a block with "TEXT": texts of keys, where the header announces them
//! end     24 B  as of a block: "DONE", 0 records
//!               text: totals, digest and notes, as JSON
//!          8 B  checksum of the text
//! ```
//!
//! Numbers are little-endian. Checksums are 64-bit XXH3, each seeded with the previous one in the
//! file. `operations.rs` and `allocations.rs` define how records become columns: a block holds all
//! kinds, then all keys, and so on. A block can be read without the blocks before it.
//!
//! Keys of records are 64-bit numbers. Where a program's keys are texts, the numbers are their hashes, and
//! a trace may keep the texts as well: `texts.rs` defines how, and each frame of texts stands in front of
//! the block in which their keys first appear. Such a trace has version 3, any other version 2.
//!
//! A file without an end block comes from an interrupted recording. It holds complete blocks up to
//! that point, which [`repair`] keeps. A replay calls [`verify`] first, so that it never replays
//! half a trace.
//!
//! ```
//! use workloads::trace::{Header, Operation, OperationKind, TraceReader, TraceWriter};
//!
//! let header = Header::new::<Operation>("an example");
//! let mut writer = TraceWriter::new(Vec::new(), &header)?;
//! let get = Operation { time_ns: 5, kind: OperationKind::Get, key: 17, value_bytes: 0, key_bytes: 0 };
//! writer.push(get)?;
//! let (bytes, totals) = writer.finish()?;
//!
//! let mut reader = TraceReader::<Operation, _>::new(&bytes[..], "example.trace")?;
//! assert_eq!(reader.records().next().unwrap()?, get);
//! assert_eq!(totals.records, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocations;
mod column;
mod dictionary;
mod error;
mod frame;
mod header;
mod operations;
mod reader;
mod record;
mod repair;
mod source;
mod texts;
mod totals;
mod writer;

pub use error::{TraceError, TraceErrorKind, WriteError};
pub use header::{Content, Header, Keys, TEXT_BYTES_MAX, VERSION};
pub use reader::{Records, TraceReader};
pub use record::{Malformed, Record};
pub use repair::{REPAIRED, RepairError, repair};
pub use texts::{KEY_TEXT_BYTES_MAX, Texts};
pub use totals::Totals;
pub use writer::TraceWriter;

use std::io::Read;

use source::Source;

use super::{Allocation, Operation};

/// Number of records in a full block.
pub const BLOCK_RECORDS: usize = 1 << 16;

/// Reads the header of the trace `input` and what kind of records it contains; reads nothing else.
/// Error messages call the trace `name`.
///
/// # Errors
///
/// If the header cannot be read.
pub fn peek_content(input: impl Read, name: &str) -> Result<(Content, Header), TraceError> {
    let (header, _) = Header::read(&mut Source::new(input, name))?;
    Ok((header.content, header))
}

/// Reads the whole trace `input` and keeps none of it. Error messages call the trace `name`.
///
/// # Errors
///
/// If anything is damaged or missing.
pub fn verify(input: impl Read, name: &str) -> Result<(Header, Totals), TraceError> {
    let mut source = Source::new(input, name);
    let (header, checksum) = Header::read(&mut source)?;
    let own = header.clone();
    let totals = match header.content {
        Content::Operations => {
            TraceReader::<Operation, _>::after_header(source, own, checksum)?.verify()
        }
        Content::Allocations => {
            TraceReader::<Allocation, _>::after_header(source, own, checksum)?.verify()
        }
    }?;
    Ok((header, totals))
}
