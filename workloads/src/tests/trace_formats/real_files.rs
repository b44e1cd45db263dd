//! A real trace in two formats, if available.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use workloads::trace::formats::{Format, Reader, open};
use workloads::trace::{Operation, OperationKind};

const VARIABLE: &str = "NIBBLE_TRACE_FILES";

fn open_file(folder: &Path, name: &str, expected: Format) -> Reader<'static> {
    let path = folder.join(name);
    let mut start = vec![0; 4096];
    let file = || File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    file().read_exact(&mut start).unwrap();
    assert_eq!(Format::guess("", &start), Some(expected));
    open(expected, BufReader::new(file()), name).unwrap()
}

fn operations(mut reader: Reader<'_>) -> Vec<Operation> {
    let operations = reader.by_ref().map(|result| result.unwrap_or_else(|error| panic!("{error}")));
    let operations = operations.collect();
    assert_eq!((reader.skipped().total(), reader.backward_times()), (0, 0));
    operations
}

/// libCacheSim's example trace `cloudPhysicsIO` in text and as oracleGeneral. Both have the same
/// requests at the same times for the same keys. The binary form has no kinds, and gives every
/// request the size of the first one for the same block.
#[test]
fn cloud_physics_and_oracle_general_agree() {
    let Some(folder) = std::env::var_os(VARIABLE) else {
        eprintln!("skipped: set {VARIABLE} to a folder with libCacheSim's cloudPhysicsIO files");
        return;
    };
    let folder = Path::new(&folder);
    let text = operations(open_file(folder, "cloudPhysicsIO.csv", Format::CloudPhysics));
    let name = "cloudPhysicsIO.oracleGeneral.bin";
    let binary = operations(open_file(folder, name, Format::OracleGeneral));

    assert_eq!((text.len(), binary.len()), (113_872, 113_872));
    let mut first_sizes = BTreeMap::new();
    let mut same_sizes = 0;
    for (number, (text, binary)) in text.iter().zip(&binary).enumerate() {
        assert_eq!((text.key, text.time_ns), (binary.key, binary.time_ns), "request {number}");
        let first_size = *first_sizes.entry(text.key).or_insert(text.value_bytes);
        assert_eq!(binary.value_bytes, first_size, "request {number}");
        same_sizes += usize::from(text.value_bytes == binary.value_bytes);
    }
    assert_eq!((first_sizes.len(), same_sizes), (48_974, 113_872 - 13_671));
    let of_kind = |kind| text.iter().filter(|operation| operation.kind == kind).count();
    assert_eq!((of_kind(OperationKind::Get), of_kind(OperationKind::Put)), (46_974, 66_898));
    assert!(binary.iter().all(|operation| operation.kind == OperationKind::Get));
    assert_eq!(text.last().unwrap().time_ns, 7_200_000_000_000);
}
