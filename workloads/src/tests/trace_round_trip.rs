//! Traces are read back record by record, however long they are, and so is the complete part of an
//! interrupted recording.

use std::fmt::Debug;
use std::io;
use std::thread;

use super::common::{PostMark, Program};
use workloads::Seed;
use workloads::trace::file::{BLOCK_RECORDS, REPAIRED, peek_content, repair, verify};
use workloads::trace::{
    Allocation, Content, Header, Operation, OperationKind, Record, TraceErrorKind, TraceReader,
    TraceWriter, WriteError,
};

/// Writes `count` records into a pipe and compares its output with the same stream generated again; the
/// trace is never held as a whole.
fn streamed<R: Record + Debug + Send>(
    count: usize,
    stream: impl Fn() -> Box<dyn Iterator<Item = R> + Send>,
) {
    let (from, into) = io::pipe().unwrap();
    let header = Header::new::<R>("a stream");
    let records = stream();
    thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut writer = TraceWriter::new(into, &header).unwrap();
            records.take(count).for_each(|record| writer.push(record).unwrap());
            writer.note("who", "a test").unwrap();
            writer.finish().unwrap().1
        });
        let mut reader = TraceReader::<R, _>::new(from, "pipe").unwrap();
        assert_eq!(*reader.header(), header);
        let mut expected = stream();
        let mut block = Vec::new();
        let mut records = 0;
        while reader.next_block(&mut block).unwrap() {
            for record in &block {
                assert_eq!(Some(*record), expected.next(), "record {records}");
                records += 1;
            }
        }
        assert_eq!(records, count);
        let written = writing.join().unwrap();
        assert_eq!(reader.totals(), Some(&written));
        assert_eq!(written.records, count as u64);
        assert_eq!(written.blocks, count.div_ceil(BLOCK_RECORDS) as u64);
        assert_eq!(written.notes["who"], "a test");
    });
}

#[test]
fn ten_million_operations_come_back() {
    streamed::<Operation>(10_000_000, || Box::new(PostMark::new(Seed(42))));
}

#[test]
fn a_million_events_of_allocators_come_back() {
    streamed::<Allocation>(1_000_000, || Box::new(Program::new(Seed(42))));
}

#[test]
fn lengths_around_a_block_come_back() {
    for count in [0, 1, BLOCK_RECORDS - 1, BLOCK_RECORDS, BLOCK_RECORDS + 1] {
        streamed::<Operation>(count, || Box::new(PostMark::new(Seed(1))));
        streamed::<Allocation>(count, || Box::new(Program::new(Seed(1))));
    }
}

fn operations(count: usize) -> Vec<Operation> {
    PostMark::new(Seed(7)).take(count).collect()
}

/// The file of a recorder that is killed after `records`.
fn killed(records: &[Operation]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, &Header::new::<Operation>("killed")).unwrap();
    records.iter().for_each(|&record| writer.push(record).unwrap());
    drop(writer);
    bytes
}

#[test]
fn a_killed_recorder_leaves_its_complete_blocks() {
    let records = operations(2 * BLOCK_RECORDS + 1000);
    let bytes = killed(&records);
    let complete = &records[..2 * BLOCK_RECORDS];

    let error = verify(&bytes[..], "killed.trace").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "trace killed.trace, byte {}: no end block: its recording was cut after 131072 \
             records in 2 complete blocks, 0 bytes of another follow; `nibble-bench trace repair \
             killed.trace` keeps the complete blocks",
            bytes.len()
        )
    );
    let reader = TraceReader::<Operation, _>::new(&bytes[..], "killed.trace").unwrap();
    let mut reader = reader.allow_unfinished();
    let read: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, complete);
    assert!(reader.is_unfinished());
    assert_eq!(reader.totals().unwrap().records, complete.len() as u64);

    let mut repaired = Vec::new();
    let totals = repair(&bytes[..], "killed.trace", &mut repaired).unwrap();
    assert_eq!(totals.records, complete.len() as u64);
    assert_eq!(totals.digest, reader.totals().unwrap().digest);
    assert!(totals.notes[REPAIRED].starts_with(&format!("cut at byte {}: ", bytes.len())));
    let mut reader = TraceReader::<Operation, _>::new(&repaired[..], "repaired.trace").unwrap();
    let read: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, complete);
    assert!(!reader.is_unfinished());
    assert_eq!(reader.totals(), Some(&totals));
}

#[test]
fn a_repair_keeps_what_stands_before_damage_and_all_where_there_is_none() {
    let records = operations(300);
    let mut writer = TraceWriter::new(Vec::new(), &Header::new::<Operation>("whole")).unwrap();
    for block in records.chunks(100) {
        block.iter().for_each(|&record| writer.push(record).unwrap());
        writer.flush_block().unwrap();
    }
    writer.note("threads", "4").unwrap();
    let (bytes, written) = writer.finish().unwrap();
    assert_eq!(written.blocks, 3);

    let mut copy = Vec::new();
    assert_eq!(repair(&bytes[..], "whole", &mut copy).unwrap(), written);
    assert_eq!(copy, bytes);

    let longer = [&bytes[..], b"more"].concat();
    copy.clear();
    let totals = repair(&longer[..], "longer", &mut copy).unwrap();
    assert_eq!((totals.records, totals.digest), (300, written.digest));
    assert_eq!(totals.notes["threads"], "4");
    assert!(totals.notes[REPAIRED].contains("more bytes follow"));
    assert_eq!(verify(&copy[..], "copy").unwrap().1, totals);

    // The last byte of the last block: its checksum.
    let end = bytes.windows(4).rposition(|window| window == b"DONE").unwrap();
    let mut damaged = bytes;
    damaged[end - 1] ^= 1;
    copy.clear();
    let totals = repair(&damaged[..], "damaged", &mut copy).unwrap();
    assert_eq!((totals.records, totals.blocks), (200, 2));
    assert!(totals.notes[REPAIRED].contains("does not fit its checksum"));
    let mut reader = TraceReader::<Operation, _>::new(&copy[..], "copy").unwrap();
    let read: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, records[..200]);
}

