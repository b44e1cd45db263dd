//! The mapping from file operations to key-value operations, one at a time.

use std::collections::BTreeMap;

use super::*;
use crate::Seed;
use crate::trace::OperationKind::{Delete, Get, Put};

type Seen = (OperationKind, u64, u32);

fn taken(files: &mut TableFs) -> Vec<Seen> {
    std::iter::from_fn(|| files.next_operation()).map(|o| (o.kind, o.key, o.value_bytes)).collect()
}

const NAME: &[u8] = b"name";
/// Size of a row with a 4-byte name and no data.
const ROW: u32 = ATTRIBUTE_BYTES + 4;

/// A flushed and closed file of `bytes` bytes in the root; its operations have been taken.
fn file_of(bytes: u64) -> (TableFs, Inode) {
    let mut files = TableFs::new();
    let (inode, handle) = files.create(Inode::ROOT, NAME).unwrap();
    files.write(handle, 0, bytes).unwrap();
    files.release(handle).unwrap();
    taken(&mut files);
    (files, inode)
}

#[test]
fn the_life_of_a_small_file() {
    let mut files = TableFs::new();
    let root = Inode::ROOT;
    let directory = files.mkdir(root, b"s0").unwrap();
    assert_eq!(taken(&mut files), [(Put, row_key(root, b"s0"), ATTRIBUTE_BYTES + 2)]);
    assert!(files.lookup(root, b"s0").unwrap().unwrap().is_directory);
    assert_eq!(taken(&mut files), [], "entries of directories are cached");

    let key = row_key(directory, NAME);
    assert_eq!(files.lookup(directory, NAME), Ok(None));
    let (inode, handle) = files.create(directory, NAME).unwrap();
    files.write(handle, 0, 512).unwrap();
    files.write(handle, 512, 300).unwrap();
    assert_eq!(taken(&mut files), [(Get, key, 0), (Put, key, ROW)]);
    assert_eq!(files.attributes(inode).unwrap().bytes, 812);
    files.flush(handle).unwrap();
    files.flush(handle).unwrap();
    files.release(handle).unwrap();
    assert_eq!(taken(&mut files), [(Put, key, ROW + 812)], "once, whoever flushes how often");

    assert_eq!(files.lookup(directory, NAME).unwrap().unwrap().bytes, 812);
    let handle = files.open(inode).unwrap();
    files.stat(inode).unwrap();
    files.read(handle, 0, 4096).unwrap();
    files.release(handle).unwrap();
    assert_eq!(taken(&mut files), [(Get, key, ROW + 812); 2], "the handle holds the row");

    assert_eq!(files.rmdir(root, b"s0"), Err(FileError::NotEmpty));
    files.unlink(directory, NAME).unwrap();
    files.rmdir(root, b"s0").unwrap();
    assert_eq!(taken(&mut files), [(Delete, key, 0), (Delete, row_key(root, b"s0"), 0)]);
    assert_eq!(files.attributes(inode), None);
}

#[test]
fn larger_files_have_blocks() {
    let (mut files, inode) = file_of(4096);
    let (key, block) = (row_key(Inode::ROOT, NAME), |number| block_key(inode, number));
    let handle = files.open(inode).unwrap();
    files.write(handle, 4096, 904).unwrap();
    files.flush(handle).unwrap();
    let moved = [(Put, key, ROW), (Put, block(0), 4096), (Put, block(1), 904)];
    assert_eq!(taken(&mut files), [&[(Get, key, ROW + 4096)][..], &moved].concat());

    let reader = files.open(inode).unwrap();
    files.read(reader, 0, 10_000).unwrap();
    files.read(reader, 0, 10_000).unwrap();
    let read = [(Get, key, ROW), (Get, block(0), 4096), (Get, block(1), 904)];
    assert_eq!(taken(&mut files), read, "each block once per handle");

    files.write(handle, 4100, 10).unwrap();
    assert_eq!(taken(&mut files), [], "the handle wrote this block and still holds it");
    files.write(reader, 8192, 8192).unwrap();
    files.write(reader, 4096, 4096).unwrap();
    files.release(reader).unwrap();
    let grown = [(Put, key, ROW), (Put, block(1), 4096), (Put, block(2), 4096)];
    assert_eq!(taken(&mut files), [&grown[..], &[(Put, block(3), 4096)]].concat());

    let third = files.open(inode).unwrap();
    files.write(third, 100, 1).unwrap();
    files.release(third).unwrap();
    let changed = [(Get, key, ROW), (Get, block(0), 4096), (Put, key, ROW), (Put, block(0), 4096)];
    assert_eq!(taken(&mut files), changed, "a block that changes in part is read before");

    files.unlink(Inode::ROOT, NAME).unwrap();
    let deleted = (0..4).map(|number| (Delete, block(number), 0));
    assert_eq!(
        taken(&mut files),
        [(Delete, key, 0)].into_iter().chain(deleted).collect::<Vec<_>>()
    );
    files.write(handle, 0, 100).unwrap();
    files.read(handle, 0, 100).unwrap();
    assert!(files.attributes(inode).is_some(), "it is still open");
    files.release(handle).unwrap();
    assert_eq!(taken(&mut files), [], "what was unlinked is not stored again");
    assert_eq!(files.attributes(inode), None);
}

