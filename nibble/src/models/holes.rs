//! A new object in the place of a dead one, beside readers of the dead one and compaction.

use std::sync::Arc;

use loom::thread;

use super::world::{Plan, get};
use super::{World, explore, explore_within};
use crate::Put;
use crate::address::{BlockId, SegmentId};
use crate::compaction::choose::Choice;
use crate::compaction::relocate::Tools;
use crate::knobs::IndexLayout::Text;
use crate::knobs::Update;
use crate::segment::{SegmentState, SegmentTable};
use crate::sync::{AtomicU32, Ordering};

const KEY: u64 = 7;
const DEAD: u64 = 8;
const NEXT: u64 = 9;
const OLD: &[u8] = &[1, 1];
const NEW: &[u8] = &[2, 2];

/// A world with a closed segment in which `KEY` and `DEAD` are live and a third object is dead.
fn closed() -> (World, SegmentId) {
    let world = World::new(Plan { update: Update::InPlace, reuses_holes: true, ..Plan::new(Text) });
    [KEY, DEAD, NEXT].iter().for_each(|&key| world.put(key, OLD));
    assert_eq!(world.act(0, |session| session.delete(NEXT)), Ok(true));
    let segment = world.close_head().expect("something is dead");
    (world, segment)
}

/// Makes `DEAD` die, and puts another key.
fn die_and_put(session: &crate::Session<'_>) {
    assert_eq!(session.delete(DEAD), Ok(true));
    assert_eq!(session.put(NEXT, NEW), Ok(Put::Inserted));
}

#[test]
fn reuse_and_get() {
    explore_within(1, &["reused", "appended"], |seen| {
        let (world, _) = closed();
        let getting = world.spawn(|session| get(session, DEAD));
        world.act(0, die_and_put);
        let reused = world.node().head(0).lock().open_id().is_none();
        seen.note(if reused { "reused" } else { "appended" });
        let got = getting.join().unwrap();
        assert!(got.is_none() || got.as_deref() == Some(OLD), "{got:?}");
        assert_eq!(world.get(NEXT).as_deref(), Some(NEW));
        assert_eq!(world.live_objects(), 2);
    });
}

#[test]
fn reuse_and_compact() {
    explore_within(1, &["moved", "leased", "reused", "appended"], |seen| {
        let (world, segment) = closed();
        let mut tools = Tools::default();
        let reusing = world.spawn(die_and_put);
        let compacted = match world.choose(segment) {
            Choice::Victim(id) => world.try_compact(id, &mut tools),
            Choice::Young => None,
            Choice::Nothing => unreachable!("something is dead"),
        };
        seen.note(if compacted.is_some() { "moved" } else { "leased" });
        reusing.join().unwrap();
        let reused = world.node().head(0).lock().open_id().is_none();
        seen.note(if reused { "reused" } else { "appended" });
        assert_eq!(world.get(NEXT).as_deref(), Some(NEW));
        assert_eq!(world.get(KEY).as_deref(), Some(OLD));
        assert_eq!((world.get(DEAD), world.live_objects()), (None, 2));
    });
}

/// A segment is compacted, freed, opened and closed again while a session knows a hole in it.
#[test]
fn lease_and_reopen() {
    explore(&["leased", "compacting", "another life"], |seen| {
        let segments = Arc::new(SegmentTable::new(1));
        let reopened = Arc::new(AtomicU32::new(0));
        let info = &segments[SegmentId(0)];
        info.open(BlockId(0));
        info.become_state(SegmentState::Closed);
        let life = info.life();
        let compacting = thread::spawn({
            let (segments, reopened) = (Arc::clone(&segments), Arc::clone(&reopened));
            move || {
                let info = &segments[SegmentId(0)];
                if info.pick() {
                    info.become_state(SegmentState::Limbo);
                    info.become_state(SegmentState::Free);
                    info.open(BlockId(0));
                    reopened.fetch_add(1, Ordering::Relaxed);
                    info.become_state(SegmentState::Closed);
                }
            }
        });
        let lease = info.lease(life);
        // Relaxed: a read-modify-write reads the latest value.
        let is_reopened = reopened.fetch_add(0, Ordering::Relaxed) == 1;
        seen.note(match (&lease, is_reopened) {
            (Some(_), _) => "leased",
            (None, false) => "compacting",
            (None, true) => "another life",
        });
        assert!(lease.is_none() || !is_reopened, "a lease of another life");
        drop(lease);
        compacting.join().unwrap();
    });
}
