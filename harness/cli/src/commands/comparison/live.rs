//! Measures sides now, round by round, until a number of rounds or a time is reached.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use compare::Blocks;

use super::side::{Base, LiveSide};
use crate::cli::OutputArguments;
use crate::commands::Failure;
use crate::commands::measure::{Measured as Finished, Session, record};
use crate::compare::{
    LETTERS, Measured, Order, Place, Tolerances, add, asks, blank_line, id, places,
};
use crate::plan::Plan;
use record::{Cell, Outcome, Row, identity::EnvironmentClass, is_sound, metrics::Metric};
use worker::exit;

/// Rounds that every comparison begins with, whatever its budget: fewer blocks have no interval, and
/// what a round takes is known after them.
const FIRST_ROUNDS: u32 = 3;

/// When to stop measuring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Length {
    Rounds(u32),
    /// As many rounds as fit into this time, but at least three.
    Time(Duration),
}

/// A live comparison: its sides, cells and rows.
pub(super) struct Bench {
    session: Session,
    sides: Vec<LiveSide>,
    bases: Vec<Base>,
    seed: u64,
    order: Order,
    measured: Measured,
    /// Processes of each side that refused below the fill they bear.
    refused_early: Vec<u32>,
    next_round: u32,
    started: Instant,
}

impl Bench {
    /// Opens a run called `name`. The first side is the baseline, the second the candidate, the third the
    /// baseline again.
    pub(super) fn open(
        name: &str,
        suites: &[crate::suites::Suite],
        scale: Option<record::Scale>,
        sides: Vec<LiveSide>,
        bases: Vec<Base>,
        seed: u64,
        output: &OutputArguments,
    ) -> Result<Self, Failure> {
        super::side::check_memory(&sides, &bases)?;
        let plan = Plan::default();
        let mut session = Session::open(record(name, scale, suites, &plan), &plan, suites, output)?;
        session.keep_rows_only();
        Ok(Self {
            session,
            refused_early: vec![0; sides.len()],
            sides,
            bases,
            seed,
            order: Order::Mirrored,
            measured: Measured::default(),
            next_round: 0,
            started: Instant::now(),
        })
    }

    /// Replaces the mirrored order.
    pub(super) fn in_order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Measures all cells for that long; returns the rounds.
    pub(super) fn measure(&mut self, length: Length) -> Result<Range<u32>, Failure> {
        let all = self.bases.iter().map(|base| base.name.clone()).collect();
        self.measure_some(&all, length)
    }

    /// Measures the cells of these names in fresh rounds; returns the rounds.
    pub(super) fn measure_some(
        &mut self,
        names: &BTreeSet<String>,
        length: Length,
    ) -> Result<Range<u32>, Failure> {
        let first = self.next_round;
        let began = Instant::now();
        match length {
            Length::Rounds(rounds) => self.rounds(rounds, names)?,
            Length::Time(time) => {
                self.rounds(FIRST_ROUNDS, names)?;
                let round = began.elapsed() / FIRST_ROUNDS;
                let left = time.saturating_sub(began.elapsed());
                let more = left.as_secs_f64() / round.as_secs_f64().max(1e-3);
                self.rounds(more.floor().min(10_000.0) as u32, names)?;
            }
        }
        Ok(first..self.next_round)
    }

    /// Measures all cells, and tells before each process which share of them is done.
    pub(super) fn measure_under(
        &mut self,
        rounds: u32,
        tell: &dyn Fn(f64),
    ) -> Result<Range<u32>, Failure> {
        let all = self.bases.iter().map(|base| base.name.clone()).collect();
        let first = self.next_round;
        self.rounds_under(rounds, &all, tell)?;
        Ok(first..self.next_round)
    }

    fn rounds(&mut self, count: u32, names: &BTreeSet<String>) -> Result<(), Failure> {
        self.rounds_under(count, names, &|_| {})
    }

    fn rounds_under(
        &mut self,
        count: u32,
        names: &BTreeSet<String>,
        tell: &dyn Fn(f64),
    ) -> Result<(), Failure> {
        let chosen: Vec<usize> =
            (0..self.bases.len()).filter(|&at| names.contains(&self.bases[at].name)).collect();
        let rounds = self.next_round..self.next_round + count;
        self.next_round = rounds.end;
        let places = places(rounds, chosen.len(), self.sides.len(), self.seed, self.order);
        self.session.expect(places.len());
        let count = places.len();
        for (done, place) in places.into_iter().enumerate() {
            if self.session.is_interrupted() {
                break;
            }
            tell(done as f64 / count as f64);
            let place = Place { cell: chosen[place.cell], ..place };
            self.process(&place)?;
        }
        Ok(())
    }

