//! Reads a trace block by block.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use zstd::bulk::Decompressor;

use super::frame::{Frame, FrameKind, HEAD_BYTES, TAIL_BYTES};
use super::header::Keys;
use super::source::Source;
use super::texts::Texts;
use super::{Header, Record, Totals, TraceError, TraceErrorKind};

/// Reads the records of a trace. It returns exactly what was written, in order; anything missing or
/// different, at the end too, is an error.
///
/// Holds at most one block of records and its bytes in memory, about 8 MiB; of a trace whose keys have
/// texts, also a number per key, and the texts that are new in the block.
pub struct TraceReader<R: Record, In: Read> {
    source: Source<In>,
    header: Header,
    /// Totals of the blocks read so far, and at the end the notes.
    totals: Totals,
    /// Time of the last record read.
    last_ns: u64,
    /// The checksum that seeds the next frame.
    chain: u64,
    progress: Progress,
    allow_unfinished: bool,
    decompressor: Decompressor<'static>,
    stored: Vec<u8>,
    raw: Vec<u8>,
    /// Keys whose text was read, if keys have texts.
    named: HashSet<u64>,
    new_texts: Texts,
    records: PhantomData<R>,
}

/// How far reading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// More blocks may follow.
    Blocks,
    /// The end block was read. It matches the blocks, and nothing follows it.
    Finished,
    /// There is no end block, and none was required.
    Unfinished,
    /// An error occurred.
    Failed,
}

impl<R: Record, In: Read> TraceReader<R, In> {
    /// Opens the trace `input`. Error messages call it `name`.
    ///
    /// Reads in large pieces, so `input` needs no buffer.
    ///
    /// # Errors
    ///
    /// If the header cannot be read or announces other records than `R`.
    pub fn new(input: In, name: &str) -> Result<Self, TraceError> {
        let mut source = Source::new(input, name);
        let (header, checksum) = Header::read(&mut source)?;
        Self::after_header(source, header, checksum)
    }

    /// Continues after the header.
    pub(super) fn after_header(
        source: Source<In>,
        header: Header,
        checksum: u64,
    ) -> Result<Self, TraceError> {
        if header.content != R::CONTENT {
            let kind = TraceErrorKind::WrongContent { found: header.content, wanted: R::CONTENT };
            return Err(source.error(0, kind));
        }
        let decompressor = Decompressor::new()
            .map_err(|error| source.error(source.offset(), TraceErrorKind::Io(error)))?;
        Ok(Self {
            source,
            header,
            totals: Totals::new(R::CONTENT),
            last_ns: 0,
            chain: checksum,
            progress: Progress::Blocks,
            allow_unfinished: false,
            decompressor,
            stored: Vec::new(),
            raw: Vec::new(),
            named: HashSet::new(),
            new_texts: Texts::default(),
            records: PhantomData,
        })
    }

    /// Accepts a trace without an end block: it then ends after its last complete block, without an
    /// error.
    #[must_use]
    pub fn allow_unfinished(mut self) -> Self {
        self.allow_unfinished = true;
        self
    }

    /// The trace's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The totals of the trace, once the end is reached.
    #[must_use]
    pub fn totals(&self) -> Option<&Totals> {
        let at_end = matches!(self.progress, Progress::Finished | Progress::Unfinished);
        at_end.then_some(&self.totals)
    }