#[test]
fn data_written_piece_by_piece_leaves_the_row_whole() {
    let mut files = TableFs::new();
    let (inode, handle) = files.create(Inode::ROOT, NAME).unwrap();
    for piece in 0..3 {
        files.write(handle, piece * 4096, 4096).unwrap();
    }
    files.release(handle).unwrap();
    let row = row_key(Inode::ROOT, NAME);
    let blocks = (0..3).map(|number| (Put, block_key(inode, number), 4096));
    let stored = [(Put, row, ROW); 2].into_iter().chain(blocks);
    assert_eq!(taken(&mut files), stored.collect::<Vec<_>>());
}

#[test]
fn truncation_stores_at_once() {
    let (mut files, inode) = file_of(10_000);
    let (key, block) = (row_key(Inode::ROOT, NAME), |number| block_key(inode, number));
    files.truncate(inode, 9000).unwrap();
    let cut = [(Get, key, ROW), (Get, block(2), 1808), (Put, key, ROW), (Put, block(2), 808)];
    assert_eq!(taken(&mut files), cut);
    files.truncate(inode, 8192).unwrap();
    assert_eq!(taken(&mut files), [(Get, key, ROW), (Put, key, ROW), (Delete, block(2), 0)]);
    files.truncate(inode, 100).unwrap();
    let inline = [(Get, key, ROW), (Get, block(0), 4096), (Put, key, ROW + 100)];
    let gone = [(Delete, block(0), 0), (Delete, block(1), 0)];
    assert_eq!(taken(&mut files), [&inline[..], &gone].concat());
    let handle = files.open(inode).unwrap();
    taken(&mut files);
    files.truncate(inode, 5000).unwrap();
    let moved = [(Put, key, ROW), (Put, block(0), 4096), (Put, block(1), 904)];
    assert_eq!(taken(&mut files), moved, "the row is held by the handle");
    assert_eq!(files.truncate(inode, FILE_BYTES_MAX + 1), Err(FileError::TooLarge));
    assert_eq!(files.write(handle, u64::MAX, 1), Err(FileError::TooLarge));
    files.truncate(inode, 0).unwrap();
    files.set_attributes(inode).unwrap();
    let emptied = [(Put, key, ROW), (Delete, block(0), 0), (Delete, block(1), 0), (Put, key, ROW)];
    assert_eq!(taken(&mut files), emptied);
}

#[test]
fn a_rename_moves_the_row_alone() {
    let (mut files, inode) = file_of(5000);
    let root = Inode::ROOT;
    let directory = files.mkdir(root, b"s0").unwrap();
    let (old, handle) = files.create(directory, b"other").unwrap();
    files.write(handle, 0, 9000).unwrap();
    files.release(handle).unwrap();
    taken(&mut files);
    files.rename((root, NAME), (directory, b"other")).unwrap();
    let blocks = (0..3).map(|number| (Delete, block_key(old, number), 0));
    let row = [(Delete, row_key(root, NAME), 0), (Put, row_key(directory, b"other"), ROW + 1)];
    assert_eq!(taken(&mut files), blocks.chain(row).collect::<Vec<_>>());
    assert_eq!(files.lookup(directory, b"other").unwrap().unwrap().inode, inode);
    assert_eq!(files.attributes(old), None);

    assert_eq!(files.rename((root, b"s0"), (directory, b"in")), Err(FileError::IntoItself));
    files.mkdir(root, b"s1").unwrap();
    assert_eq!(files.rename((root, b"s1"), (root, b"s0")), Err(FileError::NotEmpty));
    assert_eq!(files.rename((directory, b"other"), (root, b"s1")), Err(FileError::IsADirectory));
    assert_eq!(files.rename((root, b"s1"), (directory, b"other")), Err(FileError::NotADirectory));
    files.rename((root, b"s0"), (root, b"s1")).unwrap();
    assert_eq!(files.entries(root).unwrap(), [(&b"s1"[..], directory)]);
    assert_eq!(files.entries(directory).unwrap().len(), 1);
}

