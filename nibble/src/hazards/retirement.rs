//! What a reader has found is not freed by a retirement in the reader's own epoch.

use super::small_with;
use crate::Compaction;
use crate::compaction::pace::Budget;
use crate::compaction::relocate::{Step, Tools, Victim};
use crate::compaction::survivors::Place;
use crate::index::hash::Hash;
use crate::knobs::Survivors;
use crate::store::Shared;

const KEY: u64 = 7;
const OTHER: u64 = 8;

/// Nobody moves the clock between the reader's announcement and the retirement, so both have the
/// same epoch.
#[test]
fn a_retirement_waits_for_readers_of_its_own_epoch() {
    let store = small_with(|config| config.compaction = Compaction::Inline);
    let Shared { log, index, epochs, .. } = &*store.shared;
    let (node, memory) = (&log.nodes[0], &log.memory);
    let session = store.session().unwrap();
    session.put(KEY, &[7; 1000]).unwrap();
    session.put(OTHER, &[8; 1000]).unwrap();
    assert_eq!(session.delete(OTHER), Ok(true));
    let closed = node.head(0).lock().close_if_dead(log, node, u64::MAX);

    let reader = epochs.claim().unwrap();
    let pin = reader.enter(&epochs.clock);
    let hash = Hash::of(KEY);
    let place = index.find(hash, KEY, memory, &pin).unwrap().address;
    assert_eq!(session.delete(KEY), Ok(true));
    let mut tools = Tools::default();
    let closed = closed.expect("something is dead");
    let mut victim = Victim::pick(closed, log).expect("nobody writes there");
    let here = Place { log, node, index, in_place: false };
    let step = victim.empty(here, &mut tools, Survivors::Separate, &mut Budget::round());
    assert_eq!(step, Step::Finished);

    assert_eq!(tools.limbo.reclaim(log, node, epochs.horizon()), 0, "the reader is still there");
    let mut value = [0; 1000];
    memory.read_value(place, 0, &mut value, &pin);
    assert!(value == [7; 1000], "what the reader found stays as it was");
    drop(pin);
    reader.release();
    assert!(tools.limbo.reclaim(log, node, epochs.horizon()) > 0);
    drop(session);
    store.check().unwrap();
}