    /// Whether reading ended without an end block.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.progress == Progress::Unfinished
    }

    /// Replaces the contents of `into` with the records of the next block. At the end it returns
    /// `false` and leaves `into` empty.
    ///
    /// # Errors
    ///
    /// If the block is damaged or missing. Then `into` is empty and no further block can be read.
    pub fn next_block(&mut self, into: &mut Vec<R>) -> Result<bool, TraceError> {
        into.clear();
        self.new_texts.clear();
        match self.progress {
            Progress::Blocks => {
                let outcome = self.read_block(into);
                if outcome.is_err() {
                    into.clear();
                    self.progress = Progress::Failed;
                }
                outcome
            }
            Progress::Finished | Progress::Unfinished => Ok(false),
            Progress::Failed => {
                Err(self.damaged(self.source.offset(), "no block can be read behind an error"))
            }
        }
    }

    /// The texts of the keys that first appear in the block that was read last, in the order in which they
    /// do; none of a trace whose keys are numbers.
    #[must_use]
    pub fn new_texts(&self) -> &Texts {
        &self.new_texts
    }

    /// Iterates over the remaining records. The iterator buffers a block: records it has read but
    /// not returned are lost when it is dropped.
    pub fn records(&mut self) -> Records<'_, R, In> {
        Records { reader: self, block: Vec::new(), next: 0, failed: false }
    }

    /// Reads the rest of the trace and keeps none of it. After success every record can be relied
    /// on.
    ///
    /// # Errors
    ///
    /// As for [`next_block`](Self::next_block).
    pub fn verify(mut self) -> Result<Totals, TraceError> {
        let mut block = Vec::new();
        while self.next_block(&mut block)? {}
        Ok(self.totals)
    }

    /// The notes of the end block, if one was read, even if bytes follow it.
    pub(super) fn notes(&self) -> &BTreeMap<String, String> {
        &self.totals.notes
    }

    /// Reads frames up to the next block of records.
    fn read_block(&mut self, into: &mut Vec<R>) -> Result<bool, TraceError> {
        loop {
            match self.read_frame(into)? {
                Some(FrameKind::Texts) => {}
                Some(FrameKind::Records) => return Ok(true),
                Some(FrameKind::End) | None => return Ok(false),
            }
        }
    }

    /// Reads a frame, and tells its kind; `None` at the end of a trace that may be unfinished.
    fn read_frame(&mut self, into: &mut Vec<R>) -> Result<Option<FrameKind>, TraceError> {
        let begin = self.source.offset();
        self.stored.clear();
        if self.source.read(HEAD_BYTES, &mut self.stored)? < HEAD_BYTES {
            return self.unfinished(begin).map(|()| None);
        }
        let head = self.stored.first_chunk().expect("read above");
        let (frame, chain) =
            Frame::open(self.chain, head).map_err(|what| self.damaged(begin, what))?;
        self.stored.clear();
        let bytes = frame.stored_bytes + TAIL_BYTES;
        if self.source.read(bytes, &mut self.stored)? < bytes {
            return self.unfinished(begin).map(|()| None);
        }
        let (content, tail) = self.stored.split_last_chunk().expect("read above");
        let checked = Frame::check(content, *tail, chain);
        let chain =
            checked.ok_or_else(|| self.damaged(begin, "a block does not fit its checksum"))?;
        match frame.kind {
            FrameKind::Records => self.decode(frame, begin, into)?,
            FrameKind::Texts => self.decode_texts(frame, begin)?,
            FrameKind::End => self.end(begin)?,
        }
        self.chain = chain;
        Ok(Some(frame.kind))
    }

    fn decompress(&mut self, frame: Frame, begin: u64) -> Result<(), TraceError> {
        let content = &self.stored[..frame.stored_bytes];
        self.raw.clear();
        self.raw.reserve(frame.raw_bytes);
        let outcome = self.decompressor.decompress_to_buffer(content, &mut self.raw);
        if !outcome.is_ok_and(|bytes| bytes == frame.raw_bytes) {
            return Err(self.damaged(begin, "a block does not decompress to its size"));
        }
        Ok(())
    }

    fn decode_texts(&mut self, frame: Frame, begin: u64) -> Result<(), TraceError> {
        if self.header.keys != Keys::Texts {
            return Err(self.damaged(begin, "texts of keys, and the header announces none"));
        }
        self.decompress(frame, begin)?;
        self.new_texts
            .decode(&self.raw, frame.records)
            .map_err(|malformed| self.damaged(begin, malformed.0))?;
        self.totals.add_texts(frame.records, &self.raw);
        Ok(())
    }

    /// Checks that exactly the keys that are new in a block have texts in front of it, in order.
    fn check_texts(&mut self, block: &[R]) -> Result<(), &'static str> {
        if self.header.keys != Keys::Texts {
            return Ok(());
        }
        let mut next = 0;
        for key in block.iter().filter_map(R::key) {
            if self.new_texts.key(next) == Some(key) {
                if !self.named.insert(key) {
                    return Err("a key with two texts");
                }
                next += 1;
            } else if !self.named.contains(&key) {
                return Err("a key without its text");
            }
        }
        let is_used_up = next == self.new_texts.len();
        if is_used_up { Ok(()) } else { Err("a text of a key that no record names") }
    }

    fn decode(&mut self, frame: Frame, begin: u64, into: &mut Vec<R>) -> Result<(), TraceError> {
        self.decompress(frame, begin)?;
        R::decode(&self.raw, frame.records, into)
            .map_err(|malformed| self.damaged(begin, malformed.0))?;
        let time_ns = |record: Option<&R>| record.and_then(R::time_ns);
        if time_ns(into.first()).is_some_and(|first_ns| first_ns < self.last_ns) {
            return Err(self.damaged(begin, "a block begins before the one before it ends"));
        }
        self.last_ns = time_ns(into.last()).unwrap_or(self.last_ns);
        self.check_texts(into).map_err(|what| self.damaged(begin, what))?;
        self.totals.add(frame.records, &self.raw);
        Ok(())
    }

    fn end(&mut self, begin: u64) -> Result<(), TraceError> {
        self.check_texts(&[]).map_err(|what| self.damaged(begin, what))?;
        let text = &self.stored[..self.stored.len() - TAIL_BYTES];
        let written: Totals = serde_json::from_slice(text)
            .map_err(|error| self.damaged(begin, &format!("the end block is not text: {error}")))?;
        let notes = written.notes.clone();
        if written != (Totals { notes, ..self.totals.clone() }) {
            let what = "the end block tells of other records than the blocks hold";
            return Err(self.damaged(begin, what));
        }
        self.totals = written;
        let offset = self.source.offset();
        self.stored.clear();
        if self.source.read(1, &mut self.stored)? > 0 {
            return Err(self.source.error(offset, TraceErrorKind::Trailing));
        }
        self.progress = Progress::Finished;
        Ok(())
    }

    /// Accepts that there is no end block, if that is allowed.
    fn unfinished(&mut self, begin: u64) -> Result<(), TraceError> {
        if self.allow_unfinished {
            self.new_texts.clear();
            self.progress = Progress::Unfinished;
            return Ok(());
        }
        let kind = TraceErrorKind::Unfinished {
            complete_records: self.totals.records,
            complete_blocks: self.totals.blocks,
            torn_bytes: self.source.offset() - begin,
        };
        Err(self.source.error(begin, kind))
    }

    fn damaged(&self, offset: u64, what: &str) -> TraceError {
        let (what, complete_records) = (what.to_owned(), self.totals.records);
        self.source.error(offset, TraceErrorKind::Damaged { what, complete_records })
    }
}

