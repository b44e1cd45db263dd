//! Damage is always detected: every flipped bit and every cut of a trace is an error with a position, or,
//! if requested, yields a trace of complete blocks.

use std::fmt::Debug;

use super::common::{PostMark, Program};
use workloads::trace::file::{peek_content, repair, verify};
use workloads::trace::{
    Allocation, Header, Operation, Record, TraceError, TraceErrorKind, TraceReader, TraceWriter,
};
use workloads::{Rng, Seed};

/// Records of the blocks of the small trace.
const BLOCKS: [usize; 3] = [40, 1, 25];

/// A small trace: its bytes, where its header and each of its blocks end, and its records.
struct Small<R> {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    records: Vec<R>,
}

impl<R: Record> Small<R> {
    fn new(stream: impl Iterator<Item = R>) -> Self {
        let records: Vec<R> = stream.take(BLOCKS.iter().sum()).collect();
        let ends = (0..=BLOCKS.len()).map(|blocks| {
            let mut bytes = Vec::new();
            drop(begin(&mut bytes, &records, blocks));
            bytes.len()
        });
        let ends = ends.collect();
        let mut bytes = Vec::new();
        let mut writer = begin(&mut bytes, &records, BLOCKS.len());
        writer.note("threads", "1").unwrap();
        writer.finish().unwrap();
        Self { bytes, ends, records }
    }
}

/// Writes the header and the first `blocks` blocks.
fn begin<'a, R: Record>(
    out: &'a mut Vec<u8>,
    mut records: &[R],
    blocks: usize,
) -> TraceWriter<R, &'a mut Vec<u8>> {
    let header = Header { seed: Some(3), ..Header::new::<R>("a test") };
    let mut writer = TraceWriter::new(out, &header).unwrap();
    for &block in &BLOCKS[..blocks] {
        let (front, back) = records.split_at(block);
        front.iter().for_each(|&record| writer.push(record).unwrap());
        writer.flush_block().unwrap();
        records = back;
    }
    writer
}

/// Reads everything: the records returned, and how reading ended.
fn read<R: Record>(bytes: &[u8], unfinished: bool) -> (Vec<R>, Result<bool, TraceError>) {
    let mut reader = match TraceReader::<R, _>::new(bytes, "small") {
        Ok(reader) if unfinished => reader.allow_unfinished(),
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut records = Vec::new();
    let mut block = vec![];
    loop {
        match reader.next_block(&mut block) {
            Ok(true) => records.extend(&block),
            Ok(false) => {
                assert!(block.is_empty());
                return (records, Ok(reader.is_unfinished()));
            }
            Err(error) => {
                assert!(block.is_empty());
                assert!(reader.totals().is_none());
                assert!(reader.next_block(&mut block).is_err(), "an error is not forgotten");
                return (records, Err(error));
            }
        }
    }
}

/// The records of the blocks that end at or before `offset`.
fn complete(ends: &[usize], offset: usize) -> usize {
    let blocks = ends[1..].iter().filter(|&&end| end <= offset).count();
    BLOCKS[..blocks].iter().sum()
}

fn flips<R: Record>(stream: impl Iterator<Item = R>) {
    let Small { bytes, ends, records } = Small::new(stream);
    let (handed_out, end) = read::<R>(&bytes, false);
    assert_eq!((handed_out, end.unwrap()), (records.clone(), false));
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            damaged[at] ^= 1 << bit;
            for unfinished in [false, true] {
                let (handed_out, end) = read::<R>(&damaged, unfinished);
                let error = end.expect_err("a flipped bit");
                let sound = complete(&ends, at);
                assert_eq!(handed_out, records[..sound], "byte {at}, bit {bit}");
                // Reported within the frame that is damaged.
                let begin = ends.iter().copied().filter(|&end| end <= at).max().unwrap_or(0);
                assert!((begin as u64..=bytes.len() as u64).contains(&error.offset), "{error}");
                assert!(error.to_string().contains(&format!("small, byte {}", error.offset)));
            }
            damaged[at] = bytes[at];
        }
    }
}

fn cuts<R: Record>(stream: impl Iterator<Item = R>) {
    let Small { bytes, ends, records } = Small::new(stream);
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        let sound = complete(&ends, length);
        let (handed_out, end) = read::<R>(cut, false);
        assert_eq!(handed_out, records[..sound]);
        let error = end.expect_err("a cut");
        let (handed_out, end) = read::<R>(cut, true);
        assert_eq!(handed_out, records[..sound]);
        let mut repaired = Vec::new();
        let repair = repair(cut, "small", &mut repaired);
        if length < ends[0] {
            let in_header = |kind: &TraceErrorKind| {
                matches!(kind, TraceErrorKind::HeaderCutShort | TraceErrorKind::NotATrace { .. })
            };
            assert!(in_header(&error.kind) && in_header(&end.unwrap_err().kind));
            assert!(repair.is_err());
            continue;
        }
        assert!(end.unwrap(), "it is told that the trace is unfinished");
        let last = ends.iter().copied().filter(|&end| end <= length).max().unwrap();
        assert_eq!(error.offset, last as u64);
        let TraceErrorKind::Unfinished { complete_records, complete_blocks: _, torn_bytes } =
            error.kind
        else {
            panic!("{error}");
        };
        assert_eq!((complete_records, torn_bytes), (sound as u64, (length - last) as u64));
        assert_eq!(repair.unwrap().records, sound as u64);
        assert_eq!(read::<R>(&repaired, false).0, records[..sound]);
        assert!(verify(&repaired[..], "repaired").is_ok());
    }
}

