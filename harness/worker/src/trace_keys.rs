//! The keys of a replayed trace, as they are in the trace, in mappings of their own.
//!
//! A file of keys holds, of little-endian words: how many keys there are, then where each ends; behind that
//! the keys, by record number. Where several sets of keys are asked, because threads have working sets of
//! their own or the trace is copied, each key is followed by the number of its set.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use workloads::index_of;
use workloads::trace::file::Texts;
use xxhash_rust::xxh3::Xxh3;

use crate::mapped::MappedSlice;
use record::{Replay, TraceKeys};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 1 << 16;
const WORD: usize = size_of::<u64>();
const SET_BYTES: usize = TraceKeys::SET_BYTES as usize;

/// The keys that a worker asks with.
#[derive(Debug)]
pub(crate) struct RecordedKeys {
    /// Where each key ends in `bytes`.
    ends: MappedSlice<u64>,
    bytes: MappedSlice<u8>,
    bytes_max: usize,
    /// Bytes of a set's number behind each key.
    set_bytes: usize,
}

impl RecordedKeys {
    /// Reads the keys of a replay by so many threads; `None` if it asks by words.
    ///
    /// # Errors
    /// The file is not the one that was written.
    pub(crate) fn of(replay: &Replay, threads: usize) -> Result<Option<Self>, String> {
        let Some(keys) = &replay.keys else { return Ok(None) };
        let (set_bytes, records) = (replay.set_bytes(threads) as usize, replay.totals.records);
        Self::read(keys, records as usize, set_bytes).map(Some)
    }

    fn read(keys: &TraceKeys, records: usize, set_bytes: usize) -> Result<Self, String> {
        let path = Path::new(&keys.file);
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = File::open(path).map_err(fail)?;
        let changed = || {
            format!(
                "{}: it does not hold the {records} keys with checksum {} that were written: remove the \
                 file, it is made again",
                path.display(),
                keys.checksum
            )
        };
        let whole = (records + 1) * WORD + keys.bytes as usize;
        if file.metadata().map_err(fail)?.len() != whole as u64 {
            return Err(changed());
        }
        let mut checksum = Xxh3::new();
        let mut count = [0; WORD];
        file.read_exact(&mut count).map_err(fail)?;
        checksum.update(&count);
        let mut ends = MappedSlice::<u64>::resident(records).map_err(fail)?;
        let mut chunk = [0; CHUNK_BYTES];
        for part in ends.chunks_mut(CHUNK_BYTES / WORD) {
            let bytes = &mut chunk[..part.len() * WORD];
            file.read_exact(bytes).map_err(fail)?;
            checksum.update(bytes);
            for (end, word) in part.iter_mut().zip(bytes.as_chunks::<WORD>().0) {
                *end = u64::from_le_bytes(*word);
            }
        }
        let mut bytes = MappedSlice::<u8>::resident(keys.bytes as usize).map_err(fail)?;
        file.read_exact(&mut bytes).map_err(fail)?;
        checksum.update(&bytes);
        if format!("{:016x}", checksum.digest()) != keys.checksum
            || u64::from_le_bytes(count) != records as u64
            || !ends.is_sorted()
            || ends.last().copied().unwrap_or(0) != keys.bytes
        {
            return Err(changed());
        }
        Ok(Self { ends, bytes, bytes_max: keys.bytes_max as usize, set_bytes })
    }

    pub(crate) fn bytes_max(&self) -> usize {
        self.bytes_max + self.set_bytes
    }

    /// The length of the key of `word`, which is the [`key_of`](workloads::key_of) a record.
    #[inline]
    pub(crate) fn bytes(&self, word: u64) -> usize {
        self.text(word).0.len() + self.set_bytes
    }

    /// The key of `word`: in place, or in `room` where a set's number follows.
    #[inline]
    pub(crate) fn spell<'a>(&'a self, word: u64, room: &'a mut [u8]) -> &'a [u8] {
        let (text, set) = self.text(word);
        if self.set_bytes == 0 {
            return text;
        }
        let key = &mut room[..text.len() + SET_BYTES];
        let (front, back) = key.split_at_mut(text.len());
        front.copy_from_slice(text);
        back.copy_from_slice(&set.to_be_bytes());
        key
    }

    /// The trace's key of a record, and the record's set.
    #[inline]
    fn text(&self, word: u64) -> (&[u8], u16) {
        let (record, all) = (index_of(word), self.ends.len() as u64);
        let place = (record % all) as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        (&self.bytes[start as usize..self.ends[place] as usize], (record / all) as u16)
    }
}