impl<R: Record, In: Read> fmt::Debug for TraceReader<R, In> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceReader")
            .field("header", &self.header)
            .field("totals", &self.totals)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// Iterates over the records of a trace; ends after an error.
#[derive(Debug)]
pub struct Records<'a, R: Record, In: Read> {
    reader: &'a mut TraceReader<R, In>,
    block: Vec<R>,
    /// Position of the next record in `block`.
    next: usize,
    failed: bool,
}

impl<R: Record, In: Read> Iterator for Records<'_, R, In> {
    type Item = Result<R, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.block.len() {
            match self.refill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.next += 1;
        Some(Ok(self.block[self.next - 1]))
    }
}

impl<R: Record, In: Read> Records<'_, R, In> {
    /// Returns `false` at the end and after an error.
    fn refill(&mut self) -> Result<bool, TraceError> {
        if self.failed {
            return Ok(false);
        }
        self.next = 0;
        let outcome = self.reader.next_block(&mut self.block);
        self.failed = outcome.is_err();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Operation, OperationKind};

    /// A trace of the given frames with valid checksums: kind, records, bytes before compression,
    /// content.
    fn crafted(keys: Keys, frames: &[(FrameKind, usize, usize, &[u8])]) -> Vec<u8> {
        let header = Header { keys, ..Header::new::<Operation>("crafted") };
        let mut bytes = header.to_bytes().unwrap();
        let mut chain = u64::from_le_bytes(*bytes.last_chunk().unwrap());
        for &(kind, records, raw_bytes, content) in frames {
            let mut frame = vec![0; HEAD_BYTES];
            frame.extend(content);
            let stored_bytes = content.len();
            chain = Frame { kind, records, raw_bytes, stored_bytes }.seal(chain, &mut frame);
            bytes.extend(frame);
        }
        bytes
    }

    fn refusal(frames: &[(FrameKind, usize, usize, &[u8])]) -> String {
        refusal_of(Keys::Numbers, frames)
    }

    fn refusal_of(keys: Keys, frames: &[(FrameKind, usize, usize, &[u8])]) -> String {
        let bytes = crafted(keys, frames);
        let mut reader = TraceReader::<Operation, _>::new(&bytes[..], "crafted").unwrap();
        let mut block = Vec::new();
        loop {
            match reader.next_block(&mut block) {
                Ok(true) => {}
                Ok(false) => panic!("it was read to its end"),
                Err(TraceError { kind: TraceErrorKind::Damaged { what, .. }, .. }) => {
                    assert!(block.is_empty());
                    return what;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn raw(time_ns: u64) -> Vec<u8> {
        let mut raw = Vec::new();
        let get =
            Operation { time_ns, kind: OperationKind::Get, key: 1, value_bytes: 0, key_bytes: 0 };
        Operation::encode(&[get], &mut raw);
        raw
    }

    fn compressed(raw: &[u8]) -> Vec<u8> {
        zstd::bulk::compress(raw, 1).unwrap()
    }

    #[test]
    fn fitting_checksums_are_not_enough_for_a_block() {
        let sound = raw(5);
        let (content, bomb) = (compressed(&sound), compressed(&vec![0; 64 << 20]));
        let block = |records, raw_bytes, content| {
            refusal(&[(FrameKind::Records, records, raw_bytes, content)])
        };
        let size = "a block does not decompress to its size";
        assert_eq!(block(1, sound.len() + 1, &content), size);
        assert_eq!(block(1, sound.len() - 1, &content), size);
        assert_eq!(block(1, sound.len(), b"no compression"), size);
        assert_eq!(block(1, 100, &bomb), size, "a bomb");
        // The first record's time, 5, is where the second kind would be.
        let kind = "an operation of a kind that does not exist";
        assert_eq!(block(2, sound.len(), &content), kind);
    }

    #[test]
    fn time_does_not_run_back_between_blocks() {
        let blocks = [5, 5, 4].map(raw);
        let contents = blocks.each_ref().map(|raw| compressed(raw));
        let frames: Vec<_> =
            (0..3).map(|at| (FrameKind::Records, 1, blocks[at].len(), &contents[at][..])).collect();
        assert_eq!(refusal(&frames), "a block begins before the one before it ends");
    }

    #[test]
    fn texts_stand_in_front_of_their_keys_once_and_in_order() {
        let named = |keys: &[u64]| {
            let (mut texts, mut raw) = (Texts::default(), Vec::new());
            keys.iter().for_each(|&key| texts.push(key, b"text"));
            texts.encode(&mut raw);
            (FrameKind::Texts, keys.len(), raw)
        };
        let block = (FrameKind::Records, 1, raw(5));
        let told = |keys: Keys, frames: &[&(FrameKind, usize, Vec<u8>)]| {
            let contents: Vec<Vec<u8>> = frames.iter().map(|(_, _, raw)| compressed(raw)).collect();
            let frames: Vec<_> = frames
                .iter()
                .zip(&contents)
                .map(|((kind, count, raw), content)| (*kind, *count, raw.len(), &content[..]))
                .collect();
            refusal_of(keys, &frames)
        };
        let (one, two, both) = (named(&[1]), named(&[2]), named(&[1, 2]));
        let missing = "a key without its text";
        assert_eq!(told(Keys::Texts, &[&block]), missing);
        assert_eq!(told(Keys::Texts, &[&two, &block]), missing);
        assert_eq!(told(Keys::Texts, &[&two, &one, &block]), missing, "in another order");
        assert_eq!(told(Keys::Texts, &[&one, &block, &one, &block]), "a key with two texts");
        let unused = "a text of a key that no record names";
        assert_eq!(told(Keys::Texts, &[&both, &block]), unused);
        let announced = "texts of keys, and the header announces none";
        assert_eq!(told(Keys::Numbers, &[&one, &block]), announced);
        let end = Totals::new(Operation::CONTENT).to_text().unwrap();
        let content = compressed(&one.2);
        let frames = [
            (FrameKind::Texts, 1, one.2.len(), &content[..]),
            (FrameKind::End, 0, end.len(), &end[..]),
        ];
        assert_eq!(refusal_of(Keys::Texts, &frames), unused, "at the end");
    }

    #[test]
    fn the_end_has_to_tell_of_the_blocks() {
        let end = |text: &[u8]| refusal(&[(FrameKind::End, 0, text.len(), text)]);
        let sound = Totals::new(Operation::CONTENT);
        for totals in [
            Totals { records: 1, ..sound.clone() },
            Totals { blocks: 1, ..sound.clone() },
            Totals { digest: 1, ..sound },
        ] {
            let what = end(&totals.to_text().unwrap());
            assert_eq!(what, "the end block tells of other records than the blocks hold");
        }
        assert!(end(b"{").starts_with("the end block is not text: "));
    }
}
