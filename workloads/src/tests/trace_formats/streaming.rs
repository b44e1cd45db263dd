//! Readers hold one line, handle short reads, and pass on errors of their input.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use workloads::trace::formats::{Format, open};

use super::samples::sample;
use super::{drain, read};

/// Repeats the same bytes for ever.
struct Endless {
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = (&self.bytes[self.at..]).read(into)?;
        self.at = (self.at + read) % self.bytes.len();
        Ok(read)
    }
}

fn endless(bytes: &[u8]) -> impl BufRead {
    BufReader::new(Endless { bytes: bytes.to_vec(), at: 0 })
}

#[test]
fn endless_traces_give_operations() {
    for format in Format::ALL {
        let bytes = sample(format, 50).bytes;
        let reader = open(format, endless(&bytes), "endless").unwrap();
        assert_eq!(reader.take(10_000).filter(Result::is_ok).count(), 10_000, "{format}");
    }
}

#[test]
fn endless_lines_are_refused() {
    for format in [Format::Twitter, Format::MetaKv202401, Format::CloudPhysics, Format::Msr] {
        let mut reader = open(format, endless(b"x"), "line").unwrap();
        let error = reader.next().unwrap().unwrap_err();
        assert_eq!((error.offset, error.line), (0, Some(1)));
        assert_eq!(error.what, "a line longer than 65536 bytes");
        assert!(reader.next().is_none());
    }
}

#[test]
fn the_longest_line_is_read_with_both_ends() {
    let around = "0,,1,1,1,get,0".len();
    for (key_bytes, fits) in [(65536 - around, true), (65537 - around, false)] {
        for end in ["\n", "\r\n"] {
            let text = format!("0,{},1,1,1,get,0{end}", "k".repeat(key_bytes));
            let read = read(Format::Twitter, text.as_bytes());
            assert_eq!(read.operations.len(), usize::from(fits));
            assert_eq!(read.error.is_none(), fits);
        }
    }
}

#[test]
fn inputs_may_come_in_any_pieces() {
    for format in Format::ALL {
        let sample = sample(format, 100);
        let compressed = zstd::encode_all(&sample.bytes[..], 3).unwrap();
        for bytes in [&sample.bytes, &compressed] {
            let input = BufReader::with_capacity(1, &bytes[..]);
            let read = drain(open(format, input, "pieces").unwrap());
            assert_eq!(read.error, None);
            assert_eq!(read.operations, sample.operations_within(sample.bytes.len()));
        }
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn broken_inputs_are_errors_behind_what_they_gave() {
    for format in Format::ALL {
        let sample = sample(format, 20);
        let input = BufReader::new(Cursor::new(sample.bytes.clone()).chain(Broken));
        let read = drain(open(format, input, "broken").unwrap());
        assert_eq!(read.operations, sample.operations_within(sample.bytes.len()));
        let error = read.error.unwrap();
        assert_eq!(error.offset, sample.bytes.len() as u64);
        assert_eq!(error.what, "cannot be read: the disk is gone");
    }
    let error = open(Format::Msr, BufReader::new(Broken), "broken").unwrap_err();
    assert_eq!(error.offset, 0);
}
