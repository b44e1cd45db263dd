//! Traces whose keys have texts: what a client asked with comes back byte by byte, and no text is missing,
//! doubled or in the wrong place without an error.

use std::collections::HashMap;

use workloads::trace::file::{BLOCK_RECORDS, repair, verify};
use workloads::trace::formats::{Format, open};
use workloads::trace::{
    Allocation, Header, Keys, Operation, OperationKind, Totals, TraceReader, TraceWriter,
    WriteError, key_of_bytes,
};

fn header() -> Header {
    Header { keys: Keys::Texts, ..Header::new::<Operation>("a test") }
}

fn get(key: u64) -> Operation {
    Operation { time_ns: 0, kind: OperationKind::Get, key, value_bytes: 0, key_bytes: 0 }
}

/// The text that a key has in these tests: of many lengths, 0 too, and with every byte.
fn text_of(number: u64) -> Vec<u8> {
    let number = number as usize;
    (0..number % 300).map(|at| (number * 31 + at) as u8).chain(number.to_le_bytes()).collect()
}

fn writer() -> TraceWriter<Operation, Vec<u8>> {
    TraceWriter::new(Vec::new(), &header()).unwrap()
}

/// A trace of these keys, each with its text.
fn trace(numbers: impl Iterator<Item = u64>) -> (Vec<u8>, Totals) {
    let mut writer = writer();
    for number in numbers {
        let text = text_of(number);
        let key = key_of_bytes(&text);
        writer.name(key, &text).unwrap();
        writer.push(get(key)).unwrap();
    }
    writer.finish().unwrap()
}

/// A key and its text.
type Named = (u64, Vec<u8>);

