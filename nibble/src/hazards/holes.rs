//! A new object takes the place of a dead one only when nobody reads there, nobody compacts there, and
//! the segment is still the same.

use super::small_with;
use crate::address::{ObjectRef, SegmentId};
use crate::compaction::pace::Budget;
use crate::compaction::relocate::{Step, Tools, Victim};
use crate::compaction::survivors::Place;
use crate::epoch::Slot;
use crate::holes::{Holes, Limits};
use crate::index::hash::Hash;
use crate::knobs::{Survivors, Update};
use crate::segment::SegmentState;
use crate::store::Shared;
use crate::sync::AtomicU64;
use crate::{Put, Store, limits};

const KEYS: u64 = 200;

/// A store that is short of memory as soon as little is in it, and in which nobody compacts.
fn open_short() -> Store {
    let store = small_with(|config| {
        config.update = Update::InPlace;
        config.free_low_percent = limits::FREE_LOW_PERCENT_MAX;
    });
    store.shared.log.nodes.iter().for_each(|node| node.signals.stop());
    store
}

/// A store that is short of memory, and in which nobody compacts.
fn short() -> Store {
    short_with(|_| 1000)
}

/// The same, with values of these lengths.
fn short_with(bytes: fn(u64) -> usize) -> Store {
    let store = open_short();
    let session = store.session().unwrap();
    (0..KEYS).for_each(|key| assert!(session.put(key, &vec![1; bytes(key)]).is_ok()));
    drop(session);
    assert!(store.shared.log.is_low_here());
    store
}

/// Removes a key and notes the hole.
fn remove(shared: &Shared, slot: &Slot, holes: &Holes, key: u64) -> ObjectRef {
    let Shared { log, index, epochs, .. } = shared;
    let pin = slot.enter(&epochs.clock);
    let removed = index.remove(Hash::of(key), key, &log.memory, &log.segments, &pin);
    let (object, header) = removed.expect("it has a value");
    holes.note(object, header.room, log);
    object
}

fn age(shared: &Shared, holes: &Holes) {
    holes.age(&shared.epochs, &AtomicU64::new(0));
}

/// Closes the open segment, in which something is dead; no worker hears of it.
fn close_head(shared: &Shared) -> SegmentId {
    let node = &shared.log.nodes[0];
    let closed = node.head(0).lock().close_if_dead(&shared.log, node, u64::MAX);
    closed.expect("something is dead")
}

/// Moves what lives in a segment, and frees it.
fn compact(shared: &Shared, victim: &mut Victim) {
    let Shared { log, index, epochs, .. } = shared;
    let node = &log.nodes[0];
    let mut tools = Tools::default();
    let here = Place { log, node, index, in_place: true };
    let step = victim.empty(here, &mut tools, Survivors::Separate, &mut Budget::round());
    assert_eq!(step, Step::Finished);
    assert!(tools.limbo.reclaim(log, node, epochs.horizon()) > 0);
}

#[test]
fn a_hole_waits_for_readers() {
    let store = short();
    let shared = &*store.shared;
    let (slot, reader) = (shared.epochs.claim().unwrap(), shared.epochs.claim().unwrap());
    let holes = Holes::new(Some(Limits::scaled(1 << 20)));
    let pin = reader.enter(&shared.epochs.clock);
    let hole = remove(shared, slot, &holes, 3);
    for _ in 0..2 {
        age(shared, &holes);
        assert!(holes.take(1000, &shared.log).is_none(), "a reader may have found it");
    }
    drop(pin);
    age(shared, &holes);
    let leased = holes.take(1000, &shared.log).expect("nobody reads there");
    assert_eq!((leased.object, leased.room), (hole, 1000));
    assert!(holes.take(1000, &shared.log).is_none(), "there is one");
    slot.release();
    reader.release();
}

#[test]
fn a_segment_waits_for_who_writes_into_its_hole() {
    let store = short();
    let shared = &*store.shared;
    let Shared { log, index, epochs, .. } = shared;
    let slot = epochs.claim().unwrap();
    let holes = Holes::new(Some(Limits::scaled(1 << 20)));
    let hole = remove(shared, slot, &holes, KEYS - 1);
    let closed = close_head(shared);
    assert_eq!(hole.segment(), closed);
    age(shared, &holes);
    let leased = holes.take(900, log).expect("nobody reads there");
    assert!(Victim::pick(closed, log).is_none(), "somebody writes there");

    let pin = slot.enter(&epochs.clock);
    let header = log.memory.write_into_room(hole.address(), leased.room, KEYS, [&[]; 2], &[2; 900]);
    let hash = Hash::of(KEYS);
    let replaced = index.publish(hash, KEYS, hole, header, &log.memory, &log.segments, &pin);
    assert!(replaced.unwrap().is_none());
    drop((pin, leased));
    slot.release();
    compact(shared, &mut Victim::pick(closed, log).expect("nobody writes there any more"));
    let session = store.session().unwrap();
    let mut value = [0; 1000];
    assert_eq!(session.get(KEYS, &mut value), Ok(Some(900)));
    assert!(value[..900] == [2; 900], "the object moved");
    assert_eq!(session.get(KEYS - 1, &mut value), Ok(None));
}

