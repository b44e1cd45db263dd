//! `reproduce --decide`: what undecided claims compare is measured by more processes, and only that, until
//! it is decided, the last look has seen it, or the time is up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use expect::{Answer, Measured, REPEATED_LOOKS, Verdict};

use super::Failure;
use super::claims;
use super::measure::Session;
use crate::memory::memory_class;
use crate::plan::{estimate_s, in_order};
use record::repetition::without_repetition;
use record::{Cell, Row, archive};

/// What a look may take ÷ what it is expected to take: of a few cells the estimate is less exact than of a
/// whole run, and a look that began is measured to its end.
const OVERRUN: f64 = 1.25;

/// After looks at this many processes, only what the last look is likely to decide is measured further.
const PROCESSES_WITHOUT_HOPE: usize = 8;

/// Measures until all claims are decided or the run's time for that is up. A question that a look leaves
/// out for want of time is not taken up again: it may be judged once a look.
pub(super) fn decide(session: &mut Session) -> Result<(), Failure> {
    let Some(given_s) = session.record().decide_s else { return Ok(()) };
    let budget = time_left(given_s, session.record().within_s, session.took_s());
    let began = Instant::now();
    let (mut left_out, mut told) = (BTreeSet::new(), Vec::new());
    for look in REPEATED_LOOKS {
        if session.is_interrupted() {
            return Ok(());
        }
        let (run, rows) = archive::load(session.folder()).map_err(Failure::internal)?;
        let answers = claims::answers(session.folder(), &run, &rows)?;
        let mut open = undecided(&answers, &rows, look.processes as u32);
        open.retain(|question| !left_out.contains(&question.name));
        open.retain(|question| question.within_reach || look.processes <= PROCESSES_WITHOUT_HOPE);
        let asked = open.len();
        let left_s = budget.saturating_sub(began.elapsed()).as_secs_f64() / OVERRUN;
        let chosen = affordable(open, left_s / session.pace(), &mut left_out);
        if chosen.cells.is_empty() {
            continue;
        }
        let (questions, cells) =
            (chosen.questions, chosen.cells.iter().map(Vec::len).sum::<usize>());
        eprintln!(
            "deciding: {questions} of {asked} undecided questions, by {} processes: {cells} cells",
            look.processes
        );
        told.push(format!(
            "{questions} of {asked} by {} processes ({cells} further cells)",
            look.processes
        ));
        let cells = side_by_side(chosen.cells);
        session.extend(&cells)?;
        session.run(&cells);
    }
    let took = crate::plan::in_words(began.elapsed().as_secs_f64());
    session.note(match told.is_empty() {
        true => "No undecided claim was measured again.".to_owned(),
        false => format!(
            "What undecided claims compare was measured again, for {took} of the {} given: {}.",
            crate::plan::in_words(budget.as_secs_f64()),
            told.join(", ")
        ),
    });
    Ok(())
}

/// The time for deciding, of a run that took so long and may have to end within a time.
fn time_left(given_s: u64, within_s: Option<u64>, took_s: f64) -> Duration {
    let left_s = within_s.map_or(f64::INFINITY, |within_s| within_s as f64 - took_s);
    Duration::from_secs_f64((given_s as f64).min(left_s).max(0.0))
}

/// A question, and the cells that its next look needs.
struct Open {
    name: String,
    cells: Vec<Cell>,
    /// Whether the last look is likely to decide it.
    within_reach: bool,
}