/// Keys of all records, and the texts in their order.
fn read(bytes: &[u8]) -> Result<(Vec<u64>, Vec<Named>), String> {
    let mut reader = TraceReader::<Operation, _>::new(bytes, "t").map_err(|e| e.to_string())?;
    let (mut block, mut keys, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    while reader.next_block(&mut block).map_err(|error| error.to_string())? {
        keys.extend(block.iter().map(|operation| operation.key));
        texts.extend(reader.new_texts().iter().map(|(key, text)| (key, text.to_vec())));
    }
    Ok((keys, texts))
}

/// More than a block, and more texts than fit into a frame.
fn numbers() -> impl Iterator<Item = u64> + Clone {
    (0..2 * BLOCK_RECORDS as u64).map(|at| at % 90_000)
}

#[test]
fn texts_come_back_once_each_in_the_order_of_their_keys() {
    let (bytes, totals) = trace(numbers());
    assert_eq!((totals.records, totals.texts), (2 * BLOCK_RECORDS as u64, 90_000));
    let (keys, texts) = read(&bytes).unwrap();
    let expected = (0..90_000).map(|number| {
        let text = text_of(number);
        (key_of_bytes(&text), text)
    });
    assert!(texts.iter().cloned().eq(expected));
    let named: HashMap<u64, &[u8]> = texts.iter().map(|(key, text)| (*key, &text[..])).collect();
    assert!(keys.iter().zip(numbers()).all(|(key, number)| named[key] == text_of(number)));
    assert_eq!(verify(&bytes[..], "t").unwrap().1, totals);
}

#[test]
fn a_repair_keeps_the_texts_of_what_it_keeps() {
    let (bytes, totals) = trace(numbers());
    let repaired = |bytes: &[u8]| {
        let mut copy = Vec::new();
        (repair(bytes, "t", &mut copy).unwrap(), copy)
    };
    let (whole, copy) = repaired(&bytes);
    assert_eq!((whole.digest, copy == bytes), (totals.digest, true));
    let (cut, copy) = repaired(&bytes[..bytes.len() - 2000]);
    assert_eq!((cut.blocks, cut.texts), (1, BLOCK_RECORDS as u64));
    assert_eq!(read(&copy).unwrap().1.len(), BLOCK_RECORDS);
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let (bytes, _) = trace([1, 2, 1, 70, 2].into_iter());
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() {
        assert!(read(&bytes[..at]).is_err(), "cut at {at}");
        for bit in 0..8 {
            damaged[at] ^= 1 << bit;
            assert!(read(&damaged).is_err(), "byte {at}, bit {bit}");
            damaged[at] = bytes[at];
        }
    }
}

#[test]
fn what_a_trace_cannot_tell_apart_is_not_written() {
    let mut plain =
        TraceWriter::<Operation, _>::new(Vec::new(), &Header::new::<Operation>("")).unwrap();
    assert!(matches!(plain.name(1, b"a"), Err(WriteError::NoTexts)));

    let mut writer = writer();
    let unnamed = writer.push(get(1)).unwrap_err().to_string();
    assert!(unnamed.contains("key 0000000000000001 has no text"), "{unnamed}");
    let long = writer.name(1, &[b'k'; 65_536]).unwrap_err().to_string();
    assert!(long.contains("a key of 65536 bytes") && long.contains("`--keys numbers`"), "{long}");
    // Two keys of one text, whichever of them has the hash of the text.
    let hash = key_of_bytes(b"same");
    writer.name(5, b"same").unwrap();
    for key in [hash, 6] {
        let same = writer.name(key, b"same").unwrap_err().to_string();
        assert!(same.contains("two keys would be the text \"same\""), "{same}");
    }
    let other = key_of_bytes(b"other");
    writer.name(other, b"other").unwrap();
    assert!(matches!(writer.name(7, b"other"), Err(WriteError::SameText { .. })));
    writer.name(5, b"same").unwrap();
    for key in [5, other] {
        writer.push(get(key)).unwrap();
    }
    assert_eq!(writer.finish().unwrap().1.texts, 2);

    let allocations = Header { keys: Keys::Texts, ..Header::new::<Allocation>("") };
    let (bytes, _) =
        TraceWriter::<Allocation, _>::new(Vec::new(), &allocations).unwrap().finish().unwrap();
    assert!(verify(&bytes[..], "t").is_err(), "allocations have no keys");
}

/// Texts of the operations in a trace of a public format.
fn texts(format: Format, bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let mut reader = open(format, bytes, "t").unwrap();
    let mut texts = Vec::new();
    while let Some(operation) = reader.next() {
        operation.unwrap();
        texts.push(reader.text().map(<[u8]>::to_vec));
    }
    texts
}

fn some(texts: &[&[u8]]) -> Vec<Option<Vec<u8>>> {
    texts.iter().map(|text| Some(text.to_vec())).collect()
}

#[test]
fn formats_of_texts_give_the_bytes_of_their_files() {
    let twitter = b"0,q:q:1:8WTfjZU14ee,17,213,4,get,0\n0,a,b,3,9,1,set,5\n1,short,8,9,1,get,0\n\
                    1,longer-than-told,4,9,1,delete,0\n";
    assert_eq!(
        texts(Format::Twitter, twitter),
        some(&[b"q:q:1:8WTfjZU14ee", b"a,b", b"short\0\0\0", b"longer-than-told"])
    );
    let meta = b"key,op,size,op_count,key_size\n77,GET,,2,4\n78,FROB,1,1,2\n79,SET,5,1,2\n";
    assert_eq!(texts(Format::MetaKv202206, meta), some(&[b"77\0\0", b"77\0\0", b"79"]));
    let redis = b"1.0 [0 c] \"mset\" \"a\\x00\" \"1\" \"b\" \"2\"\n1.1 [12 c] \"getdel\" \"a\"\n";
    assert_eq!(texts(Format::RedisMonitor, redis), some(&[b"a\0", b"b", b"a\xFF12", b"a\xFF12"]));
    assert_eq!(texts(Format::Msr, b"128166372003061629,h,0,Read,512,4096,9\n"), [None]);
    for format in Format::ALL {
        let numbers = [Format::Msr, Format::CloudPhysics, Format::OracleGeneral];
        assert_eq!(format.has_texts(), !numbers.contains(&format));
    }
}
