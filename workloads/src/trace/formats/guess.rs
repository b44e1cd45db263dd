//! Guesses the format of a file.

use std::io::Read;

use super::Format;
use super::cloud_physics;
use super::meta_kv;
use super::msr;
use super::oracle_general::{RECORD_BYTES, Record};
use super::redis;
use super::source::ZSTD_MAGIC;
use super::twitter;

/// How many bytes of a compressed trace are examined.
const LOOK_BYTES: u64 = 64 << 10;
/// Fewer records may look right by accident.
const RECORDS_MIN: usize = 2;
/// libCacheSim puts the format into its file names.
const ORACLE_GENERAL: &str = "oraclegeneral";

impl Format {
    /// The format of a file, judged by its first bytes, else by its name; `None` if neither tells.
    ///
    /// `first_bytes` should hold several complete lines or records: a few KiB. They may be
    /// compressed.
    #[must_use]
    pub fn guess(file_name: &str, first_bytes: &[u8]) -> Option<Self> {
        let mut plain = Vec::new();
        let bytes = if first_bytes.starts_with(&ZSTD_MAGIC) {
            let mut decoder =
                zstd::stream::read::Decoder::with_buffer(first_bytes).ok()?.take(LOOK_BYTES);
            // Decoding fails where the bytes end; what it produced before is kept.
            let _ = decoder.read_to_end(&mut plain);
            &plain
        } else {
            first_bytes
        };
        let named = || file_name.to_ascii_lowercase().contains(ORACLE_GENERAL);
        of_text(bytes)
            .or_else(|| named().then_some(Self::OracleGeneral))
            .or_else(|| are_records(bytes).then_some(Self::OracleGeneral))
    }
}

/// Judges the first few lines: the very first may be a header, or the reply to MONITOR.
fn of_text(bytes: &[u8]) -> Option<Format> {
    const LINES: usize = 2;
    let complete = &bytes[..bytes.iter().rposition(|&byte| byte == b'\n')?];
    let lines = complete.split(|&byte| byte == b'\n');
    lines.take(LINES).find_map(|line| of_line(line.trim_ascii()))
}

fn of_line(line: &[u8]) -> Option<Format> {
    let names_all = |wanted: &[&str]| {
        wanted.iter().all(|name| {
            line.split(|&byte| byte == b',')
                .any(|column| column.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    if names_all(&meta_kv::TIMED) {
        return Some(Format::MetaKv202401);
    }
    if names_all(&meta_kv::UNTIMED) {
        return Some(Format::MetaKv202206);
    }
    if names_all(&cloud_physics::COLUMNS) {
        return Some(Format::CloudPhysics);
    }
    if redis::parts(line.strip_prefix(b"+").unwrap_or(line)).is_ok() {
        return Some(Format::RedisMonitor);
    }
    let is_block_request = |[_, _, _, kind, ..]: [&[u8]; 7]| {
        kind.eq_ignore_ascii_case(b"read") || kind.eq_ignore_ascii_case(b"write")
    };
    if msr::columns(line).is_some_and(is_block_request) {
        return Some(Format::Msr);
    }
    let columns = twitter::Columns::of(line)?;
    columns.has_known_operation().then_some(Format::Twitter)
}

/// Whether times never decrease and next requests lie ahead.
fn are_records(bytes: &[u8]) -> bool {
    let (records, _) = bytes.as_chunks::<RECORD_BYTES>();
    let mut time_s = 0;
    let likely = records.iter().zip(0..).all(|(bytes, number)| {
        let record = Record::of(bytes);
        let forwards = record.time_s >= time_s;
        time_s = record.time_s;
        forwards && (record.next == -1 || record.next > number) && record.size_bytes > 0
    });
    likely && records.len() >= RECORDS_MIN
}
