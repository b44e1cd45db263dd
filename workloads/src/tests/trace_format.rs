//! Traces of version 1, byte by byte. They must stay readable for ever: a difference here means that
//! recorded traces can no longer be read, so revert the change or support both versions.

use std::fmt::Debug;

use workloads::trace::file::{BLOCK_RECORDS, VERSION};
use workloads::trace::{
    Allocation, AllocationKind, Header, Keys, Operation, OperationKind, Record, Totals,
    TraceReader, TraceWriter,
};

const OPERATIONS: &str = "\
    894e425452430d0a01000000500000007b22636f6e74656e74223a226f7065726174696f6e73222c22736f75\
    726365223a2262792068616e64222c2273656564223a34322c22706172616d6574657273223a7b2266696c65\
    73223a2233227d7d18552731152bc6395245435302000000240000002d00000019d73c74dcbf78d528b52ffd\
    20242101000100050000000000000002002700010100000008efcdab89674523010100010200001010e57e47\
    3b284c8c3a5245435301000000120000001b0000009efa0158815e655228b52ffd2012910000020000000000\
    010000000100000001070000bf6f1dd2d02e8dd4444f4e45000000004d0000004d00000092ff25ad4bfeef45\
    7b227265636f726473223a332c22626c6f636b73223a322c22646967657374223a3833393535353538303538\
    39383036333139342c226e6f746573223a7b2274687265616473223a2231227d7dfc20fd73408970d9";

const ALLOCATIONS: &str = "\
    894e425452430d0a010000002c0000007b22636f6e74656e74223a22616c6c6f636174696f6e73222c22736f\
    75726365223a2262792068616e64227d752fe4afde9e86525245435304000000230000002c0000000e6beb41\
    7fc7c30328b52ffd202319010000000102010000010100000000000000000100000201033070400011000001\
    000110008dcf37fbc5a650c5444f4e450000000036000000360000004b5c76e27779045f7b227265636f7264\
    73223a342c22626c6f636b73223a312c22646967657374223a31343338303837313934353831373436313537\
    347d5f1a534a6512dc4e";

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn holds<R: Record + Debug>(file: &str, header: &Header, records: &[R], totals: &Totals) {
    let file = bytes(file);
    let mut reader = TraceReader::<R, _>::new(&file[..], "version-1").unwrap();
    assert_eq!(reader.header(), header);
    let read: Vec<R> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, records);
    assert_eq!(reader.totals(), Some(totals));
}

#[test]
fn operations_of_version_1_can_be_read() {
    let operation = |time_ns, kind, key, value_bytes| Operation {
        time_ns,
        kind,
        key,
        value_bytes,
        key_bytes: 0,
    };
    let header = Header {
        seed: Some(42),
        parameters: [("files".into(), "3".into())].into(),
        ..Header::new::<Operation>("by hand")
    };
    let records = [
        operation(5, OperationKind::Put, 0x0123_4567_89AB_CDEF, 4096),
        operation(300, OperationKind::Get, 0x0123_4567_89AB_CDEF, 4096),
        operation(1 << 40, OperationKind::Delete, 7, 0),
    ];
    let notes = [("threads".into(), "1".into())].into();
    let totals =
        Totals { records: 3, blocks: 2, texts: 0, digest: 8_395_555_805_898_063_194, notes };
    holds(OPERATIONS, &header, &records, &totals);
}

#[test]
fn allocations_of_version_1_can_be_read() {
    let event = |thread, object, kind| Allocation { thread, object, kind };
    let records = [
        event(0, 0, AllocationKind::Allocate { bytes: 48, alignment: 16 }),
        event(0, 1, AllocationKind::Allocate { bytes: 70_000, alignment: 0 }),
        event(1, 0, AllocationKind::Reallocate { bytes: 64 }),
        event(1, 1, AllocationKind::Free),
    ];
    let notes = [].into();
    let totals =
        Totals { records: 4, blocks: 1, texts: 0, digest: 14_380_871_945_817_461_574, notes };
    holds(ALLOCATIONS, &Header::new::<Allocation>("by hand"), &records, &totals);
}

#[test]
fn version_2_is_version_1_with_an_optional_column_and_version_3_has_texts() {
    assert_eq!((VERSION, BLOCK_RECORDS), (3, 65_536));
    let version = |keys| {
        let header = Header { keys, ..Header::new::<Operation>("") };
        let (bytes, _) =
            TraceWriter::<Operation, _>::new(Vec::new(), &header).unwrap().finish().unwrap();
        bytes[8]
    };
    assert_eq!((version(Keys::Numbers), version(Keys::Texts)), (2, 3));
}