#[test]
fn what_is_impossible_is_refused_and_asks_nothing() {
    let (mut files, inode) = file_of(1);
    let root = Inode::ROOT;
    let directory = files.mkdir(root, b"d").unwrap();
    taken(&mut files);
    let long = [b'x'; NAME_BYTES_MAX + 1];
    assert_eq!(files.lookup(root, &long), Err(FileError::Name));
    assert_eq!(files.mkdir(root, b""), Err(FileError::Name));
    assert_eq!(files.create(root, NAME), Err(FileError::Exists));
    assert_eq!(files.create(inode, b"x"), Err(FileError::NotADirectory));
    assert_eq!(files.create(Inode(99), b"x"), Err(FileError::NotFound));
    assert_eq!(files.open(directory), Err(FileError::IsADirectory));
    assert_eq!(files.unlink(root, b"d"), Err(FileError::IsADirectory));
    assert_eq!(files.rmdir(root, NAME), Err(FileError::NotADirectory));
    assert_eq!(files.flush(Handle(99)), Err(FileError::NotFound));
    assert_eq!(files.truncate(directory, 0), Err(FileError::IsADirectory));
    assert_eq!(taken(&mut files), []);
}

/// A store that executes the operations holds exactly the rows and blocks of the files, whatever
/// happens to them, and every GET names the size that is stored.
#[test]
fn a_store_that_follows_holds_what_the_files_are() {
    let mut rng = Seed(7).rng();
    let mut files = TableFs::new();
    let mut store = BTreeMap::new();
    let names: Vec<[u8; 1]> = (b'a'..b'i').map(|letter| [letter]).collect();
    for _ in 0..20_000 {
        let name = &names[rng.below(names.len() as u64) as usize];
        match files.lookup(Inode::ROOT, name).unwrap() {
            None => {
                let (_, handle) = files.create(Inode::ROOT, name).unwrap();
                let start = rng.below(2) * rng.below(9000);
                files.write(handle, start, 1 + rng.below(9000)).unwrap();
                files.release(handle).unwrap();
            }
            Some(found) => match rng.below(5) {
                0 => files.unlink(Inode::ROOT, name).unwrap(),
                1 => files.truncate(found.inode, rng.below(14_000)).unwrap(),
                2 => {
                    let other = &names[rng.below(names.len() as u64) as usize];
                    files.rename((Inode::ROOT, name), (Inode::ROOT, other)).unwrap();
                }
                _ => {
                    let handle = files.open(found.inode).unwrap();
                    files.read(handle, rng.below(9000), rng.below(9000)).unwrap();
                    let start = rng.below(9000);
                    files.write(handle, start, rng.below(9000)).unwrap();
                    files.write(handle, start, 4096).unwrap();
                    files.write(handle, found.bytes, rng.below(5000)).unwrap();
                    files.release(handle).unwrap();
                }
            },
        }
        for (kind, key, value_bytes) in taken(&mut files) {
            match kind {
                Put => drop(store.insert(key, value_bytes)),
                Delete => assert!(store.remove(&key).is_some(), "a DELETE hits"),
                Get => assert_eq!(store.get(&key).copied().unwrap_or(0), value_bytes),
            }
        }
        let mut expected = BTreeMap::new();
        for (name, inode) in files.entries(Inode::ROOT).unwrap() {
            let bytes = files.attributes(inode).unwrap().bytes;
            let inline = if bytes <= INLINE_BYTES_MAX { bytes } else { 0 };
            expected.insert(row_key(Inode::ROOT, name), ATTRIBUTE_BYTES + 1 + inline as u32);
            for start in (0..bytes - inline).step_by(BLOCK_BYTES as usize) {
                let value_bytes = (bytes - start).min(BLOCK_BYTES) as u32;
                expected.insert(block_key(inode, start / BLOCK_BYTES), value_bytes);
            }
        }
        assert_eq!(store, expected);
    }
}
