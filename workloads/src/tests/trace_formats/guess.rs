//! Formats are recognised by their first bytes, then by their file names.

use workloads::trace::formats::Format;

use super::samples::sample;

#[test]
fn every_format_is_guessed_from_its_first_bytes() {
    for format in Format::ALL {
        let bytes = sample(format, 300).bytes;
        let compressed = zstd::encode_all(&bytes[..], 3).unwrap();
        assert_eq!(Format::guess("trace", &bytes), Some(format));
        assert_eq!(Format::guess("trace", &bytes[..600]), Some(format), "a line is cut");
        assert_eq!(Format::guess("trace.zst", &compressed), Some(format));
        assert_eq!(Format::guess("", &sample(format, 2).bytes), Some(format));
    }
    let compressed = zstd::encode_all(&sample(Format::Twitter, 100_000).bytes[..], 3).unwrap();
    let start = &compressed[..compressed.len() / 4];
    assert_eq!(Format::guess("cluster001.zst", start), Some(Format::Twitter));
}

#[test]
fn what_tells_nothing_is_not_guessed() {
    let zeros = [0; 48];
    for bytes in
        [&b""[..], b"\n", b"a,b,c\n", b"OK\n", b"{\"json\": 1}\n", b"1,2,3,4,5,6,7\n", &zeros]
    {
        assert_eq!(Format::guess("trace.csv", bytes), None, "{}", bytes.escape_ascii());
    }
    let name = "w105.OracleGeneral.bin.zst";
    assert_eq!(Format::guess(name, &zeros), Some(Format::OracleGeneral));
}
