//! Which way of writing a loop a store is fastest in: found by trial, while the loop runs.
//!
//! The same operations over the same values in the same places take up to a sixth longer in one loop than in
//! another, and which loop is the slow one differs from store to store and from processor to processor. A
//! harness with one loop would measure how it was written.

use engine::KvEngine;
use platform::clock::monotonic_ns;
use workloads::requests::Request;

use super::bursts;
use super::calls::Stored;
use super::trial::Trial;
use super::values::Values;

/// Bursts with fewer operations would measure the clock.
const BURST_MIN: usize = 32;

/// A way to write the loop of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateShape {
    /// Splits each value off the rest.
    Split,
    /// Indexes the values by a running offset.
    Indexed,
    /// Takes values of one length in step with the keys.
    Even,
}

/// The last one is for values of one length only.
const UPDATE_SHAPES: [UpdateShape; 3] =
    [UpdateShape::Split, UpdateShape::Indexed, UpdateShape::Even];
/// Of how many threads have chosen it.
const UPDATE_STATISTICS: [&str; 3] =
    ["split_loop_threads", "indexed_loop_threads", "even_loop_threads"];

/// A way to write the loop of GETs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GetShape {
    /// Adds up what was not there: no branch waits for what was found.
    Summed,
    /// Branches on what was found, as a program would.
    Branched,
}

const GET_SHAPES: [GetShape; 2] = [GetShape::Summed, GetShape::Branched];
const GET_STATISTICS: [&str; 2] = ["summed_loop_threads", "branched_loop_threads"];

/// How many of `all` threads have chosen each shape, by the name of the statistic. A thread whose trial goes
/// on has chosen none.
pub(super) fn chosen<'all>(
    all: impl Iterator<Item = &'all Shapes> + Clone,
) -> impl Iterator<Item = (&'static str, usize)> {
    let gets = count(all.clone().map(|shapes| shapes.gets.chosen()), GET_STATISTICS);
    let updates = count(all.map(|shapes| shapes.updates.chosen()), UPDATE_STATISTICS);
    gets.chain(updates).filter(|(_, threads)| *threads > 0)
}

fn count<const WAYS: usize>(
    chosen: impl Iterator<Item = Option<usize>>,
    statistics: [&'static str; WAYS],
) -> impl Iterator<Item = (&'static str, usize)> {
    let mut threads = [0; WAYS];
    for way in chosen.flatten() {
        threads[way] += 1;
    }
    statistics.into_iter().zip(threads)
}

/// The shapes of one thread's loops, and the trials that find them.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    gets: Trial<{ GET_SHAPES.len() }>,
    updates: Trial<{ UPDATE_SHAPES.len() }>,
}

impl Shapes {
    /// For values that are all of one length, or not.
    pub(super) fn new(is_even: bool) -> Self {
        let uneven = UPDATE_SHAPES.len() - 1;
        Self {
            gets: Trial::of(GET_SHAPES.len()),
            updates: Trial::of(if is_even { UPDATE_SHAPES.len() } else { uneven }),
        }
    }

    /// Reads all of `words`, as [`bursts::gets`] does, in the chosen shape, or in the next to be tried.
    #[inline(always)]
    pub(super) fn gets<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        words: &[Request],
        buffer: &mut [u8],
    ) -> u64 {
        match self.gets.chosen() {
            Some(way) => bursts::gets::<E>(session, words, buffer, GET_SHAPES[way]),
            None => self.try_gets::<E>(session, words, buffer),
        }
    }

    #[cold]
    #[inline(never)]
    fn try_gets<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        words: &[Request],
        buffer: &mut [u8],
    ) -> u64 {
        let way = self.gets.next();
        let started_ns = monotonic_ns();
        let unfound = bursts::gets::<E>(session, words, buffer, GET_SHAPES[way]);
        note(&mut self.gets, way, (words.len(), started_ns));
        unfound
    }

    /// Stores the next of `values` for each of `words`, as [`bursts::updates`] does, in the chosen shape, or
    /// in the next to be tried.
    #[inline(always)]
    pub(super) fn updates<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        words: &[Request],
        values: &mut Values,
    ) -> (usize, Option<Stored>) {
        match self.updates.chosen() {
            Some(way) => bursts::updates::<E>(session, words, values, UPDATE_SHAPES[way]),
            None => self.try_updates::<E>(session, words, values),
        }
    }

    #[cold]
    #[inline(never)]
    fn try_updates<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        words: &[Request],
        values: &mut Values,
    ) -> (usize, Option<Stored>) {
        let way = self.updates.next();
        let started_ns = monotonic_ns();
        let (executed, refused) = bursts::updates::<E>(session, words, values, UPDATE_SHAPES[way]);
        note(&mut self.updates, way, (executed, started_ns));
        (executed, refused)
    }
}

/// Notes a burst of so many operations that began then and has just ended, if it was long enough.
fn note<const WAYS: usize>(
    trial: &mut Trial<WAYS>,
    way: usize,
    (operations, started_ns): (usize, u64),
) {
    if operations >= BURST_MIN {
        trial.note(way, (monotonic_ns() - started_ns) as f64 / operations as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::VOTES;
    use super::*;

    /// Has `trial` choose `fastest`.
    fn choose<const WAYS: usize>(trial: &mut Trial<WAYS>, fastest: usize) {
        while trial.chosen().is_none() {
            let way = trial.next();
            trial.note(way, if way == fastest { 1.0 } else { 2.0 });
        }
    }

    #[test]
    fn threads_are_told_by_the_shapes_they_have_chosen() {
        let of = |get: Option<GetShape>, update: Option<UpdateShape>| {
            let mut shapes = Shapes::new(true);
            if let Some(get) = get {
                choose(&mut shapes.gets, get as usize);
            }
            if let Some(update) = update {
                choose(&mut shapes.updates, update as usize);
            }
            shapes
        };
        let all = [
            of(None, Some(UpdateShape::Even)),
            of(Some(GetShape::Branched), None),
            of(None, Some(UpdateShape::Split)),
            of(Some(GetShape::Branched), Some(UpdateShape::Even)),
            of(Some(GetShape::Summed), Some(UpdateShape::Indexed)),
        ];
        let mut told: Vec<_> = chosen(all.iter()).collect();
        told.sort_unstable();
        let expected = [
            ("branched_loop_threads", 2),
            ("even_loop_threads", 2),
            ("indexed_loop_threads", 1),
            ("split_loop_threads", 1),
            ("summed_loop_threads", 1),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn shapes_stand_in_the_order_of_their_numbers() {
        assert!(UPDATE_SHAPES.iter().enumerate().all(|(at, shape)| *shape as usize == at));
        assert!(GET_SHAPES.iter().enumerate().all(|(at, shape)| *shape as usize == at));
    }

    #[test]
    fn values_of_several_lengths_are_never_taken_as_even() {
        let mut shapes = Shapes::new(false);
        for _ in 0..2 * VOTES {
            let way = shapes.updates.next();
            assert_ne!(UPDATE_SHAPES[way], UpdateShape::Even);
            shapes.updates.note(way, 1.0);
        }
        assert!(shapes.updates.chosen().is_some());
    }
}
