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
use super::values::Values;

/// How often each shape is tried. A vote has one burst of each, so that a burst that pays for something
/// else, such as compaction, decides one vote at most.
const VOTES: u32 = 100;
/// Bursts with fewer operations would measure the clock.
const BURST_MIN: usize = 32;

/// A way to write the loop of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Splits each value off the rest.
    Split,
    /// Indexes the values by a running offset.
    Indexed,
    /// Takes values of one length in step with the keys.
    Even,
}

const SHAPES: [Shape; 3] = [Shape::Split, Shape::Indexed, Shape::Even];

impl Shape {
    /// The statistic of how many threads have chosen it.
    fn statistic(self) -> &'static str {
        match self {
            Self::Split => "split_loop_threads",
            Self::Indexed => "indexed_loop_threads",
            Self::Even => "even_loop_threads",
        }
    }
}

/// How many of `all` threads have chosen each shape, by the name of the statistic. A thread whose trial goes
/// on has chosen none.
pub(super) fn chosen<'all>(
    all: impl Iterator<Item = &'all Shapes> + Clone,
) -> impl Iterator<Item = (&'static str, usize)> {
    let told = SHAPES.map(|shape| {
        let threads = all.clone().filter(|shapes| shapes.chosen == Some(shape)).count();
        (shape.statistic(), threads)
    });
    told.into_iter().filter(|(_, threads)| *threads > 0)
}

/// The shape that one thread's updates have, and the trial that finds it.
#[derive(Clone, Debug)]
pub(super) struct Shapes {
    /// Those that suit the values.
    fit: &'static [Shape],
    votes: [u32; SHAPES.len()],
    /// Bursts tried so far.
    tried: usize,
    /// Nanoseconds per operation in the vote that is being taken.
    spent_ns: [f64; SHAPES.len()],
    chosen: Option<Shape>,
}

impl Shapes {
    /// For values that are all of one length, or not.
    pub(super) fn new(is_even: bool) -> Self {
        Self {
            fit: if is_even { &SHAPES } else { &SHAPES[..2] },
            votes: [0; SHAPES.len()],
            tried: 0,
            spent_ns: [0.0; SHAPES.len()],
            chosen: None,
        }
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
        match self.chosen {
            Some(shape) => bursts::updates::<E>(session, words, values, shape),
            None => self.try_next::<E>(session, words, values),
        }
    }

    #[cold]
    #[inline(never)]
    fn try_next<E: KvEngine>(
        &mut self,
        session: &mut E::Session<'_>,
        words: &[Request],
        values: &mut Values,
    ) -> (usize, Option<Stored>) {
        let shape = self.next();
        let started_ns = monotonic_ns();
        let (executed, refused) = bursts::updates::<E>(session, words, values, shape);
        if executed >= BURST_MIN {
            self.note(shape, (monotonic_ns() - started_ns) as f64 / executed as f64);
        }
        (executed, refused)
    }

    /// The shape to be tried next. Votes begin with each shape by turns: the first burst after a timed
    /// operation is the slowest.
    fn next(&self) -> Shape {
        let (vote, place) = (self.tried / self.fit.len(), self.tried % self.fit.len());
        self.fit[(vote + place) % self.fit.len()]
    }

    /// Notes what a burst in `shape` took for each operation.
    fn note(&mut self, shape: Shape, per_operation_ns: f64) {
        self.spent_ns[shape as usize] = per_operation_ns;
        self.tried += 1;
        if !self.tried.is_multiple_of(self.fit.len()) {
            return;
        }
        let spent_ns = |shape: &&Shape| self.spent_ns[**shape as usize];
        let by_time = |a: &&Shape, b: &&Shape| spent_ns(a).total_cmp(&spent_ns(b));
        let fastest = *self.fit.iter().min_by(by_time).expect("there are shapes");
        self.votes[fastest as usize] += 1;
        if self.votes.iter().sum::<u32>() == VOTES {
            let votes = |shape: &&Shape| self.votes[**shape as usize];
            self.chosen = self.fit.iter().max_by_key(votes).copied();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries until a shape is chosen, where each burst takes what `spent_ns` says of its number and shape.
    fn found(is_even: bool, spent_ns: impl Fn(usize, Shape) -> f64) -> (Shape, usize) {
        let mut shapes = Shapes::new(is_even);
        for burst in 0.. {
            if let Some(chosen) = shapes.chosen {
                return (chosen, burst);
            }
            let shape = shapes.next();
            shapes.note(shape, spent_ns(burst, shape));
        }
        unreachable!("a trial ends")
    }

    #[test]
    fn threads_are_told_by_the_shape_they_have_chosen() {
        let of = |chosen| Shapes { chosen, ..Shapes::new(true) };
        let all = [of(Some(Shape::Even)), of(None), of(Some(Shape::Split)), of(Some(Shape::Even))];
        let told: Vec<_> = chosen(all.iter()).collect();
        assert_eq!(told, [("split_loop_threads", 1), ("even_loop_threads", 2)]);
    }

    #[test]
    fn the_shape_that_is_fastest_most_often_is_chosen_after_as_many_bursts_of_each() {
        for fastest in SHAPES {
            // Every seventh burst pays for something else.
            let spent_ns = |burst: usize, shape| {
                let own = if shape == fastest { 100.0 } else { 110.0 };
                if burst.is_multiple_of(7) { own * 50.0 } else { own }
            };
            assert_eq!(found(true, spent_ns), (fastest, 3 * VOTES as usize));
        }
    }

    #[test]
    fn values_of_several_lengths_are_never_taken_as_even() {
        let spent_ns = |_: usize, shape: Shape| if shape == Shape::Indexed { 2.0 } else { 3.0 };
        assert_eq!(found(false, spent_ns), (Shape::Indexed, 2 * VOTES as usize));
        assert!((0..1000).all(|burst| {
            let mut shapes = Shapes::new(false);
            shapes.tried = burst;
            shapes.next() != Shape::Even
        }));
    }

    #[test]
    fn no_place_in_a_vote_is_of_one_shape_only() {
        // The first burst of each vote is ten times slower, whichever it is.
        let spent_ns = |burst: usize, shape| {
            let own = if shape == Shape::Split { 100.0 } else { 120.0 };
            if burst.is_multiple_of(3) { own * 10.0 } else { own }
        };
        assert_eq!(found(true, spent_ns).0, Shape::Split);
    }
}
