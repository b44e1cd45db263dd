//! Recordings made word by word: lost, foreign, truncated and overwritten records.

use std::fs;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use workloads::trace::{Allocation, AllocationKind};

use super::record::{
    HEADER_BYTES, Header, Kind, MAGIC, RECORD_BYTES, Record, VERSION, WINDOW_BYTES,
};
use super::{CaptureError, Converted, RawFile};

/// A file for one test, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let name = format!("nibble-capture-{}-{test}.raw", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Writes a recording of one window with these `records`, word by word.
    fn write(&self, records: &[[u64; 4]]) -> fs::File {
        let file = fs::File::create(&self.0).expect("a file");
        file.set_len(HEADER_BYTES + WINDOW_BYTES).expect("room");
        for (offset, word) in [
            (offset_of!(Header, magic), MAGIC),
            (offset_of!(Header, version), VERSION),
            (offset_of!(Header, window_bytes), WINDOW_BYTES),
            (offset_of!(Header, pid), 7),
            (offset_of!(Header, program_bytes), 4),
            (offset_of!(Header, claimed), records.len() as u64),
            (offset_of!(Header, windows), 1),
        ] {
            file.write_all_at(&word.to_ne_bytes(), offset as u64).expect("a word");
        }
        file.write_all_at(b"/a/b", offset_of!(Header, program) as u64).expect("a path");
        file.write_all_at(b"a-link-to-b-of-", offset_of!(Header, name) as u64).expect("a name");
        let bytes: Vec<u8> = records.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
        file.write_all_at(&bytes, HEADER_BYTES).expect("the records");
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn words(kind: Kind, thread: u32, address: u64, bytes: u64, alignment: u64) -> [u64; 4] {
    let mark = Record { kind, thread, address, bytes, alignment }.mark();
    [address, bytes, alignment, mark]
}

fn read(file: &RawFile) -> Result<(Vec<Allocation>, Converted), CaptureError> {
    let mut allocations = file.allocations()?;
    let events = allocations.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((events, allocations.converted()))
}

fn converted(test: &str, records: &[[u64; 4]]) -> (Vec<Allocation>, Converted) {
    let scratch = Scratch::new(test);
    scratch.write(records);
    let file = RawFile::open(&scratch.0).expect("a recording").expect("that has begun");
    assert_eq!((file.pid, file.program_name().as_str()), (7, "b"));
    assert!(file.is_of("b") && file.is_of("a-link-to-b-of-another-name"));
    assert!(!file.is_of("") && !file.is_of("a-link-to-b") && !file.is_of("/a/b"));
    read(&file).expect("readable")
}

const fn event(thread: u32, object: u64, kind: AllocationKind) -> Allocation {
    Allocation { thread, object, kind }
}

const fn allocate(bytes: u64) -> AllocationKind {
    AllocationKind::Allocate { bytes, alignment: 0 }
}

#[test]
fn addresses_become_objects_and_threads_count_from_0() {
    let (events, converted) = converted(
        "objects",
        &[
            words(Kind::Allocate, 9, 0x1000, 10, 0),
            words(Kind::Allocate, 4, 0x2000, 20, 48),
            words(Kind::ReallocateBegin, 9, 0x1000, 0, 0),
            // Another thread gets the old address before the reallocation returns.
            words(Kind::Allocate, 4, 0x1000, 5, 0),
            words(Kind::ReallocateEnd, 9, 0x3000, 100, 0),
            words(Kind::Free, 9, 0x1000, 0, 0),
            words(Kind::ReallocateBegin, 4, 0x3000, 0, 0),
            words(Kind::ReallocateEnd, 4, 0, 1 << 60, 0),
            words(Kind::ReallocateBegin, 4, 0x3000, 0, 0),
            words(Kind::ReallocateEnd, 4, 0, 0, 0),
        ],
    );
    let expected = [
        event(0, 0, allocate(10)),
        event(1, 1, AllocationKind::Allocate { bytes: 20, alignment: 64 }),
        event(1, 2, allocate(5)),
        event(0, 0, AllocationKind::Reallocate { bytes: 100 }),
        event(0, 2, AllocationKind::Free),
        event(1, 0, AllocationKind::Free),
    ];
    assert_eq!(events, expected);
    let expected = Converted {
        events: 6,
        threads: 2,
        objects: 3,
        live_objects_end: 1,
        live_bytes_end: 20,
        live_bytes_max: 125,
        ..Converted::default()
    };
    assert_eq!(converted, expected);
}

#[test]
fn objects_of_before_are_foreign() {
    let (events, converted) = converted(
        "foreign",
        &[
            words(Kind::Free, 3, 0x1000, 0, 0),
            words(Kind::ReallocateBegin, 2, 0x2000, 0, 0),
            words(Kind::ReallocateEnd, 2, 0x3000, 30, 0),
            words(Kind::ReallocateBegin, 2, 0x4000, 0, 0),
            words(Kind::ReallocateEnd, 2, 0, 0, 0),
            words(Kind::ReallocateBegin, 2, 0x5000, 0, 0),
            words(Kind::ReallocateEnd, 2, 0, 1 << 60, 0),
        ],
    );
    assert_eq!(events, [event(0, 0, allocate(30))]);
    assert_eq!((converted.foreign_frees, converted.implied_frees), (3, 0));
}

#[test]
fn what_was_not_completed_is_counted_and_the_trace_stays_consistent() {
    let unwritten = [0x9000, 9, 0, 0];
    let (events, converted) = converted(
        "incomplete",
        &[
            words(Kind::Allocate, 1, 0x1000, 1, 0),
            unwritten,
            // Its free is lost.
            words(Kind::Allocate, 1, 0x1000, 2, 0),
            // The end of this reallocation is lost.
            words(Kind::ReallocateBegin, 1, 0x1000, 0, 0),
            words(Kind::Allocate, 1, 0x2000, 3, 0),
            // The beginning of this one is lost.
            words(Kind::ReallocateEnd, 1, 0x2000, 4, 0),
            words(Kind::ReallocateEnd, 1, 0x6000, 5, 0),
            words(Kind::ReallocateEnd, 1, 0, 6, 0),
            // The process ended within this one.
            words(Kind::ReallocateBegin, 1, 0x2000, 0, 0),
        ],
    );
    let expected = [
        event(0, 0, allocate(1)),
        event(0, 0, AllocationKind::Free),
        event(0, 1, allocate(2)),
        event(0, 1, AllocationKind::Free),
        event(0, 2, allocate(3)),
        event(0, 2, AllocationKind::Reallocate { bytes: 4 }),
        event(0, 3, allocate(5)),
    ];
    assert_eq!(events, expected);
    assert_eq!((converted.incomplete_records, converted.implied_frees), (1, 2));
    assert_eq!((converted.live_objects_end, converted.live_bytes_end), (2, 9));
}

#[test]
fn records_without_room_are_incomplete() {
    let scratch = Scratch::new("room");
    let file = scratch.write(&[words(Kind::Allocate, 1, 0x1000, 1, 0)]);
    let records = WINDOW_BYTES / RECORD_BYTES;
    let claimed = (records + 3).to_ne_bytes();
    file.write_all_at(&claimed, offset_of!(Header, claimed) as u64).expect("a count");
    file.write_all_at(&5u64.to_ne_bytes(), offset_of!(Header, lost) as u64).expect("a count");
    let raw = RawFile::open(&scratch.0).expect("a recording").expect("that has begun");
    let (events, converted) = read(&raw).expect("readable");
    assert_eq!(events.len(), 1);
    assert_eq!((converted.incomplete_records, converted.lost_events), (records + 2, 5));
}

fn damage(scratch: &Scratch) -> (u64, String) {
    let read = RawFile::open(&scratch.0)
        .and_then(|file| file.map_or(Ok(()), |file| read(&file).map(|_| ())));
    match read {
        Err(CaptureError::Damaged { offset, reason, .. }) => (offset, reason),
        other => panic!("no damage: {other:?}"),
    }
}

#[test]
fn damages_are_errors_that_say_where() {
    let scratch = Scratch::new("damaged");
    let good = words(Kind::Allocate, 1, 0x1000, 1, 0);
    for bad in [
        [0x1000, 1, 0, 5],
        [0x1000, 1, 0, 1],
        [0x1000, 1, 0, 0x100],
        [0x1000, 1, 0, 1 << 48 | 0x101],
        words(Kind::Free, 1, 0, 0, 0),
        words(Kind::Allocate, 1, 0x1000, u64::MAX, 0),
    ] {
        scratch.write(&[good, bad, good]);
        assert_eq!(damage(&scratch).0, HEADER_BYTES + RECORD_BYTES, "{bad:?}");
    }
    for (offset, word) in [
        (offset_of!(Header, magic), MAGIC.swap_bytes()),
        (offset_of!(Header, version), VERSION + 1),
        (offset_of!(Header, window_bytes), 2 * WINDOW_BYTES),
        (offset_of!(Header, pid), 1 << 32),
        (offset_of!(Header, flags), 2),
        (offset_of!(Header, program_bytes), 4097),
        (offset_of!(Header, windows), u64::MAX),
    ] {
        let file = scratch.write(&[good]);
        file.write_all_at(&word.to_ne_bytes(), offset as u64).expect("a word");
        assert_eq!(damage(&scratch).0, offset as u64);
    }
}

#[test]
fn files_that_are_cut_off_are_errors_that_say_where() {
    let scratch = Scratch::new("cut");
    let file = scratch.write(&[words(Kind::Allocate, 1, 0x1000, 1, 0)]);
    let whole = HEADER_BYTES + WINDOW_BYTES;
    for bytes in [whole - 1, HEADER_BYTES + 40, HEADER_BYTES, HEADER_BYTES - 1, 4000, 300, 8, 3] {
        file.set_len(bytes).expect("cut off");
        assert_eq!(damage(&scratch).0, bytes);
    }
    file.set_len(0).expect("cut off");
    assert!(RawFile::open(&scratch.0).expect("a file").is_none(), "not begun");
    // Truncated between the header and the records.
    let file = scratch.write(&[words(Kind::Allocate, 1, 0x1000, 1, 0); 3]);
    let raw = RawFile::open(&scratch.0).expect("a recording").expect("that has begun");
    file.set_len(HEADER_BYTES + 2 * RECORD_BYTES + 5).expect("cut off");
    assert!(matches!(
        read(&raw),
        Err(CaptureError::Damaged { offset, .. }) if offset == HEADER_BYTES + 2 * RECORD_BYTES
    ));
}

#[test]
fn bytes_at_random_never_panic() {
    let scratch = Scratch::new("random");
    let records: Vec<[u64; 4]> = (0..200u64)
        .map(|number| {
            let address = 0x1000 + number % 7 * 0x100;
            let kind = match number % 5 {
                0 | 1 => Kind::Allocate,
                2 => Kind::ReallocateBegin,
                3 => Kind::ReallocateEnd,
                _ => Kind::Free,
            };
            words(kind, 1 + (number % 3) as u32, address, number, 0)
        })
        .collect();
    let mut rng = workloads::Seed(77).rng();
    let (mut damaged, mut read_whole) = (0, 0);
    for _ in 0..600 {
        let file = scratch.write(&records);
        for _ in 0..=rng.below(4) {
            let offset = match rng.below(2) {
                0 => rng.below(384),
                _ => HEADER_BYTES + rng.below(200 * RECORD_BYTES),
            };
            file.write_all_at(&[rng.below(256) as u8], offset).expect("a byte");
        }
        let whole =
            RawFile::open(&scratch.0).and_then(|file| file.map(|file| read(&file)).transpose());
        match whole {
            Ok(_) => read_whole += 1,
            Err(CaptureError::Damaged { offset, .. }) => {
                assert!(offset <= HEADER_BYTES + WINDOW_BYTES);
                damaged += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(damaged > 50 && read_whole > 50, "{damaged} damaged, {read_whole} read");
}
