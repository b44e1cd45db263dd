//! A reader, and a worker that frees what the reader may be reading.

use super::world::Plan;
use super::{World, explore};
use crate::compaction::relocate::Tools;
use crate::knobs::EpochClock;
use crate::knobs::IndexLayout::{self, Tagged, Text};

const KEY: u64 = 7;
const OTHER: u64 = 8;

/// The whole life of a segment: its object dies, it closes, is retired, its grace period passes,
/// its block is rewritten. A GET that found the object must have finished with it by then.
fn get_and_free(layout: IndexLayout, clock: EpochClock) {
    explore(&["hit", "miss", "kept", "freed"], move |seen| {
        // A second block would be taken before the freed one.
        let world = World::new(Plan { clock, blocks: 2, ..Plan::new(layout) });
        world.put(KEY, &[1, 1]);
        let mut tools = Tools::default();
        let getting = world.spawn(|session| super::world::get(session, KEY));
        let segment = world.open_segment();
        assert_eq!(world.act(0, |session| session.delete(KEY)), Ok(true));
        assert_eq!(world.close_head(), Some(segment));
        world.compact(segment, &mut tools);
        if world.reclaim(&mut tools) > 0 {
            seen.note("freed");
            world.put(OTHER, &[2, 2]);
            assert_eq!(world.open_segment(), segment, "the memory is in use again");
        } else {
            seen.note("kept");
        }
        match getting.join().unwrap() {
            Some(value) => {
                assert_eq!(value, [1, 1]);
                seen.note("hit");
            }
            None => seen.note("miss"),
        }
    });
}

#[test]
fn get_and_free_text() {
    get_and_free(Text, EpochClock::ThreadCounter);
}

#[test]
fn get_and_free_tagged() {
    get_and_free(Tagged, EpochClock::ThreadCounter);
}

#[test]
fn get_and_free_global() {
    get_and_free(Text, EpochClock::GlobalCounter);
}
