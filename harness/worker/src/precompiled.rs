//! A trace's requests as words in a file: written once, read by every cell that replays them. The worker
//! then needs no decoder and no table of keys, whose freed memory could serve the allocator under test. Keys
//! that are asked as byte strings are a file of their own.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use workloads::requests::{Miss, Numbering, ReplayTotals, Request};
use workloads::trace::{Operation, TraceReader};
use xxhash_rust::xxh3::Xxh3;

use crate::trace_keys::KeysMade;
use record::{PrecompiledRequests, TraceKeys};

/// Bytes of an object's header, as the fill counts them.
const HEADER_BYTES: u64 = 4;
/// Bytes of header and key per object, as the fill counts them, where keys are words.
pub const OVERHEAD_BYTES: u64 = HEADER_BYTES + 8;
const CHUNK_WORDS: usize = 1 << 13;

/// Writes the requests of `operations` to `file`, and their times beside it. The files appear complete or
/// not at all.
///
/// # Errors
/// A damaged trace, or an error of the file system.
pub fn precompile<E: std::fmt::Display>(
    operations: impl Iterator<Item = Result<Operation, E>>,
    miss: Miss,
    file: &Path,
) -> Result<(PrecompiledRequests, ReplayTotals), String> {
    let mut made = Making::create(file, Numbering::new(miss, OVERHEAD_BYTES))?;
    for operation in operations {
        made.push(&operation.map_err(|error| error.to_string())?)?;
    }
    made.finish()
}

/// The same of a trace that is replayed with its own keys, which are written to `keys`. The file of requests
/// is another than [`precompile`]'s, because keys are no part of values.
///
/// # Errors
/// Besides, a trace whose keys have no texts.
pub fn precompile_with_keys(
    trace: &mut TraceReader<Operation, impl Read>,
    miss: Miss,
    (file, keys): (&Path, &Path),
) -> Result<(PrecompiledRequests, TraceKeys, ReplayTotals), String> {
    let mut made = Making::create(file, Numbering::of_texts(miss, HEADER_BYTES))?;
    let (mut all, mut block) = (KeysMade::default(), Vec::new());
    while trace.next_block(&mut block).map_err(|error| error.to_string())? {
        let texts = trace.new_texts();
        texts.iter().for_each(|(_, text)| made.numbering.name_next(text.len()));
        all.add(texts);
        block.iter().try_for_each(|operation| made.push(operation))?;
    }
    let keys = all.write(keys)?;
    let (precompiled, totals) = made.finish()?;
    Ok((precompiled, keys, totals))
}

/// Requests on their way to a file, and their times.
struct Making {
    numbering: Numbering,
    words: Output,
    times: Output,
}

impl Making {
    fn create(file: &Path, numbering: Numbering) -> Result<Self, String> {
        let (words, times) = (Output::create(file)?, Output::create(&times_of(file))?);
        Ok(Self { numbering, words, times })
    }

    fn push(&mut self, operation: &Operation) -> Result<(), String> {
        let requests = self.numbering.requests(operation).map_err(|error| error.to_string())?;
        for request in [Some(requests.0), requests.1].into_iter().flatten() {
            self.words.push(request.word())?;
            self.times.push(operation.time_ns)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(PrecompiledRequests, ReplayTotals), String> {
        let file = self.words.path.display().to_string();
        let checksum = self.words.finish()?;
        self.times.finish()?;
        Ok((PrecompiledRequests { file, checksum }, self.numbering.totals()))
    }
}

/// Path of the times that belong to a file of requests.
pub fn times_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".times");
    name.into()
}

/// Passes every request to `each`, in order.
///
/// # Errors
/// When the file is not the one that was written. The requests that `each` has seen are then not to be used.
pub fn read(
    precompiled: &PrecompiledRequests,
    requests: u64,
    mut each: impl FnMut(Request),
) -> Result<(), String> {
    let (mut checksum, mut are_requests) = (Xxh3::new(), true);
    let count = read_words(Path::new(&precompiled.file), |bytes, word| {
        if let Some(bytes) = bytes {
            checksum.update(bytes);
        }
        match Request::from_word(word) {
            Some(request) => each(request),
            None => are_requests = false,
        }
    })?;
    let found = format!("{:016x}", checksum.digest());
    if !are_requests || count != requests || found != precompiled.checksum {
        return Err(format!(
            "{}: {count} requests with checksum {found}, and {requests} with {} were written: remove \
             the file, it is made again",
            precompiled.file, precompiled.checksum
        ));
    }
    Ok(())
}

/// Passes the time of every request to `each`, in order.
///
/// # Errors
/// When the file does not hold one time per request.
pub fn read_times(
    precompiled: &PrecompiledRequests,
    requests: u64,
    mut each: impl FnMut(u64),
) -> Result<(), String> {
    let file = times_of(Path::new(&precompiled.file));
    let count = read_words(&file, |_, word| each(word))?;
    if count != requests {
        return Err(format!(
            "{}: {count} times, and {requests} requests were written: remove the file, it is made \
             again",
            file.display()
        ));
    }
    Ok(())
}

