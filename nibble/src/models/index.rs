//! Clients that use the same key or the same bucket.

use super::world::{Plan, get};
use super::{World, explore};
use crate::Put;
use crate::knobs::IndexLayout::{self, Keyed, Tagged, Text};

const KEY: u64 = 7;
const OLD: &[u8] = &[1, 1];
const NEW: &[u8] = &[2, 2];

fn publish_and_get(layout: IndexLayout) {
    explore(&["miss", "hit"], move |seen| {
        let world = World::new(Plan::new(layout));
        let putting = world.spawn(|session| session.put(KEY, NEW));
        match world.get(KEY) {
            None => seen.note("miss"),
            Some(value) => {
                assert_eq!(value, NEW);
                seen.note("hit");
            }
        }
        assert_eq!(putting.join().unwrap(), Ok(Put::Inserted));
        assert_eq!(world.get(KEY).as_deref(), Some(NEW));
    });
}

#[test]
fn publish_and_get_text() {
    publish_and_get(Text);
}

#[test]
fn publish_and_get_keyed() {
    publish_and_get(Keyed);
}

#[test]
fn publish_and_get_tagged() {
    publish_and_get(Tagged);
}

fn update_and_get(layout: IndexLayout) {
    explore(&["old", "new"], move |seen| {
        let world = World::new(Plan::new(layout));
        world.put(KEY, OLD);
        let putting = world.spawn(|session| session.put(KEY, NEW));
        let value = world.get(KEY).expect("it always has a value");
        assert!(value == OLD || value == NEW, "{value:?}");
        seen.note(if value == OLD { "old" } else { "new" });
        assert_eq!(putting.join().unwrap(), Ok(Put::Updated));
        assert_eq!(world.get(KEY).as_deref(), Some(NEW));
    });
}

#[test]
fn update_and_get_text() {
    update_and_get(Text);
}

#[test]
fn update_and_get_tagged() {
    update_and_get(Tagged);
}

fn delete_and_put(layout: IndexLayout) {
    explore(&["deleted first", "deleted last"], move |seen| {
        let world = World::new(Plan::new(layout));
        world.put(KEY, OLD);
        let deleting = world.spawn(|session| session.delete(KEY));
        let put = world.act(0, |session| session.put(KEY, NEW)).unwrap();
        assert_eq!(deleting.join().unwrap(), Ok(true), "it had a value at every moment");
        let left = world.get(KEY);
        match put {
            Put::Inserted => assert_eq!(left.as_deref(), Some(NEW)),
            Put::Updated => assert_eq!(left, None),
        }
        seen.note(if left.is_some() { "deleted first" } else { "deleted last" });
        world.check();
    });
}

#[test]
fn delete_and_put_text() {
    delete_and_put(Text);
}

#[test]
fn delete_and_put_tagged() {
    delete_and_put(Tagged);
}

fn two_inserts(layout: IndexLayout) {
    explore(&["mine first", "mine last"], move |seen| {
        let world = World::new(Plan::new(layout));
        let putting = world.spawn(|session| {
            session.put(KEY, OLD).unwrap();
            get(session, KEY + 1).is_some()
        });
        world.put(KEY + 1, NEW);
        let mine_first = putting.join().unwrap();
        seen.note(if mine_first { "mine first" } else { "mine last" });
        assert_eq!(world.get(KEY).as_deref(), Some(OLD));
        assert_eq!(world.get(KEY + 1).as_deref(), Some(NEW));
        world.check();
    });
}

#[test]
fn two_inserts_text() {
    two_inserts(Text);
}

#[test]
fn two_inserts_tagged() {
    two_inserts(Tagged);
}