#[test]
fn a_hole_is_gone_once_its_segment_was_compacted() {
    let store = short();
    let shared = &*store.shared;
    let slot = shared.epochs.claim().unwrap();
    let holes = Holes::new(Some(Limits::scaled(1 << 20)));
    remove(shared, slot, &holes, KEYS - 1);
    let closed = close_head(shared);
    age(shared, &holes);
    compact(shared, &mut Victim::pick(closed, &shared.log).unwrap());

    // The next segment to be opened has the same number.
    let session = store.session().unwrap();
    session.put(KEYS, &[2; 1000]).unwrap();
    session.put(KEYS + 1, &[2; 1000]).unwrap();
    assert_eq!(session.delete(KEYS), Ok(true));
    assert_eq!(close_head(shared), closed);
    assert_eq!(shared.log.segments[closed].state(), SegmentState::Closed);
    assert!(holes.take(1000, &shared.log).is_none(), "the hole was in another segment");
    slot.release();
}

/// How many holes for values of 1,000 bytes there are.
fn taken(shared: &Shared, holes: &Holes) -> usize {
    std::iter::from_fn(|| holes.take(1000, &shared.log)).count()
}

#[test]
fn a_session_keeps_no_more_holes_than_its_limits() {
    let store = short();
    let shared = &*store.shared;
    let (slot, reader) = (shared.epochs.claim().unwrap(), shared.epochs.claim().unwrap());
    let few = Holes::new(Some(Limits { class: 3, ..Limits::scaled(1 << 20) }));
    (0..8).for_each(|key| _ = remove(shared, slot, &few, key));
    age(shared, &few);
    assert_eq!(taken(shared, &few), 3, "of one class");

    let groups = Holes::new(Some(Limits::scaled(1 << 20)));
    let pin = reader.enter(&shared.epochs.clock);
    for key in 8..18 {
        remove(shared, slot, &groups, key);
        age(shared, &groups);
    }
    drop(pin);
    age(shared, &groups);
    assert_eq!(taken(shared, &groups), 4, "groups that waited for a reader");
    slot.release();
    reader.release();
}

#[test]
fn what_dies_while_enough_is_free_is_left_to_compaction() {
    let store = open_short();
    let shared = &*store.shared;
    let slot = shared.epochs.claim().unwrap();
    let holes = Holes::new(Some(Limits::scaled(1 << 20)));
    let session = store.session().unwrap();
    session.put(KEYS, &[1; 1000]).unwrap();
    assert!(!shared.log.is_low_here());
    remove(shared, slot, &holes, KEYS);
    (0..KEYS).for_each(|key| assert!(session.put(key, &[1; 1000]).is_ok()));
    assert!(shared.log.is_low_here());
    age(shared, &holes);
    assert_eq!(taken(shared, &holes), 0);
    slot.release();
}

/// Long values that become short go where short ones were, and long ones find room in their place.
#[test]
fn a_value_that_shrinks_leaves_its_room_to_a_long_one() {
    let store = short_with(|key| if key % 2 == 0 { 1000 } else { 300 });
    let appended = || store.statistics().appended_bytes;
    let (session, before) = (store.session().unwrap(), appended());
    // Holes wait in groups of eight.
    for key in (1..64).step_by(2) {
        assert_eq!(session.delete(key), Ok(true));
    }
    for key in (0..64).step_by(2) {
        assert_eq!(session.put(key, &[2; 290]), Ok(Put::Updated));
    }
    for key in KEYS..KEYS + 32 {
        assert_eq!(session.put(key, &[3; 1000]), Ok(Put::Inserted));
    }
    let mut value = [0; 1000];
    for key in (0..64).step_by(2) {
        assert_eq!(session.get(key, &mut value), Ok(Some(290)));
        assert!(value[..290] == [2; 290]);
        assert_eq!(session.get(KEYS + key / 2, &mut value), Ok(Some(1000)));
        assert!(value == [3; 1000]);
    }
    drop(session);
    assert_eq!(store.statistics().reused_bytes, 32 * (290 + 1000));
    assert_eq!(appended(), before);
}
