//! A changed bit in any file is found, and the file named.

use std::sync::Arc;

use baseline_silt::{Error, Files, Scratch, Steps, Store, of_word};

use super::common::{get, open, small, value};
use super::memory::Memory;

/// A closed store with all kinds of files: a SortedStore, HashStores, a log.
fn filled() -> Memory {
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, small());
    for key in 0..1700 {
        store.put(&of_word(key), &value(key, 1), &mut scratch).unwrap();
    }
    store.close().unwrap();
    files
}

/// The damage that opening and reading all finds.
fn damage(files: &Memory) -> Option<Error> {
    match Store::open_in(Arc::new(files.clone()), small(), Steps::default()) {
        Ok(store) => store.scrub().err(),
        Err(error) => Some(error),
    }
}

#[test]
fn a_changed_bit_is_found_in_every_file_and_named() {
    let files = filled();
    assert!(damage(&files.copy()).is_none(), "as it was written");
    let names = files.list().unwrap();
    for kind in ["log", "hash", "filter", "sorted", "index", "manifest"] {
        let names: Vec<_> = names.iter().filter(|name| name.contains(kind)).collect();
        assert!(!names.is_empty(), "{kind}: {names:?}");
        for name in names.into_iter().take(2) {
            let bits = files.length(name) * 8;
            let mut found = 0;
            // Every part of the file, and every bit of a byte.
            let places = (0..64).map(|part| bits / 64 * part + part * 37 % 64);
            for bit in places.clone() {
                let changed = files.copy();
                changed.flip(name, bit);
                match damage(&changed) {
                    Some(Error::Corrupt { file, .. }) => {
                        assert_eq!(file, *name, "bit {bit}");
                        found += 1;
                    }
                    Some(other) => panic!("bit {bit} of {name}: {other}"),
                    // Behind the last record of the last page there is nothing to change.
                    None => assert!(is_behind(&files, name, bit), "bit {bit} of {name}"),
                }
            }
            assert!(found >= places.count() - 4, "{name}: {found}");
        }
    }
}

/// Whether a bit lies behind the last record, in what fills up the last page.
fn is_behind(files: &Memory, name: &str, bit: usize) -> bool {
    (name.contains("log") || name.contains("hash") || name.contains("sorted"))
        && bit / 8 + 4096 >= files.length(name)
}

/// A GET that reads a damaged record says so, and does not say that the key is not there.
#[test]
fn a_get_of_a_damaged_record_is_an_error() {
    let files = filled();
    let sorted = files.list().unwrap().into_iter().find(|name| name.contains("sorted")).unwrap();
    for byte in (0..files.length(&sorted) - 4096).step_by(301) {
        files.flip(&sorted, byte * 8);
    }
    let store = open(&files, small());
    let mut scratch = Scratch::default();
    let (mut damaged, mut right) = (0, 0);
    for key in 0..1700 {
        match store.get(&of_word(key), &mut scratch) {
            Err(Error::Corrupt { file, .. }) => {
                assert_eq!(file, sorted);
                damaged += 1;
            }
            Ok(Some(found)) => {
                assert_eq!(found, value(key, 1));
                right += 1;
            }
            other => panic!("key {key}: {other:?}"),
        }
    }
    assert!(damaged > 300 && right > 500, "{damaged} damaged, {right} right");
}

/// A record that was not whole at the end of a log goes; one in the middle is damage.
#[test]
fn a_torn_end_is_cut_off_and_a_hole_is_not() {
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, small());
    for key in 0..100 {
        store.put(&of_word(key), &value(key, 1), &mut scratch).unwrap();
    }
    drop(store);
    let log = "0-log-0";
    let record_bits = 128 * 8;
    let torn = files.copy();
    torn.flip(log, 99 * record_bits + 40 * 8);
    let store = open(&torn, small());
    assert_eq!(get(&store, 98, &mut scratch), Some(value(98, 1)));
    assert_eq!(get(&store, 99, &mut scratch), None);
    store.put(&of_word(99), &value(99, 2), &mut scratch).unwrap();
    drop(store);
    let store = open(&torn, small());
    assert_eq!(get(&store, 99, &mut scratch), Some(value(99, 2)));
    // Of a closed store the end is known.
    let closed = files.copy();
    open(&closed, small()).close().unwrap();
    closed.flip(log, 99 * record_bits + 40 * 8);
    match damage(&closed) {
        Some(Error::Corrupt { file, what }) => {
            assert!(file == log && what.contains("record 99"), "{file}: {what}");
        }
        other => panic!("{other:?}"),
    }
    let hole = files.copy();
    hole.flip(log, 50 * record_bits + 40 * 8);
    match damage(&hole) {
        Some(Error::Corrupt { file, what }) => {
            assert!(file == log && what.contains("record 50"), "{file}: {what}");
        }
        other => panic!("{other:?}"),
    }
}

/// A merge whose input is not sorted, or has a hash twice, ends with an error that says so; the
/// store goes on answering from what it has.
#[test]
fn unsorted_input_of_a_merge_is_a_typed_error() {
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, small());
    for key in 0..1700 {
        store.put(&of_word(key), &value(key, 1), &mut scratch).unwrap();
    }
    store.close().unwrap();
    let sorted = files.list().unwrap().into_iter().find(|name| name.contains("sorted")).unwrap();
    super::forge::exchange_records(&files, &sorted, 10, 20, 128);
    let store = open(&files, small());
    let error = store.merge().unwrap_err();
    assert!(
        matches!(&error, Error::UnsortedMerge { instance: 0, what } if what.contains("Sorted")),
        "{error}"
    );
    assert!((0..1700).filter(|key| get(&store, *key, &mut scratch).is_some()).count() >= 1698);
    drop(store);
    super::forge::copy_record(&files, &sorted, 30, 31, 128);
    super::forge::exchange_records(&files, &sorted, 20, 10, 128);
    let error = open(&files, small()).merge().unwrap_err();
    assert!(matches!(&error, Error::UnsortedMerge { .. }), "{error}");
}
