//! The algorithms as small state machines, of which every reachable state is visited: as printed,
//! each fault is reached; as they are here, none is.
//!
//! The code itself is explored in `models`. This is about the algorithms: more writes and snapshots,
//! and a check after every step.

use std::collections::HashSet;
use std::hash::Hash;

/// Visits what can be reached from `first`. Answers the number of states, or what went wrong.
fn explore<S: Copy + Eq + Hash>(
    first: S,
    next: impl Fn(S, &mut dyn FnMut(S)) -> Result<(), String>,
) -> Result<usize, String> {
    let mut seen = HashSet::from([first]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        next(state, &mut |reached| {
            if seen.insert(reached) {
                open.push(reached);
            }
        })?;
    }
    Ok(seen.len())
}

/// Timestamps go no further, so that retries end.
const TIME_MAX: u8 = 4;

/// Which faults are put back, and which order snapshots have.
#[derive(Clone, Copy, Debug)]
struct Variant {
    waits_below: bool,
    reads_late: bool,
    is_linearizable: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Put {
    Draws,
    Enlists(u8),
    Checks(u8),
    Inserts(u8),
    Retires,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Snap {
    Reads,
    /// Looks at a slot: the time read, the oldest so far, the slot.
    Chooses(u8, u8, u8),
    Forbids(u8),
    /// Waits: the bound, the oldest so far, the slot.
    Waits(u8, u8, u8),
    Answers(u8),
    Done(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Clocks {
    time: u8,
    forbidden: u8,
    active: [u8; 2],
    puts: [Put; 2],
    snaps: [Snap; 2],
}

/// Two writes and two snapshots, which look at one slot after the other.
fn clocks(variant: Variant) -> Result<usize, String> {
    let first = Clocks {
        time: 0,
        forbidden: 0,
        active: [0; 2],
        puts: [Put::Draws; 2],
        snaps: [Snap::Reads; 2],
    };
    explore(first, |state, reach| {
        for slot in 0..2 {
            if let Some(reached) = step_put(state, slot)? {
                reach(reached);
            }
            if let Some(reached) = step_snap(state, slot, variant) {
                reach(reached);
            }
        }
        Ok(())
    })
}

fn step_put(mut state: Clocks, slot: usize) -> Result<Option<Clocks>, String> {
    state.puts[slot] = match state.puts[slot] {
        Put::Draws if state.time == TIME_MAX => return Ok(None),
        Put::Draws => {
            state.time += 1;
            Put::Enlists(state.time)
        }
        Put::Enlists(time) => {
            state.active[slot] = time;
            Put::Checks(time)
        }
        Put::Checks(time) if time > state.forbidden => Put::Inserts(time),
        Put::Checks(_) => {
            state.active[slot] = 0;
            Put::Draws
        }
        Put::Inserts(time) => {
            for snap in state.snaps {
                if let Snap::Done(answer) = snap
                    && time <= answer
                {
                    return Err(format!("time {time} is inserted after a snapshot of {answer}"));
                }
            }
            Put::Retires
        }
        Put::Retires => {
            state.active[slot] = 0;
            Put::Done
        }
        Put::Done => return Ok(None),
    };
    Ok(Some(state))
}

fn step_snap(mut state: Clocks, number: usize, variant: Variant) -> Option<Clocks> {
    let older = |oldest: u8, slot: u8| match state.active[slot as usize] {
        0 => oldest,
        active => oldest.min(active),
    };
    state.snaps[number] = match state.snaps[number] {
        Snap::Reads if variant.is_linearizable => Snap::Forbids(state.time),
        Snap::Reads => Snap::Chooses(state.time, u8::MAX, 0),
        Snap::Chooses(time, oldest, slot) => match (older(oldest, slot), slot) {
            (oldest, 0) => Snap::Chooses(time, oldest, 1),
            (u8::MAX, _) => Snap::Forbids(time),
            (oldest, _) => Snap::Forbids(oldest - 1),
        },
        Snap::Forbids(time) => {
            state.forbidden = state.forbidden.max(time);
            Snap::Waits(state.forbidden, u8::MAX, 0)
        }
        Snap::Waits(bound, oldest, 0) => Snap::Waits(bound, older(oldest, 0), 1),
        Snap::Waits(bound, oldest, slot) => {
            let oldest = older(oldest, slot);
            let waits_for = if variant.reads_late { state.forbidden } else { bound };
            let waits = if variant.waits_below { oldest < waits_for } else { oldest <= waits_for };
            if waits { Snap::Waits(bound, u8::MAX, 0) } else { Snap::Answers(bound) }
        }
        Snap::Answers(bound) => {
            Snap::Done(if variant.reads_late { state.forbidden } else { bound })
        }
        Snap::Done(_) => return None,
    };
    Some(state)
}

#[test]
fn snapshots_as_printed_miss_writes_and_as_they_are_here_do_not() {
    for is_linearizable in [false, true] {
        for (waits_below, reads_late) in [(true, false), (false, true), (true, true)] {
            let variant = Variant { waits_below, reads_late, is_linearizable };
            assert!(clocks(variant).is_err(), "{variant:?}: the fault is not reached");
        }
        let variant = Variant { waits_below: false, reads_late: false, is_linearizable };
        let states = clocks(variant).unwrap_or_else(|wrong| panic!("{variant:?}: {wrong}"));
        println!("{variant:?}: {states} states");
        assert!(states > 10_000, "{states} states are too few to say anything");
    }
}

/// The most versions of the key: two puts, two updates.
const VERSIONS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Version {
    time: u8,
    value: u16,
    is_update: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Writer {
    /// A put that has yet to draw, and one that has drawn.
    Puts,
    PutsAt(u8),
    Reads,
    /// An update that has read a version of this time and value.
    Draws(u8, u16),
    Links(u8, u16, u8),
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Chain {
    time: u8,
    /// The newest first.
    versions: [Option<Version>; VERSIONS],
    writers: [Writer; 4],
}

/// Writers of one key: put number *n* stores 100 (n + 1), an update adds 1.
fn chain(writers: [Writer; 4], is_unguarded: bool) -> Result<usize, String> {
    let allowed = serial_results(writers);
    let first = Chain { time: 0, versions: [None; VERSIONS], writers };
    explore(first, |state, reach| {
        if state.writers.iter().all(|writer| *writer == Writer::Done) {
            let last = state.versions[0].map_or(0, |newest| newest.value);
            return if allowed.contains(&last) {
                Ok(())
            } else {
                Err(format!("{last} comes from no order: {:?}", state.versions))
            };
        }
        for number in 0..4 {
            if let Some(reached) = step_writer(state, number, is_unguarded) {
                reach(reached);
            }
        }
        Ok(())
    })
}

fn step_writer(mut state: Chain, number: usize, is_unguarded: bool) -> Option<Chain> {
    let newest = |state: &Chain| state.versions[0].map_or((0, 0), |top| (top.time, top.value));
    state.writers[number] = match state.writers[number] {
        Writer::Puts => {
            state.time += 1;
            Writer::PutsAt(state.time)
        }
        Writer::PutsAt(time) => {
            let newer = |version: &&Option<Version>| version.is_some_and(|it| it.time > time);
            let place = state.versions.iter().take_while(newer).count();
            let is_below_update =
                place > 0 && state.versions[place - 1].is_some_and(|above| above.is_update);
            if is_below_update && !is_unguarded {
                Writer::Puts
            } else {
                let value = 100 * (number as u16 + 1);
                insert(&mut state, place, Version { time, value, is_update: false });
                Writer::Done
            }
        }
        Writer::Reads => {
            let (time, value) = newest(&state);
            Writer::Draws(time, value)
        }
        Writer::Draws(base, value) => {
            state.time += 1;
            Writer::Links(base, value, state.time)
        }
        Writer::Links(base, value, time) if newest(&state).0 == base => {
            insert(&mut state, 0, Version { time, value: value + 1, is_update: true });
            Writer::Done
        }
        Writer::Links(..) => Writer::Reads,
        Writer::Done => return None,
    };
    Some(state)
}

fn insert(state: &mut Chain, place: usize, version: Version) {
    state.versions[place..].rotate_right(1);
    state.versions[place] = Some(version);
}

/// What the key may hold after the writers have come one after the other, in any order.
fn serial_results(writers: [Writer; 4]) -> HashSet<u16> {
    fn go(left: &mut Vec<usize>, writers: &[Writer; 4], value: u16, results: &mut HashSet<u16>) {
        if left.is_empty() {
            results.insert(value);
        }
        for index in 0..left.len() {
            let number = left.remove(index);
            let next = match writers[number] {
                Writer::Puts => 100 * (number as u16 + 1),
                Writer::Reads => value + 1,
                _ => value,
            };
            go(left, writers, next, results);
            left.insert(index, number);
        }
    }
    let mut results = HashSet::new();
    go(&mut vec![0, 1, 2, 3], &writers, 0, &mut results);
    results
}

#[test]
fn updates_as_printed_lose_puts_and_as_they_are_here_do_not() {
    use Writer::{Done, Puts, Reads};
    for writers in [
        [Puts, Done, Reads, Done],
        [Puts, Puts, Reads, Done],
        [Puts, Done, Reads, Reads],
        [Puts, Puts, Reads, Reads],
    ] {
        assert!(chain(writers, true).is_err(), "the fault is not reached");
        let states = chain(writers, false).unwrap_or_else(|wrong| panic!("{wrong}"));
        println!("{states} states");
    }
}