/// The keys of a trace while they are written.
#[derive(Debug, Default)]
pub(crate) struct KeysMade {
    ends: Vec<u64>,
    bytes: Vec<u8>,
    bytes_max: u64,
}

impl KeysMade {
    /// Adds the keys that are new in a block.
    pub(crate) fn add(&mut self, texts: &Texts) {
        for (_, text) in texts.iter() {
            self.bytes.extend_from_slice(text);
            self.ends.push(self.bytes.len() as u64);
            self.bytes_max = self.bytes_max.max(text.len() as u64);
        }
    }

    /// Writes them to `path`, which appears complete or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn write(&self, path: &Path) -> Result<TraceKeys, String> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let written = self.write_to(&temporary).and_then(|checksum| {
            std::fs::rename(&temporary, path)?;
            Ok(checksum)
        });
        let checksum = written.map_err(|error| {
            let _ = std::fs::remove_file(&temporary);
            format!("{}: {error}", temporary.display())
        })?;
        Ok(TraceKeys {
            file: path.display().to_string(),
            checksum,
            bytes: self.bytes.len() as u64,
            bytes_max: self.bytes_max,
        })
    }

    fn write_to(&self, path: &Path) -> std::io::Result<String> {
        let mut file = BufWriter::with_capacity(CHUNK_BYTES, File::create(path)?);
        let mut checksum = Xxh3::new();
        let mut put = |bytes: &[u8]| {
            checksum.update(bytes);
            file.write_all(bytes)
        };
        put(&(self.ends.len() as u64).to_le_bytes())?;
        self.ends.iter().try_for_each(|end| put(&end.to_le_bytes()))?;
        put(&self.bytes)?;
        file.flush()?;
        Ok(format!("{:016x}", checksum.digest()))
    }
}

#[cfg(test)]
mod tests {
    use workloads::key_of;

    use super::*;
    use record::made_up::Folder;

    const KEYS: [&[u8]; 4] = [b"user:1", b"", b"\0\xFF", b"user:2"];

    fn written(folder: &Folder) -> TraceKeys {
        let (mut made, mut end) = (KeysMade::default(), 0);
        for key in KEYS {
            made.bytes.extend_from_slice(key);
            end += key.len() as u64;
            made.ends.push(end);
        }
        made.bytes_max = 6;
        made.write(&folder.0.join("t.keys")).unwrap()
    }

    #[test]
    fn one_set_is_asked_with_the_very_bytes_and_several_with_their_number_behind() {
        let folder = Folder::new("trace-keys");
        let keys = written(&folder);
        let one = RecordedKeys::read(&keys, 4, 0).unwrap();
        let mut room = [0; 8];
        for (record, key) in (0..).zip(KEYS) {
            assert_eq!(one.spell(key_of(record), &mut room), key);
            assert_eq!(one.bytes(key_of(record)), key.len());
        }
        let sets = RecordedKeys::read(&keys, 4, SET_BYTES).unwrap();
        assert_eq!(sets.spell(key_of(3), &mut room), b"user:2\0\0");
        assert_eq!(sets.spell(key_of(4 * 259 + 1), &mut room), [1, 3], "259 is 1 and 3");
        assert_eq!((sets.bytes(key_of(4 * 259 + 1)), sets.bytes_max(), one.bytes_max()), (2, 8, 6));
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "nothing temporary stays");
    }

    #[test]
    fn a_file_that_changed_is_not_asked_with() {
        let folder = Folder::new("trace-keys-damaged");
        let keys = written(&folder);
        let good = std::fs::read(&keys.file).unwrap();
        for (at, flipped, length) in [(0, 1, good.len()), (9, 1, good.len()), (45, 4, good.len())] {
            let mut bytes = good[..length].to_vec();
            bytes[at] ^= flipped;
            std::fs::write(&keys.file, bytes).unwrap();
            let error = RecordedKeys::read(&keys, 4, 0).unwrap_err();
            assert!(error.contains("remove the file"), "{error}");
        }
        std::fs::write(&keys.file, &good[..good.len() - 1]).unwrap();
        assert!(RecordedKeys::read(&keys, 4, 0).is_err());
        std::fs::write(&keys.file, &good).unwrap();
        assert!(RecordedKeys::read(&keys, 4, 0).is_ok());
        assert!(RecordedKeys::read(&keys, 3, 0).is_err(), "of another number of records");
    }
}