#[test]
fn a_digest_is_that_of_the_records() {
    let totals = |source: &str, records: &[Operation]| {
        let mut writer = TraceWriter::new(Vec::new(), &Header::new::<Operation>(source)).unwrap();
        records.iter().for_each(|&record| writer.push(record).unwrap());
        writer.finish().unwrap().1
    };
    let records = operations(1000);
    let mut other = records.clone();
    other[999].value_bytes += 1;
    assert_eq!(totals("one", &records).digest, totals("two", &records).digest);
    assert_ne!(totals("one", &records).digest, totals("one", &other).digest);
    assert_ne!(totals("one", &records).digest, totals("one", &records[..999]).digest);
}

#[test]
fn the_content_is_told_and_held_to() {
    let header = Header::new::<Allocation>("malloc of a program");
    let (bytes, _) =
        TraceWriter::<Allocation, _>::new(Vec::new(), &header).unwrap().finish().unwrap();
    let (content, peeked) = peek_content(&bytes[..], "a.trace").unwrap();
    assert_eq!((content, peeked), (Content::Allocations, header.clone()));
    let error = TraceReader::<Operation, _>::new(&bytes[..], "a.trace").unwrap_err();
    assert!(matches!(error.kind, TraceErrorKind::WrongContent { .. }));
    assert_eq!(
        error.to_string(),
        "trace a.trace, byte 0: a trace of allocations, but one of operations is asked for; give \
         a command that takes allocations, or another trace"
    );
    let error = TraceWriter::<Operation, _>::new(Vec::new(), &header).unwrap_err();
    assert!(matches!(error, WriteError::WrongContent { .. }));
}

#[test]
fn a_record_from_the_past_is_refused_and_the_trace_goes_on() {
    let at = |time_ns| Operation {
        time_ns,
        kind: OperationKind::Get,
        key: 1,
        value_bytes: 0,
        key_bytes: 0,
    };
    let mut writer = TraceWriter::new(Vec::new(), &Header::new::<Operation>("clock")).unwrap();
    writer.push(at(10)).unwrap();
    writer.flush_block().unwrap();
    let refusal = writer.push(at(9)).unwrap_err();
    assert!(matches!(refusal, WriteError::Backwards { record: 1, time_ns: 9, before_ns: 10 }));
    writer.push(at(10)).unwrap();
    let (bytes, totals) = writer.finish().unwrap();
    assert_eq!(totals.records, 2);
    assert_eq!(verify(&bytes[..], "clock").unwrap().1, totals);
}

#[test]
fn notes_have_bounds() {
    let header = Header::new::<Operation>("notes");
    let mut writer = TraceWriter::<Operation, _>::new(Vec::new(), &header).unwrap();
    writer.note("first", "kept").unwrap();
    let long = "\n".repeat(1 << 20);
    for name in ["first", "second"] {
        assert!(matches!(writer.note(name, &long), Err(WriteError::TextTooLong)));
    }
    writer.note("third", "kept").unwrap();
    let (bytes, totals) = writer.finish().unwrap();
    assert_eq!(totals.notes.keys().collect::<Vec<_>>(), ["first", "third"]);
    assert_eq!(totals.notes["first"], "kept");
    assert_eq!(verify(&bytes[..], "notes").unwrap().1, totals);
}

/// Accepts this many bytes and is then full, like a disk.
struct Disk {
    bytes: Vec<u8>,
    room: usize,
}

impl io::Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room - self.bytes.len());
        if taken == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_keeps_the_blocks_before() {
    let records = operations(200);
    let mut disk = Disk { bytes: Vec::new(), room: usize::MAX };
    let mut writer = TraceWriter::new(&mut disk, &Header::new::<Operation>("disk")).unwrap();
    records[..100].iter().for_each(|&record| writer.push(record).unwrap());
    writer.flush_block().unwrap();
    drop(writer);
    let room = disk.bytes.len() + 50;

    let mut disk = Disk { bytes: Vec::new(), room };
    let mut writer = TraceWriter::new(&mut disk, &Header::new::<Operation>("disk")).unwrap();
    records[..100].iter().for_each(|&record| writer.push(record).unwrap());
    writer.flush_block().unwrap();
    records[100..].iter().for_each(|&record| writer.push(record).unwrap());
    assert!(matches!(writer.flush_block(), Err(WriteError::Io(_))));
    assert!(matches!(writer.flush_block(), Err(WriteError::Broken)));
    assert!(matches!(writer.finish(), Err(WriteError::Broken)));

    let error = verify(&disk.bytes[..], "disk").unwrap_err();
    let TraceErrorKind::Unfinished { complete_records: 100, complete_blocks: 1, torn_bytes: 50 } =
        error.kind
    else {
        panic!("{error}");
    };
    assert_eq!(error.offset, room as u64 - 50);
}
