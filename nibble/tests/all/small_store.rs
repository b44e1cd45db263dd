//! Every way into object memory, on a store small enough for `scripts/miri`: values across blocks,
//! growth of the index, overwriting in place, compaction.

use std::collections::HashMap;

use nibble::{Compaction, Config, IndexLayout, Store, Update};

const KEYS: u64 = 40;

/// A value of its key and turn; some are empty, some continue in a second and third block.
fn value(key: u64, turn: u64) -> Vec<u8> {
    let bytes = (key * 37 + turn * 101) % 9 * 600;
    (0..bytes).map(|at| (key + 3 * turn + at) as u8).collect()
}

fn live_through(index: IndexLayout, update: Update) {
    let mut config = Config::best(320 << 10);
    config.segment_bytes = 32 << 10;
    config.block_bytes = 4 << 10;
    config.virtual_nodes = 1;
    config.heads = 1;
    config.index_partitions = 1;
    config.huge_pages = false;
    config.compaction = Compaction::Inline;
    (config.index, config.update) = (index, update);
    let store = Store::open(config).expect("a valid configuration");
    let session = store.session().expect("a free session");
    let mut model = HashMap::new();
    let mut buffer = vec![0; 8 << 10];
    for turn in 0..6 {
        for key in 0..KEYS {
            if (key + turn) % 7 == 0 {
                assert_eq!(session.delete(key), Ok(model.remove(&key).is_some()));
            } else {
                let value = value(key, turn);
                session.put(key, &value).expect("half of the memory is dead or free");
                model.insert(key, value);
            }
        }
        for key in 0..KEYS {
            let length = session.get(key, &mut buffer).expect("the buffer is long enough");
            assert_eq!(length.map(|length| &buffer[..length]), model.get(&key).map(Vec::as_slice));
        }
    }
    // Empty values fill buckets at little cost.
    for key in KEYS..KEYS + 60 {
        session.put(key, &[]).expect("room for a header");
    }
    drop(session);
    let report = store.check().expect("the invariants hold");
    assert_eq!(report.live_objects, model.len() as u64 + 60);
    assert!(store.statistics().segments_compacted > 0, "something was compacted");
}

#[test]
fn tagged() {
    live_through(IndexLayout::Tagged, Update::Append);
}

#[test]
fn tagged_in_place() {
    live_through(IndexLayout::Tagged, Update::InPlace);
}

#[test]
fn text() {
    live_through(IndexLayout::Text, Update::Append);
}

#[test]
fn keyed_in_place() {
    live_through(IndexLayout::Keyed, Update::InPlace);
}
