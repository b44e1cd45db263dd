//! A disk that takes no more: PUTs fail, GETs go on, and nothing that was acknowledged is lost.

use baseline_silt::{Acknowledge, Error, Params, Scratch, of_word};

use super::common::{get, open, small, value};
use super::memory::Memory;

#[test]
fn a_full_disk_refuses_puts_and_loses_nothing() {
    // The disk fills up at any place: in the log, while freezing, converting and merging.
    for (refused_at, acknowledge) in
        (900..1400).step_by(31).zip([Acknowledge::Written, Acknowledge::Synced].into_iter().cycle())
    {
        let params = Params { acknowledge, merge_entries: 400, ..small() };
        let (files, mut scratch) = (Memory::default(), Scratch::default());
        let store = open(&files, params);
        let mut put =
            |key: u64, version: u64| store.put(&of_word(key), &value(key, version), &mut scratch);
        (0..refused_at).for_each(|key| put(key, 1).unwrap());
        files.refuse_writes(Some(""));
        for key in 0..50 {
            let error = put(key, 2).unwrap_err();
            assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
        }
        files.refuse_writes(None);
        (50..700).for_each(|key| put(key, 3).unwrap());
        drop(store);
        let store = open(&files, params);
        for key in 0..refused_at {
            let found = get(&store, key, &mut scratch);
            let may_be = if key < 50 { [1, 2] } else { [if key < 700 { 3 } else { 1 }; 2] };
            let is_right = may_be.iter().any(|version| found == Some(value(key, *version)));
            assert!(is_right, "key {key} after a disk was full at {refused_at}");
        }
        store.scrub().unwrap();
    }
}

/// Where threads convert, their failure is remembered: PUTs say so, GETs answer.
#[test]
fn a_failure_in_the_background_is_told_to_puts() {
    let params = Params { threads: true, ..small() };
    let (files, mut scratch) = (Memory::default(), Scratch::default());
    let store = open(&files, params);
    files.refuse_writes(Some("-hash-"));
    let mut put = |key: u64| store.put(&of_word(key), &value(key, 1), &mut scratch);
    let (failed, error) = (0..1000).find_map(|key| Some((key, put(key).err()?))).unwrap();
    assert!(failed >= 230, "the first log was not full: {failed}");
    assert!(matches!(&error, Error::Background { reason } if reason.contains("-hash-")), "{error}");
    let mut scratch = Scratch::default();
    assert!((0..failed).all(|key| get(&store, key, &mut scratch) == Some(value(key, 1))));
    assert!(matches!(store.settle(), Err(Error::Background { .. })));
    drop(store);
    files.refuse_writes(None);
    let store = open(&files, params);
    assert!((0..failed).all(|key| get(&store, key, &mut scratch) == Some(value(key, 1))));
    store.settle().unwrap();
}