/// Passes each word of a file to `each`; the first word of a chunk comes with all bytes of the chunk.
fn read_words(path: &Path, mut each: impl FnMut(Option<&[u8]>, u64)) -> Result<u64, String> {
    let fail = |error: io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(fail)?;
    let mut chunk = [0; CHUNK_WORDS * 8];
    let mut count = 0;
    loop {
        let mut length = 0;
        while length < chunk.len() {
            match file.read(&mut chunk[length..]).map_err(fail)? {
                0 => break,
                bytes => length += bytes,
            }
        }
        if length == 0 {
            return Ok(count);
        }
        let (words, rest) = chunk[..length].as_chunks::<8>();
        if !rest.is_empty() {
            return Err(format!(
                "{}: ends within a word, {} bytes after word {}: remove the file, it is made again",
                path.display(),
                rest.len(),
                count + words.len() as u64
            ));
        }
        for (at, word) in words.iter().enumerate() {
            each((at == 0).then_some(&chunk[..length]), u64::from_le_bytes(*word));
        }
        count += words.len() as u64;
    }
}

/// A file of words that gets its name once it is complete.
struct Output {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    checksum: Xxh3,
}

impl Output {
    fn create(path: &Path) -> Result<Self, String> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let file = File::create(&temporary)
            .map_err(|error| format!("{}: {error}", temporary.display()))?;
        let file = BufWriter::with_capacity(CHUNK_WORDS * 8, file);
        Ok(Self { path: path.to_owned(), temporary, file, checksum: Xxh3::new() })
    }

    fn push(&mut self, word: u64) -> Result<(), String> {
        let bytes = word.to_le_bytes();
        self.checksum.update(&bytes);
        self.file.write_all(&bytes).map_err(|error| self.fail(&error))
    }

    fn finish(mut self) -> Result<String, String> {
        self.file.flush().map_err(|error| self.fail(&error))?;
        std::fs::rename(&self.temporary, &self.path).map_err(|error| self.fail(&error))?;
        Ok(format!("{:016x}", self.checksum.digest()))
    }

    fn fail(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.temporary.display())
    }
}

impl Drop for Output {
    /// Removes an unfinished file. A finished one has been renamed already.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use workloads::requests::RequestKind;
    use workloads::trace::{Header, Keys, OperationKind, TraceWriter, key_of_bytes};

    use super::*;
    use record::made_up::Folder;

    fn operations(count: u64) -> impl Iterator<Item = Result<Operation, Infallible>> {
        (0..count).map(|number| {
            let kind = if number % 3 == 0 { OperationKind::Put } else { OperationKind::Get };
            Ok(Operation {
                time_ns: number * 5,
                kind,
                key: number / 3,
                value_bytes: 7,
                key_bytes: 0,
            })
        })
    }

    #[test]
    fn requests_are_read_back_with_their_times() {
        let folder = Folder::new("precompiled");
        let file = folder.0.join("t.requests");
        let (precompiled, totals) = precompile(operations(30_000), Miss::Nothing, &file).unwrap();
        assert_eq!((totals.requests, totals.inserts), (30_000, 10_000));
        let (mut requests, mut times) = (Vec::new(), Vec::new());
        read(&precompiled, 30_000, |request| requests.push(request)).unwrap();
        read_times(&precompiled, 30_000, |time| times.push(time)).unwrap();
        assert_eq!(requests[3], Request::new(RequestKind::Insert, 7, 1));
        assert_eq!((requests.len(), times[29_999]), (30_000, 29_999 * 5));
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2, "nothing temporary stays");
    }

    #[test]
    fn a_trace_with_texts_is_replayed_with_them() {
        let header = Header { keys: Keys::Texts, ..Header::new::<Operation>("t") };
        let mut writer = TraceWriter::new(Vec::new(), &header).unwrap();
        let texts = [&b"user:10"[..], b"", b"a\0b"];
        for (number, operation) in operations(3000).map(Result::unwrap).enumerate() {
            let text = texts[number % 3];
            let key = key_of_bytes(text);
            writer.name(key, text).unwrap();
            writer.push(Operation { key, key_bytes: 90, ..operation }).unwrap();
        }
        let (trace, _) = writer.finish().unwrap();
        let mut reader = TraceReader::<Operation, _>::new(&trace[..], "t").unwrap();
        let folder = Folder::new("precompiled-texts");
        let files = [folder.0.join("t.requests"), folder.0.join("t.keys")];
        let (precompiled, keys, totals) =
            precompile_with_keys(&mut reader, Miss::Set, (&files[0], &files[1])).unwrap();
        assert_eq!((totals.records, totals.live_bytes, totals.live_key_bytes), (3, 21, 10));
        assert_eq!((keys.bytes, keys.bytes_max), (10, 7));
        let bytes = std::fs::read(&files[1]).unwrap();
        assert!(bytes.ends_with(b"user:10a\0b"), "{bytes:?}");
        let mut sizes = Vec::new();
        read(&precompiled, totals.requests, |request| sizes.push(request.size())).unwrap();
        assert!(sizes.iter().all(|&bytes| bytes == 7), "values are without their keys");
    }

    #[test]
    fn a_file_that_changed_is_not_replayed() {
        let folder = Folder::new("precompiled-damaged");
        let file = folder.0.join("t.requests");
        let (precompiled, _) = precompile(operations(1000), Miss::Nothing, &file).unwrap();
        let good = std::fs::read(&file).unwrap();
        let (whole, all) = (good.len(), u8::MAX);
        // Byte 23 has the kind of the third request: nothing has the kind that it turns into.
        for (at, flipped, length) in
            [(17, 1, whole), (23, all, whole), (0, 0, whole - 8), (0, 0, whole - 3)]
        {
            let mut bytes = good.clone();
            bytes.truncate(length);
            bytes[at] ^= flipped;
            std::fs::write(&file, bytes).unwrap();
            let error = read(&precompiled, 1000, |_| ()).unwrap_err();
            assert!(error.contains("remove the file"), "{error}");
        }
    }
}
