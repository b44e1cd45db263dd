//! A partition that grows from its smallest size keeps every key, in each layout of the index.

use super::common::variants::tiny;
use super::common::{made, open, verified};
use nibble::{Compaction, IndexLayout, Put, Update};

fn every_key_survives(index: IndexLayout) {
    const KEYS: u64 = 40_000;
    let store = open(tiny(4 << 20, Update::Append, Compaction::Background, index));
    let session = store.session().unwrap();
    let before = store.census().index_bytes;
    let mut buffer = [0; 16];
    for key in 0..KEYS {
        assert_eq!(session.put(key, &made(key, key, 16)), Ok(Put::Inserted));
        // One that was there before, anywhere.
        let earlier = key.wrapping_mul(0x9E37_79B9) % (key + 1);
        assert_eq!(session.get(earlier, &mut buffer), Ok(Some(16)), "{earlier} of {key}");
        assert_eq!(session.get(key + KEYS, &mut buffer), Ok(None));
    }
    let report = store.check().unwrap();
    assert_eq!(report.live_objects, KEYS);
    let after = store.census().index_bytes;
    assert!(after >= 16 * before, "the index grew from {before} to {after} bytes only");
    for key in (0..KEYS).step_by(2) {
        assert_eq!(session.delete(key), Ok(true), "{key}");
    }
    for key in 0..KEYS {
        let found = session.get(key, &mut buffer).unwrap().map(|_| verified(key, &buffer));
        assert_eq!(found, (key % 2 == 1).then_some(key));
    }
    assert_eq!(store.check().unwrap().live_objects, KEYS / 2);
}

#[test]
fn every_key_survives_text() {
    every_key_survives(IndexLayout::Text);
}

#[test]
fn every_key_survives_keyed() {
    every_key_survives(IndexLayout::Keyed);
}

#[test]
fn every_key_survives_tagged() {
    every_key_survives(IndexLayout::Tagged);
}