#[test]
fn every_flipped_bit_of_operations_is_found() {
    flips(PostMark::new(Seed(1)));
}

#[test]
fn every_flipped_bit_of_allocations_is_found() {
    flips(Program::new(Seed(1)));
}

#[test]
fn every_cut_of_operations_is_found() {
    cuts(PostMark::new(Seed(2)));
}

#[test]
fn every_cut_of_allocations_is_found() {
    cuts(Program::new(Seed(2)));
}

#[test]
fn blocks_that_are_missing_doubled_or_exchanged_are_found() {
    let Small { bytes, ends, .. } = Small::<Operation>::new(PostMark::new(Seed(3)));
    let [header, first, second, third] = ends[..] else { panic!("three blocks: {ends:?}") };
    let other = Small::<Operation>::new(PostMark::new(Seed(4)));
    let (head, end) = (&bytes[..header], &bytes[third..]);
    let blocks = [&bytes[header..first], &bytes[first..second], &bytes[second..third]];
    let foreign = &other.bytes[other.ends[0]..other.ends[1]];
    for order in [
        vec![blocks[0], blocks[2]],
        vec![blocks[1], blocks[2]],
        vec![blocks[0], blocks[1]],
        vec![blocks[0], blocks[0], blocks[1], blocks[2]],
        vec![blocks[1], blocks[0], blocks[2]],
        vec![blocks[0], foreign, blocks[1], blocks[2]],
    ] {
        let damaged = [head, &order.concat(), end].concat();
        let error = verify(&damaged[..], "small").unwrap_err();
        assert!(matches!(error.kind, TraceErrorKind::Damaged { .. }), "{error}");
        // Without an end block that counts them, each block must still fit the previous one.
        let unfinished = read::<Operation>(&[head, &order.concat()].concat(), true);
        assert_eq!(unfinished.1.is_ok(), order == blocks[..2]);
    }
    let twice = [&bytes[..], &bytes].concat();
    let error = verify(&twice[..], "small").unwrap_err();
    assert!(matches!(error.kind, TraceErrorKind::Trailing), "{error}");
    assert_eq!(error.offset, bytes.len() as u64);
}

/// Overwrites, inserts and removes some bytes.
fn mangled(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut mangled = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(mangled.len() as u64) as usize;
        let length = (rng.below(40) as usize).min(mangled.len() - at);
        let noise: Vec<u8> = (0..rng.below(40)).map(|_| rng.next_u64() as u8).collect();
        match rng.below(3) {
            0 => mangled[at..at + length].fill_with(|| rng.next_u64() as u8),
            1 => drop(mangled.splice(at..at + length, noise)),
            _ => drop(mangled.splice(at..at, noise)),
        }
        mangled.push(0);
    }
    mangled
}

fn mangling<R: Record + Debug>(stream: impl Iterator<Item = R>) {
    let Small { bytes, records, .. } = Small::new(stream);
    let mut rng = Seed(5).rng();
    for _ in 0..5_000 {
        let mangled = mangled(&bytes, &mut rng);
        let (handed_out, end) = read::<R>(&mangled, false);
        assert!(end.is_err());
        assert!(records.starts_with(&handed_out));
    }
}

#[test]
fn mangled_traces_are_found() {
    mangling(PostMark::new(Seed(6)));
    mangling(Program::new(Seed(6)));
}

#[test]
fn garbage_is_no_trace() {
    let mut rng = Seed(8).rng();
    let header = Header::new::<Allocation>("garbage follows");
    let mut begin = Vec::new();
    drop(TraceWriter::<Allocation, _>::new(&mut begin, &header).unwrap());
    for _ in 0..5_000 {
        let garbage: Vec<u8> = (0..rng.below(300)).map(|_| rng.next_u64() as u8).collect();
        assert!(peek_content(&garbage[..], "garbage").is_err());
        assert!(verify(&garbage[..], "garbage").is_err());
        assert!(repair(&garbage[..], "garbage", Vec::new()).is_err());
        let behind_a_header = [&begin[..], &garbage].concat();
        assert!(verify(&behind_a_header[..], "garbage").is_err());
        assert_eq!(repair(&behind_a_header[..], "garbage", Vec::new()).unwrap().records, 0);
    }
}
