//! A full store begins to overwrite only when nobody copies without a second look any more.

use super::{fill, named, small};
use crate::Put;
use crate::index::hash::Hash;

const KEY: u64 = 3;

#[test]
fn the_first_overwriting_waits_for_readers() {
    let store = small();
    let (epochs, index) = (&store.shared.epochs, &store.shared.index);
    let memory = &store.shared.log.memory;
    fill(&store);
    let reader = epochs.claim().unwrap();
    let pin = reader.enter(&epochs.clock);
    let hash = Hash::of(KEY);
    let place = index.find(hash, KEY, memory, &pin).unwrap().address;

    // The reader may be in the middle of the value.
    let session = store.session().unwrap();
    assert_eq!(named(session.put(KEY, &[2; 1000])), Some(reader.number()));
    let mut value = [0; 1000];
    memory.read_value(place, 0, &mut value, &pin);
    assert!(value == [1; 1000], "what the reader found stays as it was");
    drop(pin);

    assert_eq!(session.put(KEY, &[2; 1000]), Ok(Put::Updated));
    assert_eq!(store.statistics().put_overwrites, 1);
    // From now on readers look twice, and nobody is waited for.
    let pin = reader.enter(&epochs.clock);
    assert_eq!(session.put(KEY, &[3; 1000]), Ok(Put::Updated));
    drop(pin);
    reader.release();
    drop(session);
    store.check().unwrap();
}