/// Undecided questions whose cells have been measured by fewer processes than `processes`.
fn undecided(answers: &[Answer], rows: &[Row], processes: u32) -> Vec<Open> {
    let mut newest: BTreeMap<&str, &Cell> = BTreeMap::new();
    for row in rows {
        let known = newest.entry(without_repetition(&row.cell.id)).or_insert(&row.cell);
        if row.cell.repetition > known.repetition {
            *known = &row.cell;
        }
    }
    let further = |measured: &Measured| -> Vec<Cell> {
        let like: BTreeSet<&str> = measured.cells.iter().map(|id| without_repetition(id)).collect();
        let cells = like.iter().filter_map(|id| newest.get(id));
        cells
            .flat_map(|cell| (cell.repetition + 1..processes).map(|next| cell.repeated(next)))
            .collect()
    };
    let open = answers.iter().filter(|answer| answer.verdict == Verdict::Undecided);
    let open = open.map(|answer| {
        let undecided =
            answer.measured.iter().filter(|measured| measured.verdict == Verdict::Undecided);
        Open {
            name: claims::id(answer),
            cells: undecided.clone().flat_map(further).collect(),
            within_reach: undecided.clone().all(Measured::is_within_reach),
        }
    });
    open.filter(|question| !question.cells.is_empty()).collect()
}

/// What is measured.
struct Chosen {
    questions: usize,
    /// Of each question what those before it do not need.
    cells: Vec<Vec<Cell>>,
}

/// The cells of all questions: repetition after repetition, and within each what one question compares
/// side by side, in drawn order. Ratios of one repetition then say little of how fast the machine was.
/// Questions whose largest cells touch as much memory follow one another.
fn side_by_side(questions: Vec<Vec<Cell>>) -> Vec<Cell> {
    let mut ordered: Vec<((u32, u32, usize), Cell)> = Vec::new();
    for (at, mut cells) in questions.into_iter().enumerate() {
        in_order(&mut cells, 0);
        let class = cells.iter().map(memory_class).max().unwrap_or(0);
        let place = |cell: &Cell| (class, cell.repetition, at);
        ordered.extend(cells.into_iter().map(|cell| (place(&cell), cell)));
    }
    ordered.sort_by_key(|(place, _)| *place);
    ordered.into_iter().map(|(_, cell)| cell).collect()
}

