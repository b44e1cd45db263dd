//! Compaction, and clients that use what it moves.

use super::world::{Plan, get};
use super::{World, explore};
use crate::Put;
use crate::address::SegmentId;
use crate::compaction::choose::Choice;
use crate::compaction::relocate::Tools;
use crate::index::hash::Hash;
use crate::knobs::IndexLayout::{self, Tagged, Text};
use crate::knobs::Update;
use crate::raw::Custody;

const KEY: u64 = 7;
const DEAD: u64 = 8;
const OLD: &[u8] = &[1, 1];
const NEW: &[u8] = &[2, 2];

/// A world with a closed segment in which `KEY` is live and `DEAD` is dead.
fn closed(plan: Plan) -> (World, SegmentId) {
    let world = World::new(plan);
    world.put(DEAD, OLD);
    world.put(KEY, OLD);
    assert_eq!(world.act(0, |session| session.delete(DEAD)), Ok(true));
    let segment = world.close_head().expect("something is dead");
    assert_eq!(world.choose(segment), Choice::Victim(segment));
    (world, segment)
}

fn relocate_and_delete(layout: IndexLayout) {
    explore(&["moved", "died before"], move |seen| {
        let (world, segment) = closed(Plan::new(layout));
        let mut tools = Tools::default();
        let deleting = world.spawn(|session| session.delete(KEY));
        let moved = world.compact(segment, &mut tools) > 0;
        seen.note(if moved { "moved" } else { "died before" });
        assert_eq!(deleting.join().unwrap(), Ok(true), "it had a value at every moment");
        assert_eq!(world.get(KEY), None, "nothing comes back");
        assert_eq!(world.live_objects(), 0);
    });
}

#[test]
fn relocate_and_delete_text() {
    relocate_and_delete(Text);
}

#[test]
fn relocate_and_delete_tagged() {
    relocate_and_delete(Tagged);
}

fn relocate_and_update(layout: IndexLayout, update: Update) {
    explore(&["moved"], move |seen| {
        let (world, segment) = closed(Plan { update, ..Plan::new(layout) });
        let mut tools = Tools::default();
        let putting = world.spawn(|session| session.put(KEY, NEW));
        let moved = world.compact(segment, &mut tools) > 0;
        seen.note(if moved { "moved" } else { "died before" });
        assert_eq!(putting.join().unwrap(), Ok(Put::Updated));
        assert_eq!(world.get(KEY).as_deref(), Some(NEW));
        assert_eq!(world.live_objects(), 1);
    });
}

#[test]
fn relocate_and_update_text() {
    relocate_and_update(Text, Update::Append);
}

#[test]
fn relocate_and_update_tagged() {
    relocate_and_update(Tagged, Update::Append);
}

#[test]
fn relocate_and_overwrite() {
    relocate_and_update(Text, Update::InPlace);
}

fn relocate_and_get(layout: IndexLayout) {
    explore(&["freed", "kept"], move |seen| {
        let (world, segment) = closed(Plan::new(layout));
        let mut tools = Tools::default();
        let getting = world.spawn(|session| get(session, KEY));
        assert!(world.compact(segment, &mut tools) > 0);
        if world.reclaim(&mut tools) > 0 {
            seen.note("freed");
            world.put(DEAD, NEW);
            assert_eq!(world.open_segment(), segment, "the memory is in use again");
        } else {
            seen.note("kept");
        }
        assert_eq!(getting.join().unwrap().as_deref(), Some(OLD));
    });
}

#[test]
fn relocate_and_get_text() {
    relocate_and_get(Text);
}

#[test]
fn relocate_and_get_tagged() {
    relocate_and_get(Tagged);
}

/// A segment closes while a client is writing there: it is chosen only after the client has left.
#[test]
fn close_and_append() {
    explore(&["young", "victim"], move |seen| {
        let world = World::new(Plan::new(Text));
        world.put(KEY, OLD);
        world.put(KEY, OLD);
        let mut tools = Tools::default();
        let putting = world.spawn(|session| session.put(KEY, NEW));
        let segment = world.close_head().expect("something is dead");
        match world.choose(segment) {
            Choice::Victim(id) => {
                seen.note("victim");
                world.compact(id, &mut tools);
            }
            Choice::Young => seen.note("young"),
            Choice::Nothing => unreachable!("something is dead"),
        }
        assert_eq!(putting.join().unwrap(), Ok(Put::Updated));
        assert_eq!(world.get(KEY).as_deref(), Some(NEW));
    });
}

/// A thread that finds a segment without live objects finds no entry that leads there: the segment
/// may be retired without a look into the index.
fn last_death(layout: IndexLayout, dies: fn(&crate::Session<'_>)) {
    explore(&["dead", "alive"], move |seen| {
        let (world, segment) = closed(Plan::new(layout));
        let hash = Hash::of(KEY);
        let shared = world.shared();
        let mut place = None;
        shared.index.for_each(&shared.log.memory, |object, _| place = Some(object.address()));
        let place = place.expect("it has a value");
        let dying = world.spawn(dies);
        if shared.log.segments[segment].is_dead() {
            seen.note("dead");
            let custody = Custody::of_compacting_segment();
            assert!(!shared.index.holds(hash, place, &shared.log.memory, &custody));
        } else {
            seen.note("alive");
        }
        dying.join().unwrap();
    });
}

#[test]
fn last_death_by_delete_text() {
    last_death(Text, |session| assert_eq!(session.delete(KEY), Ok(true)));
}

#[test]
fn last_death_by_delete_tagged() {
    last_death(Tagged, |session| assert_eq!(session.delete(KEY), Ok(true)));
}

#[test]
fn last_death_by_update_text() {
    last_death(Text, |session| assert_eq!(session.put(KEY, NEW), Ok(Put::Updated)));
}

#[test]
fn last_death_by_update_tagged() {
    last_death(Tagged, |session| assert_eq!(session.put(KEY, NEW), Ok(Put::Updated)));
}
