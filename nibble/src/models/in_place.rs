//! Values overwritten in place (Nibble-2).

use super::world::{Plan, get};
use super::{World, explore};
use crate::Put;
use crate::index::Overwrite;
use crate::index::hash::Hash;
use crate::knobs::IndexLayout::{self, Tagged, Text};
use crate::knobs::Update;

const KEY: u64 = 7;

fn overwrite_and_get(layout: IndexLayout) {
    explore(&["old", "new"], move |seen| {
        let world = World::new(Plan { update: Update::InPlace, ..Plan::new(layout) });
        world.put(KEY, &[1, 1]);
        let putting = world.spawn(|session| session.put(KEY, &[2, 2]));
        let value = world.get(KEY).expect("it always has a value");
        assert!(value == [1, 1] || value == [2, 2], "torn: {value:?}");
        seen.note(if value == [1, 1] { "old" } else { "new" });
        assert_eq!(putting.join().unwrap(), Ok(Put::Updated));
        assert_eq!(world.get(KEY).unwrap(), [2, 2]);
    });
}

#[test]
fn overwrite_and_get_text() {
    overwrite_and_get(Text);
}

#[test]
fn overwrite_and_get_tagged() {
    overwrite_and_get(Tagged);
}

/// The length changes too.
#[test]
fn shorten_and_get() {
    explore(&["old", "new"], move |seen| {
        let world = World::new(Plan { update: Update::InPlace, ..Plan::new(Text) });
        world.put(KEY, &[1, 1]);
        let putting = world.spawn(|session| session.put(KEY, &[2]));
        let value = world.get(KEY).expect("it always has a value");
        assert!(value == [1, 1] || value == [2], "torn: {value:?}");
        seen.note(if value == [1, 1] { "old" } else { "new" });
        assert_eq!(putting.join().unwrap(), Ok(Put::Updated));
    });
}

/// A store that appends begins to overwrite: whoever may be copying without a second look has left.
fn begin_and_get(layout: IndexLayout) {
    explore(&["overwritten", "kept", "old", "new"], move |seen| {
        let world = World::new(Plan::new(layout));
        world.put(KEY, &[1, 1]);
        let getting = world.spawn(|session| get(session, KEY));
        let shared = world.shared();
        let stamp = shared.overwriting.announce(&shared.epochs.clock);
        if shared.overwriting.allow_after(&shared.epochs, stamp).is_ok() {
            seen.note("overwritten");
            let pin = shared.epochs.slot(0).enter(&shared.epochs.clock);
            let (memory, segments) = (&shared.log.memory, &shared.log.segments);
            let hash = Hash::of(KEY);
            let done = shared.index.overwrite(hash, KEY, &[2, 2], false, memory, segments, &pin);
            assert_eq!(done, Overwrite::Done);
        } else {
            seen.note("kept");
        }
        let value = getting.join().unwrap().expect("it always has a value");
        assert!(value == [1, 1] || value == [2, 2], "torn: {value:?}");
        seen.note(if value == [1, 1] { "old" } else { "new" });
    });
}

#[test]
fn begin_and_get_text() {
    begin_and_get(Text);
}

#[test]
fn begin_and_get_tagged() {
    begin_and_get(Tagged);
}
