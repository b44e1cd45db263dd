//! Reads a trace as an iterator of operations.

use std::fmt;
use std::io::BufRead;

use super::batch::{Batch, Parser};
use super::error::Fault;
use super::source::Source;
use super::{Format, FormatError, Skipped};
use crate::requests::Request;
use crate::trace::Operation;

/// How to treat values above [`Request::SIZE_MAX`], one byte below 16 MiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LargeValues {
    /// Return an error.
    #[default]
    Refuse,
    /// Return values up to `u32::MAX` unchanged; larger ones are errors.
    Give,
    /// Return values up to `u32::MAX` unchanged; reduce larger ones to that and count them.
    Saturate,
}

/// Reads one trace, line by line or record by record. Ends after the first error.
pub struct Reader<'a> {
    format: Format,
    source: Source<'a>,
    parser: Box<dyn Parser>,
    batch: Batch,
    /// How many operations of the batch were returned, and how often the next one was.
    given: usize,
    given_times: u32,
    /// Where the batch has the text of the last key returned.
    text: Option<(usize, usize)>,
    /// The time of the batch.
    time_ns: u64,
    origin_ns: Option<u128>,
    backward_times: u64,
    large_values: LargeValues,
    saturated_values: u64,
    ended: bool,
}

/// Opens a trace; errors call it `name`. Input that begins with zstd's magic number is
/// decompressed.
///
/// # Errors
///
/// If the first bytes cannot be read.
pub fn open<'a>(
    format: Format,
    input: impl BufRead + 'a,
    name: &str,
) -> Result<Reader<'a>, FormatError> {
    Ok(Reader {
        format,
        source: Source::new(input, name, format.unit())?,
        parser: format.parser(),
        batch: Batch::default(),
        given: 0,
        given_times: 0,
        text: None,
        time_ns: 0,
        origin_ns: None,
        backward_times: 0,
        large_values: LargeValues::default(),
        saturated_values: 0,
        ended: false,
    })
}

impl Reader<'_> {
    /// Sets how large values are treated.
    #[must_use]
    pub fn large_values(mut self, large_values: LargeValues) -> Self {
        self.large_values = large_values;
        self
    }

    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// What was skipped so far, by reason.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.batch.skipped
    }

    /// The text of the key of the operation that was returned last; `None` in formats of numbers.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        self.text.map(|(start, end)| &self.batch.texts[start..end])
    }

    /// How many lines or records so far had an earlier time than one before them.
    #[must_use]
    pub fn backward_times(&self) -> u64 {
        self.backward_times
    }

    /// How many operations so far had a value above `u32::MAX` bytes, under
    /// [`LargeValues::Saturate`].
    #[must_use]
    pub fn saturated_values(&self) -> u64 {
        self.saturated_values
    }

    /// Reads lines or records until one yields an operation. Returns `false` at the end.
    fn fill(&mut self) -> Result<bool, FormatError> {
        self.batch.pending.clear();
        self.text = None;
        self.given = 0;
        self.given_times = 0;
        while self.batch.pending.is_empty() {
            if !self.source.advance()? {
                self.parser.finish().map_err(|fault| self.source.error(fault))?;
                return Ok(false);
            }
            self.batch.texts.clear();
            self.parser
                .parse(self.source.item(), &mut self.batch)
                .map_err(|fault| self.source.error(fault))?;
        }
        self.check_values().map_err(|fault| self.source.error(fault))?;
        self.check_time().map_err(|fault| self.source.error(fault))?;
        Ok(true)
    }

    fn check_values(&mut self) -> Result<(), Fault> {
        let bytes_max = match self.large_values {
            LargeValues::Refuse => Request::SIZE_MAX as u64,
            LargeValues::Give | LargeValues::Saturate => u64::from(u32::MAX),
        };
        for pending in &mut self.batch.pending {
            if pending.value_bytes <= bytes_max {
                continue;
            }
            if self.large_values != LargeValues::Saturate {
                return Err(Fault::new(
                    format!("a value of {} bytes is above {bytes_max}", pending.value_bytes),
                    "clamp values with the transform's size_max",
                ));
            }
            pending.value_bytes = bytes_max;
            self.saturated_values += u64::from(pending.times);
        }
        Ok(())
    }

    fn check_time(&mut self) -> Result<(), Fault> {
        let stamp_ns = self.batch.stamp_ns;
        let since_ns = stamp_ns.checked_sub(*self.origin_ns.get_or_insert(stamp_ns));
        match since_ns {
            Some(since_ns) if since_ns >= u128::from(self.time_ns) => {
                self.time_ns = u64::try_from(since_ns).map_err(|_| {
                    Fault::new(
                        format!(
                            "{since_ns} ns after the first operation is more than 64 bits hold"
                        ),
                        "check the times: they lie more than 584 years apart",
                    )
                })?;
            }
            _ => self.backward_times += 1,
        }
        Ok(())
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Operation, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.given == self.batch.pending.len() {
            if self.ended {
                return None;
            }
            let filled = self.fill();
            if !matches!(filled, Ok(true)) {
                // An error discards the whole line.
                self.batch.pending.clear();
                self.ended = true;
                return filled.err().map(Err);
            }
        }
        let pending = self.batch.pending[self.given];
        self.text = pending.key.text;
        self.given_times += 1;
        if self.given_times == pending.times {
            self.given += 1;
            self.given_times = 0;
        }
        Some(Ok(Operation {
            time_ns: self.time_ns,
            kind: pending.kind,
            key: pending.key.hash,
            value_bytes: pending.value_bytes as u32,
            key_bytes: u32::try_from(pending.key.bytes).unwrap_or(u32::MAX),
        }))
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, source, batch, time_ns, ended, .. } = self;
        f.debug_struct("Reader")
            .field("format", format)
            .field("source", source)
            .field("batch", batch)
            .field("time_ns", time_ns)
            .field("ended", ended)
            .finish_non_exhaustive()
    }
}
