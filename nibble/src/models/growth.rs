//! Entries that move to another bucket while a reader searches for them: a miss must not be
//! believed.

use super::world::{Plan, World, get};
use super::{explore, explore_within};
use crate::index::Index;
use crate::index::hash::Hash;
use crate::index::tagged::TaggedTable;
use crate::knobs::IndexLayout::{Tagged, Text};

fn tagged(world: &World) -> &TaggedTable {
    match &world.shared().index {
        Index::Tagged(table) => table,
        other => unreachable!("{other:?}"),
    }
}

/// The first keys for which `wanted` holds.
fn keys(wanted: impl Fn(u64) -> bool) -> impl Iterator<Item = u64> {
    (0..).filter(move |&key| wanted(key))
}

/// The fourth key of a bucket doubles the partition; the key that is read moves.
#[test]
fn double_and_get_text() {
    explore(&["before", "after"], |seen| {
        let world = World::new(Plan::new(Text));
        let slots = world.shared().index.slots();
        let moving = keys(|key| Hash::of(key).bits() % 2 == 1).next().unwrap();
        (0..slots).for_each(|key| world.put(key, &[]));
        assert!(moving < slots, "it is one of them");
        let putting = world.spawn(move |session| session.put(slots, &[]).unwrap());
        assert!(world.get(moving).is_some(), "it always has a value");
        // Once the partition has doubled, half of the entries are elsewhere.
        seen.note(if world.shared().index.slots() == slots { "before" } else { "after" });
        putting.join().unwrap();
        assert!(world.get(moving).is_some());
        world.check();
    });
}

/// Another bucket is added; the key that is read moves there from its first or its second home.
fn split_and_get(home: usize) {
    explore(&["before", "after"], move |seen| {
        let world = World::new(Plan::new(Tagged));
        let moving = keys(|key| {
            let [now, then] = tagged(&world).homes_around_split(key);
            now[0] != now[1] && then[home] == 2 && then[1 - home] == now[1 - home]
        });
        let moving = moving.take(1).next().unwrap();
        world.put(moving, &[1]);
        let slots = world.shared().index.slots();
        let splitting = world.spawn({
            let world = world.clone();
            move |_| tagged(&world).grow(&world.shared().log.memory)
        });
        assert!(world.get(moving).is_some(), "it always has a value");
        seen.note(if world.shared().index.slots() == slots { "before" } else { "after" });
        splitting.join().unwrap();
        assert!(world.get(moving).is_some());
        world.check();
    });
}

#[test]
fn split_and_get_first() {
    split_and_get(0);
}

#[test]
fn split_and_get_second() {
    split_and_get(1);
}

/// A key is displaced from its first home to its second.
#[test]
fn displace_and_get() {
    explore(&["before", "after"], |seen| {
        let world = World::new(Plan { blocks: 10, ..Plan::new(Tagged) });
        let with_homes = |homes| {
            let world = &world;
            keys(move |key| tagged(world).homes_around_split(key)[0] == homes)
        };
        let moving = with_homes([0, 1]).next().unwrap();
        let crowd: Vec<u64> = with_homes([0, 0]).take(10).collect();
        world.put(moving, &[1]);
        crowd[..9].iter().for_each(|&key| world.put(key, &[]));
        tagged(&world).postpone_split();
        let last = crowd[9];
        let putting = world.spawn(move |session| session.put(last, &[]).unwrap());
        assert_eq!(world.get(moving), Some(vec![1]), "it always has a value");
        seen.note(if world.get(last).is_some() { "after" } else { "before" });
        putting.join().unwrap();
        assert!(world.get(moving).is_some());
        world.check();
    });
}

/// Two keys are put at the same time, one of which displaces the other.
#[test]
fn displace_and_update() {
    explore_within(1, &["done"], |seen| {
        let world = World::new(Plan { blocks: 10, ..Plan::new(Tagged) });
        let with_homes = |homes| {
            let world = &world;
            keys(move |key| tagged(world).homes_around_split(key)[0] == homes)
        };
        let moving = with_homes([0, 1]).next().unwrap();
        let crowd: Vec<u64> = with_homes([0, 0]).take(10).collect();
        world.put(moving, &[1]);
        crowd[..9].iter().for_each(|&key| world.put(key, &[]));
        tagged(&world).postpone_split();
        let last = crowd[9];
        let deleting = world.spawn(move |session| session.delete(moving));
        world.put(last, &[]);
        assert_eq!(deleting.join().unwrap(), Ok(true), "it always had a value");
        assert_eq!(world.get(moving), None);
        assert!(get_all(&world, &crowd));
        seen.note("done");
        world.check();
    });
}

fn get_all(world: &World, keys: &[u64]) -> bool {
    world.act(0, |session| keys.iter().all(|&key| get(session, key).is_some()))
}