/// As many questions as fit into the time: first those within reach, the cheapest first. The others are
/// `left_out`.
fn affordable(open: Vec<Open>, time_s: f64, left_out: &mut BTreeSet<String>) -> Chosen {
    let mut open: Vec<(f64, Open)> =
        open.into_iter().map(|question| (estimate_s(&question.cells), question)).collect();
    open.sort_by(|(price, question), (other_price, other)| {
        let reach = other.within_reach.cmp(&question.within_reach);
        reach.then(price.total_cmp(other_price)).then_with(|| question.name.cmp(&other.name))
    });
    let mut chosen = Chosen { questions: 0, cells: Vec::new() };
    let mut all: Vec<Cell> = Vec::new();
    for (_, question) in open {
        // Questions share cells.
        let mut seen: BTreeSet<&str> = all.iter().map(|cell| cell.id.as_str()).collect();
        let new = question.cells.iter().filter(|cell| seen.insert(cell.id.as_str()));
        let new: Vec<Cell> = new.cloned().collect();
        let together = [all.clone(), new.clone()].concat();
        if estimate_s(&together) <= time_s {
            chosen.questions += 1;
            chosen.cells.push(new);
            all = together;
        } else {
            left_out.insert(question.name);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use expect::{On, Unit};

    use super::*;
    use crate::plan::tests::sample_cells;

    fn made_up_measured() -> Measured {
        Measured {
            compared: "one ÷ other".to_owned(),
            unit: Unit::Times,
            value: 1.1,
            low: Some(0.9),
            high: Some(1.3),
            processes_of: 3,
            processes_to: Some(3),
            expected: "≥ 1.00×".to_owned(),
            verdict: Verdict::Undecided,
            margin: 0.1,
            unlike: Vec::new(),
            cells: Vec::new(),
            rounds: Vec::new(),
            sides: None,
        }
    }

    fn made_up_answer() -> Answer {
        Answer {
            id: "made-up".to_owned(),
            question: 1,
            preset: None,
            source: "nobody".to_owned(),
            says: "one is faster".to_owned(),
            figure: None,
            on: On::Any,
            expects: "at least as fast".to_owned(),
            metric: "throughput".to_owned(),
            verdict: Verdict::Undecided,
            reason: "the interval holds a bound".to_owned(),
            not_judged: None,
            measured: Vec::new(),
            better: Vec::new(),
        }
    }

    fn question(name: &str, cells: &[Cell], within_reach: bool) -> Open {
        Open { name: name.to_owned(), cells: cells.to_vec(), within_reach }
    }

    #[test]
    fn deciding_gets_what_the_rest_of_the_run_leaves() {
        assert_eq!(time_left(900, None, 9_999.0), Duration::from_secs(900));
        assert_eq!(time_left(900, Some(2_400), 1_000.0), Duration::from_secs(900));
        assert_eq!(time_left(900, Some(2_400), 2_000.0), Duration::from_secs(400));
        assert_eq!(time_left(900, Some(2_400), 2_500.0), Duration::ZERO);
    }

    #[test]
    fn what_is_cheap_and_within_reach_comes_first_and_shared_cells_are_paid_once() {
        let cells = sample_cells();
        let price = estimate_s(&cells[..2]);
        let mut left_out = BTreeSet::new();
        let open = vec![
            question("hopeless", &cells[2..3], false),
            question("whole", &cells, true),
            question("again", &cells[..2], true),
            question("two", &cells[..2], true),
        ];
        let chosen = affordable(open, price * 1.01, &mut left_out);
        let counts: Vec<usize> = chosen.cells.iter().map(Vec::len).collect();
        assert_eq!((chosen.questions, counts), (2, vec![2, 0]));
        assert_eq!(left_out, BTreeSet::from(["hopeless".to_owned(), "whole".to_owned()]));
        let none = affordable(vec![question("two", &cells[..2], true)], 0.0, &mut left_out);
        assert_eq!((none.questions, none.cells.len()), (0, 0));
    }

    #[test]
    fn what_a_question_compares_is_measured_side_by_side_repetition_after_repetition() {
        let cells = sample_cells();
        let repeated = |cell: &Cell| [2, 3].map(|repetition| cell.repeated(repetition)).into_iter();
        let of = |cells: &[Cell]| -> Vec<Cell> { cells.iter().flat_map(repeated).collect() };
        let ordered = side_by_side(vec![of(&cells[..2]), of(&cells[2..3])]);
        let places: Vec<(u32, bool)> = ordered
            .iter()
            .map(|cell| {
                let last = without_repetition(&cells[2].id) == without_repetition(&cell.id);
                (cell.repetition, last)
            })
            .collect();
        let of_one = |repetition| [(repetition, false), (repetition, false), (repetition, true)];
        assert_eq!(places, [of_one(2), of_one(3)].concat());
    }

    #[test]
    fn an_undecided_question_asks_for_the_processes_that_are_missing() {
        let cell = sample_cells().remove(0);
        let rows =
            [0, 1, 2].map(|repetition| record::made_up::row(&cell.repeated(repetition), "run"));
        let measured = |verdict| Measured {
            verdict,
            cells: rows.iter().map(|row| row.cell.id.clone()).collect(),
            ..made_up_measured()
        };
        let answer = |verdict| Answer {
            verdict,
            measured: vec![measured(Verdict::Holds), measured(verdict)],
            ..made_up_answer()
        };
        let open = undecided(&[answer(Verdict::Undecided), answer(Verdict::Fails)], &rows, 6);
        assert_eq!(open.len(), 1);
        let ids: Vec<&str> = open[0].cells.iter().map(|cell| cell.id.as_str()).collect();
        let expected = [3, 4, 5].map(|repetition| cell.repeated(repetition).id);
        assert_eq!(ids, expected);
        assert_eq!(open[0].cells[0].seed, rows[0].cell.seed + 3);
        assert!(undecided(&[answer(Verdict::Undecided)], &rows, 3).is_empty(), "all there");
    }
}
