//! A thousand lines or records of each format are read back exactly, plain and compressed.

use workloads::trace::formats::Format;

use super::read;
use super::samples::sample;

#[test]
fn every_format_is_read_back_exactly() {
    for format in Format::ALL {
        let sample = sample(format, 1000);
        let expected = sample.operations_within(sample.bytes.len());
        assert!(expected.len() >= 900, "{format}: {}", expected.len());
        let compressed = zstd::encode_all(&sample.bytes[..], 3).unwrap();
        // Two frames, as in files that were compressed and then joined.
        let (one, other) = sample.bytes.split_at(sample.bytes.len() / 3);
        let frames = [one, other].map(|part| zstd::encode_all(part, 1).unwrap()).concat();
        for bytes in [&sample.bytes, &compressed, &frames] {
            let read = read(format, bytes);
            assert_eq!(read.error, None);
            assert_eq!(read.backward_times, 0);
            assert_eq!(read.operations.first().unwrap().time_ns, 0);
            assert!(read.operations == expected, "{format}");
        }
    }
}
