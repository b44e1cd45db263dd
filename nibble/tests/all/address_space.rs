//! A store opens where address space is short, and otherwise says what the system refused. Each in
//! a process of its own, because address space is limited by process.

use super::common::alone::alone_within;
use super::common::{made, open, verified};
use nibble::{Config, IndexLayout, Put, Store};

const GIB: u64 = 1 << 30;

#[test]
fn a_store_of_256_mib_opens_in_2_gib() {
    alone_within(2 * GIB, module_path!(), "a_store_of_256_mib_opens_in_2_gib", open_and_use);
}

fn open_and_use() {
    const KEYS: u64 = 20_000;
    for &index in IndexLayout::ALL {
        for config in [Config::best(256 << 20), Config::paper(256 << 20)] {
            let store = open(Config { index, ..config });
            let session = store.session().unwrap();
            for key in 0..KEYS {
                assert_eq!(session.put(key, &made(key, 1, 100)), Ok(Put::Inserted), "{index}");
            }
            let mut buffer = [0; 100];
            for key in 0..KEYS {
                assert_eq!(session.get(key, &mut buffer), Ok(Some(100)), "{index}");
                assert_eq!(verified(key, &buffer), 1);
            }
            drop(session);
            assert_eq!(store.check().unwrap().live_objects, KEYS);
        }
    }
}

#[test]
fn what_is_refused_is_named_with_its_size() {
    let name = "what_is_refused_is_named_with_its_size";
    alone_within(2 * GIB, module_path!(), name, ask_for_too_much);
}

fn ask_for_too_much() {
    let refused = |config| Store::open(config).unwrap_err().to_string();
    let objects = refused(Config::best(8 * GIB));
    assert!(objects.contains("8589934592 bytes of address space for object memory"), "{objects}");
    // An eighth of 16 GiB, where objects take 1 of 2.
    let index = refused(Config { index: IndexLayout::Keyed, ..Config::best(GIB) });
    assert!(index.contains("2147483648 bytes of address space for the index"), "{index}");
}
