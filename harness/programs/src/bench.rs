//! Commands measured beside each other: rounds of mirrored blocks, until a number or a time is reached.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Range;
use std::time::{Duration, Instant};

use compare::{Order, Place, places};

use crate::{Command, Failure, Measured, Session};

/// What is measured as one side of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    pub command: Command,
    /// Its place among the commands that were given: whose preparation it has.
    pub place: usize,
    /// Added to the environment of all.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether it measures again what an earlier side is: set up and warmed up with that one.
    pub is_control: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// After so many runs of each side; of an odd number the last block is half a one.
    Runs(u32),
    /// After this time, but not before the first and not after the second number of rounds.
    Time(Duration, u32, u32),
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told<'a> {
    pub command: &'a str,
    /// Rounds before this one.
    pub rounds: u32,
    /// A share, 0 to 1.
    pub done: f64,
}

/// Cells, each of several sides, and their runs.
#[derive(Debug)]
pub struct Bench<'a> {
    pub session: Session<'a>,
    cells: Vec<Vec<Side>>,
    seed: u64,
    /// Whether a side that fails is left out, and the others go on.
    tolerant: bool,
    measured: Measured,
    failed: BTreeMap<(usize, usize), Failure>,
    next_round: u32,
}

impl<'a> Bench<'a> {
    #[must_use]
    pub fn new(session: Session<'a>, cells: Vec<Vec<Side>>, seed: u64) -> Self {
        Self {
            session,
            cells,
            seed,
            tolerant: false,
            measured: Measured::default(),
            failed: BTreeMap::new(),
            next_round: 0,
        }
    }

    /// From now on a side that fails is left out, unless it is the first of its cell.
    #[must_use]
    pub fn tolerant(mut self) -> Self {
        self.tolerant = true;
        self
    }

    #[must_use]
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    #[must_use]
    pub fn cells(&self) -> &[Vec<Side>] {
        &self.cells
    }

    /// Why a side was left out, if it was.
    #[must_use]
    pub fn failed(&self, cell: usize, side: usize) -> Option<&Failure> {
        self.failed.get(&(cell, side))
    }

    /// Sets up and warms up every side that is no control.
    ///
    /// # Errors
    /// As of [`Session::begin`].
    pub fn begin(&mut self) -> Result<(), Failure> {
        for (cell, sides) in self.cells.clone().iter().enumerate() {
            for (place, side) in sides.iter().enumerate().filter(|(_, side)| !side.is_control) {
                let begun = self.session.begin(&side.command, side.place, &side.environment);
                self.settle(cell, place, begun)?;
            }
        }
        Ok(())
    }

    /// Cleans up after every side that is no control.
    ///
    /// # Errors
    /// As of [`Session::end`].
    pub fn end(&mut self) -> Result<(), Failure> {
        let sides = self.cells.iter().flatten().filter(|side| !side.is_control);
        for side in sides.cloned().collect::<Vec<_>>() {
            self.session.end(&side.command)?;
        }
        Ok(())
    }

    /// Measures `cells` for that long in fresh rounds; returns the rounds.
    ///
    /// # Errors
    /// The first run that fails, unless its side may be left out.
    pub fn measure(
        &mut self,
        cells: &BTreeSet<usize>,
        length: Length,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> Result<Range<u32>, Failure> {
        let (first, began) = (self.next_round, Instant::now());
        let chosen: Vec<usize> = cells.iter().copied().collect();
        loop {
            let done = self.next_round - first;
            let (share, is_over, half) = match length {
                Length::Runs(runs) => {
                    let share = f64::from(2 * done) / f64::from(runs.max(1));
                    (share, 2 * done >= runs, runs == 2 * done + 1)
                }
                Length::Time(time, least, most) => {
                    let share = began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9);
                    let share = share.min(f64::from(done) / f64::from(least.max(1)));
                    let enough = done >= least && began.elapsed() >= time;
                    (share, enough || done >= most, false)
                }
            };
            if is_over {
                return Ok(first..self.next_round);
            }
            self.round(&chosen, half, done, share.min(1.0), tell)?;
            self.next_round += 1;
        }
    }

    fn round(
        &mut self,
        chosen: &[usize],
        half: bool,
        rounds: u32,
        done: f64,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> Result<(), Failure> {
        let round = self.next_round;
        let most = chosen.iter().map(|cell| self.cells[*cell].len()).max().unwrap_or(0);
        let order = places(round..round + 1, chosen.len(), most, self.seed, Order::Mirrored);
        for Place { place, cell, side, .. } in order {
            let cell = chosen[cell];
            if side >= self.cells[cell].len()
                || (half && place >= most)
                || self.failed.contains_key(&(cell, side))
            {
                continue;
            }
            let of = self.cells[cell][side].clone();
            tell(Told { command: &of.command.name, rounds, done });
            let number = self.measured.runs(cell, side).count() + 1;
            let run = self.session.measure(&of.command, of.place, &of.environment, number);
            if let Some(run) = self.settle(cell, side, run)? {
                self.measured.push(cell, side, round, run);
            }
        }
        Ok(())
    }

    /// Takes a failure for the end of a side, where that may be left out.
    fn settle<T>(
        &mut self,
        cell: usize,
        side: usize,
        outcome: Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        match outcome {
            Ok(it) => Ok(Some(it)),
            Err(failure @ Failure::Failed { .. })
                if self.tolerant && side > 0 && !self.cells[cell][side].is_control =>
            {
                self.failed.insert((cell, side), failure);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }
}
