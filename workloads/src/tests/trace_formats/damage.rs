//! Damaged traces: never a panic, never a silent loss, and errors lie within the file.

use workloads::trace::formats::Format;
use workloads::{Rng, Seed};

use super::samples::sample;
use super::{OPERATIONS_MAX, read};

/// Formats that begin with a header have no empty traces.
fn has_header(format: Format) -> bool {
    matches!(format, Format::MetaKv202206 | Format::MetaKv202401 | Format::CloudPhysics)
}

#[test]
fn a_cut_trace_gives_its_whole_items_and_says_where_it_was_cut() {
    for format in Format::ALL {
        let sample = sample(format, 30);
        for cut in 0..=sample.bytes.len() {
            let read = read(format, &sample.bytes[..cut]);
            assert_eq!(read.operations, sample.operations_within(cut), "{format} cut at {cut}");
            let ends = || std::iter::once(0).chain(sample.items.iter().map(|item| item.end));
            let last_end = ends().take_while(|&end| end <= cut).last().unwrap();
            let whole = cut == last_end && !(cut == 0 && has_header(format));
            let place = read.error.map(|error| error.offset);
            assert_eq!(place, (!whole).then_some(last_end as u64), "{format} cut at {cut}");
        }
    }
}

#[test]
fn a_cut_compressed_trace_is_an_error_behind_a_prefix() {
    for format in Format::ALL {
        let sample = sample(format, 30);
        let compressed = zstd::encode_all(&sample.bytes[..], 3).unwrap();
        let all = sample.operations_within(sample.bytes.len());
        for cut in 1..compressed.len() {
            let read = read(format, &compressed[..cut]);
            assert!(all.starts_with(&read.operations), "{format} cut at {cut}");
            let error = read.error.unwrap_or_else(|| panic!("{format} cut at {cut}: no error"));
            assert!(error.offset <= sample.bytes.len() as u64);
        }
    }
}

#[test]
fn flipped_bytes_do_not_change_what_stands_before_them() {
    let mut rng = Rng::new(Seed(23));
    for format in Format::ALL {
        let sample = sample(format, 30);
        for _ in 0..3000 {
            let mut bytes = sample.bytes.clone();
            let mut first = bytes.len();
            for _ in 0..=rng.below(4) {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 + rng.below(255) as u8;
                first = first.min(at);
            }
            let read = read(format, &bytes);
            let before = sample.operations_within(first);
            assert!(read.operations.starts_with(&before), "{format}: {}", bytes.escape_ascii());
            assert!(read.operations.is_sorted_by_key(|operation| operation.time_ns));
            if let Some(error) = read.error {
                assert!(error.offset <= bytes.len() as u64, "{error}");
                assert!(!error.what.is_empty() && !error.remedy.is_empty());
            } else if read.operations.len() < OPERATIONS_MAX {
                let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
                let skipped = read.skipped.total();
                assert!(skipped <= lines, "{format}: {skipped} of {lines} lines skipped");
            }
        }
    }
}

#[test]
fn flipped_bytes_of_compressed_traces_are_survived() {
    let mut rng = Rng::new(Seed(29));
    for format in Format::ALL {
        let compressed = zstd::encode_all(&sample(format, 30).bytes[..], 3).unwrap();
        for _ in 0..300 {
            let mut bytes = compressed.clone();
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 + rng.below(255) as u8;
            read(format, &bytes);
            let _ = Format::guess("damaged.zst", &bytes);
        }
    }
}

#[test]
fn garbage_is_survived_and_refused_within_the_file() {
    let mut rng = Rng::new(Seed(31));
    // Fragments of the formats, so that garbage gets past the first column.
    let alphabet = b"0123456789,,,\n\n\"\\ x[].+GETSETLEASEDELreadsetgetOKkeyopsizeop_count";
    let mut refused = 0;
    for format in Format::ALL {
        for _ in 0..3000 {
            let plain = rng.chance(0.5);
            let mut byte = || match rng.below(256) as u8 {
                any if plain => any,
                any => alphabet[usize::from(any) % alphabet.len()],
            };
            let length = usize::from(byte()) * 4 + usize::from(byte()) % 24;
            let bytes: Vec<u8> = (0..length).map(|_| byte()).collect();
            let read = read(format, &bytes);
            let _ = Format::guess("garbage", &bytes);
            if let Some(error) = read.error {
                refused += 1;
                assert!(error.offset <= bytes.len() as u64, "{error}");
                assert!(error.to_string().starts_with("sample"), "{error}");
            } else if format == Format::OracleGeneral {
                assert_eq!(read.operations.len() * 24, bytes.len());
            }
        }
    }
    assert!(refused > 3000 * 6, "{refused}");
}
