//! Files with right checksums and wrong contents.

use baseline_silt::Files;

use super::memory::Memory;
use crate::buffer::Buffer;
use crate::key::Key;
use crate::record::{self, Entry};

fn changed(
    files: &Memory,
    name: &str,
    record_bytes: usize,
    change: impl FnOnce(&mut dyn FnMut(u64) -> (Key, Vec<u8>)) -> Vec<(u64, (Key, Vec<u8>))>,
) {
    let file = files.open(name).unwrap();
    let mut buffer = Buffer::new(file.length().unwrap() as usize);
    file.read(0, buffer.bytes_mut()).unwrap();
    let mut read = |ordinal: u64| {
        let bytes = &buffer.bytes()[ordinal as usize * record_bytes..][..record_bytes];
        match record::read(bytes, ordinal).unwrap() {
            Some((key, Entry::Value(value))) => (*key, value.to_vec()),
            other => panic!("record {ordinal}: {other:?}"),
        }
    };
    for (ordinal, (key, value)) in change(&mut read) {
        let into = &mut buffer.bytes_mut()[ordinal as usize * record_bytes..][..record_bytes];
        record::write(into, ordinal, &key, Entry::Value(&value));
    }
    file.write(0, buffer.bytes()).unwrap();
}

/// Exchanges two records of a file.
pub(super) fn exchange_records(files: &Memory, name: &str, one: u64, other: u64, bytes: usize) {
    changed(files, name, bytes, |read| vec![(one, read(other)), (other, read(one))]);
}

/// Writes a record over another.
pub(super) fn copy_record(files: &Memory, name: &str, from: u64, to: u64, bytes: usize) {
    changed(files, name, bytes, |read| vec![(to, read(from))]);
}