    fn process(&mut self, place: &Place) -> Result<(), Failure> {
        let (base, side) = (&self.bases[place.cell], &self.sides[place.side]);
        let cell = side.cell(&base.cell)?;
        let cell = Cell {
            id: id(place, &base.name),
            repetition: place.round,
            // Every round draws requests of its own; within one all sides execute the same.
            seed: self.seed + u64::from(place.round),
            ..cell
        };
        let rows = self.session.run_by(&side.program, &cell);
        // What fails from the start fails always: hundreds of processes would say the same.
        let is_first = place.round == 0 && place.place < self.sides.len();
        let fails = |row: &&Row| !is_sound(row) && row.outcome != Outcome::EarlyRefusal;
        if let Some(row) = rows.iter().find(fails).filter(|_| is_first) {
            let reason = row.reason.as_deref().unwrap_or("no reason given");
            return Err(Failure {
                code: exit::UNEXPECTED,
                message: Some(format!(
                    "{} of `{}`: {}: {reason}; nothing was compared, its rows are in {}",
                    base.name,
                    side.name,
                    row.outcome.word(),
                    self.session.folder().display()
                )),
            });
        }
        if rows.iter().any(|row| row.outcome == Outcome::EarlyRefusal) {
            self.refused_early[place.side] += 1;
        }
        self.measured.add(&rows);
        Ok(())
    }

    /// The complete blocks among `rounds`.
    pub(super) fn blocks(&self, tolerances: &Tolerances, rounds: &Range<u32>) -> Vec<Blocks> {
        self.measured.blocks(tolerances, rounds)
    }

    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// Measurements of a side as history lines.
    pub(super) fn lines(&self, letter: char) -> Result<Vec<compare::Line>, Failure> {
        let place = LETTERS.iter().position(|own| *own == letter).unwrap_or_default();
        let mut lines = Vec::new();
        for base in &self.bases {
            let mut line = self.line(base, place)?;
            for metric in Metric::all_judged() {
                for value in self.measured.values(&base.name, metric.short_name(), letter) {
                    add(&mut line.metrics, metric, value);
                }
            }
            if !line.metrics.is_empty() {
                lines.push(line);
            }
        }
        Ok(lines)
    }

    /// The first side's lines with nothing measured: what the run is.
    pub(super) fn blank_lines(&self) -> Result<Vec<compare::Line>, Failure> {
        let base =
            self.bases.first().ok_or_else(|| Failure::usage("there is nothing to measure"))?;
        Ok(vec![self.line(base, 0)?])
    }

    fn line(&self, base: &Base, place: usize) -> Result<compare::Line, Failure> {
        let record = self.session.record();
        let side = &self.sides[place];
        let name = self.session.folder().file_name().unwrap_or_default().to_string_lossy();
        let cell = side.cell(&base.cell)?;
        Ok(compare::Line {
            revision: side.about.facts.get("revision").cloned().unwrap_or_default(),
            environment: EnvironmentClass::of_facts(&side.about.facts).facts,
            // Under the name that runs of the suite give it.
            cell: base.cell.name_with(&cell.system),
            asks: asks(&cell),
            ..blank_line(record, &name)
        })
    }

    pub(super) fn sides(&self) -> &[LiveSide] {
        &self.sides
    }

    pub(super) fn bases(&self) -> &[Base] {
        &self.bases
    }

    pub(super) fn elapsed_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Writes a file beside the rows.
    pub(super) fn keep_file(&self, name: &str, text: &str) -> Result<(), Failure> {
        self.session.keep_file(name, text)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.session.is_interrupted()
    }

    /// Folder of the rows.
    pub(super) fn folder(&self) -> String {
        self.session.folder().display().to_string()
    }

    /// Ends the run and records its end.
    pub(super) fn finish(self) -> Result<Finished, Failure> {
        for (side, refused) in self.sides.iter().zip(&self.refused_early) {
            if *refused > 0 {
                eprintln!(
                    "early refusals: {refused} processes of `{}` refused a PUT below the fill they \
                     bear; their rounds are left out",
                    side.name
                );
            }
        }
        self.session.finish()
    }
}
