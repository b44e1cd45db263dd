//! `reproduce --decide`: what undecided claims compare is measured by more processes, and only that, until
//! it is decided, the last look has seen it, or the time is up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use expect::{Answer, Measured, Verdict, next_look};

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

/// Looks at more processes are for what a look is likely to decide.
const LOOK_WITHOUT_HOPE: usize = 8;

/// Measures until all claims are decided or the run's time for that is up. In each turn a question is measured
/// by as many processes as its next look sees. One that a turn leaves out for want of time is taken up again
/// only if nothing of it was measured for another question meanwhile: it may be judged once a look.
pub(super) fn decide(session: &mut Session) -> Result<(), Failure> {
    let Some(given_s) = session.record().decide_s else { return Ok(()) };
    let budget = time_left(given_s, session.record().within_s, session.took_s());
    let began = Instant::now();
    let (mut left_out, mut told) = (LeftOut::new(), Vec::new());
    while !session.is_interrupted() {
        let (run, rows) = archive::load(session.folder()).map_err(Failure::internal)?;
        let answers = claims::answers(session.folder(), &run, &rows)?;
        let mut open = undecided(&answers, &rows);
        open.retain(|question| question.may_be_measured(&left_out));
        open.retain(|question| question.in_all.is_some() || question.look <= LOOK_WITHOUT_HOPE);
        let asked = open.len();
        let left_s = budget.saturating_sub(began.elapsed()).as_secs_f64() / OVERRUN;
        let chosen = affordable(open, left_s / session.pace(), &mut left_out);
        if chosen.cells.is_empty() {
            break;
        }
        let turn = format!(
            "{} of {asked} by {} processes ({} further cells)",
            chosen.questions,
            chosen.looks(),
            chosen.cells.iter().map(Vec::len).sum::<usize>()
        );
        eprintln!("deciding: {turn}");
        told.push(turn);
        let cells = side_by_side(chosen.cells);
        session.extend(&cells)?;
        session.run(&cells);
    }
    if session.is_interrupted() {
        return Ok(());
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
    /// How many processes the next look sees.
    look: usize,
    cells: Vec<Cell>,
    /// The cells up to the look that is likely to decide it, if any look is.
    in_all: Option<Vec<Cell>>,
}

/// Questions that were left out, with the cells that their next look needed then.
type LeftOut = BTreeMap<String, Vec<String>>;

impl Open {
    fn may_be_measured(&self, left_out: &LeftOut) -> bool {
        left_out.get(&self.name).is_none_or(|needed| *needed == self.needed())
    }

    fn needed(&self) -> Vec<String> {
        self.cells.iter().map(|cell| cell.id.clone()).collect()
    }
}

/// Undecided questions that have a look left.
fn undecided(answers: &[Answer], rows: &[Row]) -> Vec<Open> {
    let mut newest: BTreeMap<&str, &Cell> = BTreeMap::new();
    for row in rows {
        let known = newest.entry(without_repetition(&row.cell.id)).or_insert(&row.cell);
        if row.cell.repetition > known.repetition {
            *known = &row.cell;
        }
    }
    let newest_of = |measured: &Measured| -> Vec<&Cell> {
        let like: BTreeSet<&str> = measured.cells.iter().map(|id| without_repetition(id)).collect();
        like.iter().filter_map(|id| newest.get(id).copied()).collect()
    };
    let look_of = |measured: &Measured| {
        let processes = |cell: &&Cell| cell.repetition as usize + 1;
        next_look(newest_of(measured).iter().map(processes).min()?)
    };
    let further = |measured: &Measured, look: usize| -> Vec<Cell> {
        let missing = |cell: &Cell| -> Vec<Cell> {
            (cell.repetition + 1..look as u32).map(|next| cell.repeated(next)).collect()
        };
        newest_of(measured).into_iter().flat_map(missing).collect()
    };
    let open = answers.iter().filter(|answer| answer.verdict == Verdict::Undecided);
    let open = open.filter_map(|answer| {
        let undecided =
            answer.measured.iter().filter(|measured| measured.verdict == Verdict::Undecided);
        let looks = undecided.filter_map(|measured| Some((measured, look_of(measured)?)));
        let in_all = looks.clone().map(|(measured, _)| {
            let likely = measured.likely_decided_by()?;
            Some(further(measured, likely))
        });
        Some(Open {
            name: claims::id(answer),
            look: looks.clone().map(|(_, look)| look).max()?,
            cells: looks.clone().flat_map(|(measured, look)| further(measured, look)).collect(),
            in_all: in_all.collect::<Option<Vec<_>>>().map(|cells| cells.concat()),
        })
    });
    open.filter(|question| !question.cells.is_empty()).collect()
}

/// What is measured.
struct Chosen {
    questions: usize,
    /// How many processes their looks see: the fewest and the most.
    looks: Option<(usize, usize)>,
    /// Of each question what those before it do not need.
    cells: Vec<Vec<Cell>>,
}

impl Chosen {
    /// `4`, or `2 to 8`.
    fn looks(&self) -> String {
        match self.looks {
            Some((fewest, most)) if fewest < most => format!("{fewest} to {most}"),
            looks => looks.map_or(0, |(fewest, _)| fewest).to_string(),
        }
    }
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

/// As many questions as fit into the time: first those that a look is likely to decide, the cheapest up to
/// that look first. The others are `left_out`.
fn affordable(open: Vec<Open>, time_s: f64, left_out: &mut LeftOut) -> Chosen {
    let priced = open.into_iter().map(|question| {
        let in_all = question.in_all.as_ref().unwrap_or(&question.cells);
        (question.in_all.is_none(), estimate_s(in_all), question)
    });
    let mut open: Vec<(bool, f64, Open)> = priced.collect();
    open.sort_by(|(hopeless, price, question), (other_hopeless, other_price, other)| {
        let hope = hopeless.cmp(other_hopeless);
        hope.then(price.total_cmp(other_price)).then_with(|| question.name.cmp(&other.name))
    });
    let mut chosen = Chosen { questions: 0, looks: None, cells: Vec::new() };
    let mut all: Vec<Cell> = Vec::new();
    for (_, _, question) in open {
        // Questions share cells.
        let mut seen: BTreeSet<&str> = all.iter().map(|cell| cell.id.as_str()).collect();
        let new = question.cells.iter().filter(|cell| seen.insert(cell.id.as_str()));
        let new: Vec<Cell> = new.cloned().collect();
        let together = [all.clone(), new.clone()].concat();
        if estimate_s(&together) <= time_s {
            chosen.questions += 1;
            let (fewest, most) = chosen.looks.unwrap_or((question.look, question.look));
            chosen.looks = Some((fewest.min(question.look), most.max(question.look)));
            chosen.cells.push(new);
            all = together;
        } else {
            let needed = question.needed();
            left_out.insert(question.name, needed);
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

    fn question(name: &str, cells: &[Cell], in_all: Option<&[Cell]>) -> Open {
        let in_all = in_all.map(<[Cell]>::to_vec);
        Open { name: name.to_owned(), look: 4, cells: cells.to_vec(), in_all }
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
        let mut left_out = LeftOut::new();
        let open = vec![
            question("hopeless", &cells[2..3], None),
            question("whole", &cells, Some(&cells)),
            question("again", &cells[..2], Some(&cells[..2])),
            Open { look: 8, ..question("two", &cells[..2], Some(&cells[..2])) },
        ];
        let chosen = affordable(open, price * 1.01, &mut left_out);
        let counts: Vec<usize> = chosen.cells.iter().map(Vec::len).collect();
        assert_eq!((chosen.questions, counts), (2, vec![2, 0]));
        assert_eq!(chosen.looks(), "4 to 8");
        let names: Vec<&str> = left_out.keys().map(String::as_str).collect();
        assert_eq!(names, ["hopeless", "whole"]);
        let open = vec![question("two", &cells[..2], Some(&cells[..2]))];
        let none = affordable(open, 0.0, &mut left_out);
        assert_eq!((none.questions, none.cells.len()), (0, 0));
    }

    #[test]
    fn what_the_next_look_is_likely_to_decide_comes_before_what_needs_several() {
        let cells = sample_cells();
        let mut left_out = LeftOut::new();
        let open = vec![
            question("several looks", &cells[..1], Some(&cells)),
            question("one look", &cells[1..3], Some(&cells[1..3])),
        ];
        let chosen = affordable(open, estimate_s(&cells[1..3]) * 1.01, &mut left_out);
        assert_eq!(chosen.cells, [cells[1..3].to_vec()]);
        assert!(left_out.keys().eq(["several looks"]));
    }

    #[test]
    fn what_was_left_out_is_measured_later_unless_something_of_it_was_measured_meanwhile() {
        let cells = sample_cells();
        let mut left_out = LeftOut::new();
        let whole = || question("whole", &cells, Some(&cells));
        assert!(whole().may_be_measured(&left_out));
        affordable(vec![whole()], 0.0, &mut left_out);
        assert!(whole().may_be_measured(&left_out));
        assert!(!question("whole", &cells[1..], None).may_be_measured(&left_out));
        assert!(question("other", &cells[1..], None).may_be_measured(&left_out));
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
    fn an_undecided_question_asks_for_the_processes_that_its_next_look_lacks() {
        let cell = sample_cells().remove(0);
        let rows: Vec<Row> = (0..20)
            .map(|repetition| record::made_up::row(&cell.repeated(repetition), "run"))
            .collect();
        let measured = |verdict, processes: usize| Measured {
            verdict,
            processes_of: processes,
            processes_to: Some(processes),
            cells: rows[..processes].iter().map(|row| row.cell.id.clone()).collect(),
            ..made_up_measured()
        };
        let answer = |verdict, processes| Answer {
            verdict,
            measured: vec![measured(Verdict::Holds, processes), measured(verdict, processes)],
            ..made_up_answer()
        };
        let of_three = [answer(Verdict::Undecided, 3), answer(Verdict::Fails, 3)];
        let open = undecided(&of_three, &rows[..3]);
        assert_eq!(open.len(), 1);
        let ids: Vec<&str> = open[0].cells.iter().map(|cell| cell.id.as_str()).collect();
        assert_eq!((open[0].look, ids), (4, vec![cell.repeated(3).id.as_str()]));
        assert_eq!(open[0].cells[0].seed, rows[0].cell.seed + 3);
        // An interval of 0.9 to 1.3, a tenth away from its bound, is narrow enough with eight processes.
        let in_all = open[0].in_all.as_ref().unwrap();
        assert_eq!(in_all.len(), 5);
        let far = Measured { margin: 0.001, ..measured(Verdict::Undecided, 3) };
        let far = Answer { measured: vec![far], ..of_three[0].clone() };
        assert!(undecided(&[far], &rows[..3])[0].in_all.is_none(), "no look is likely to decide");
        assert!(undecided(&[answer(Verdict::Undecided, 20)], &rows).is_empty(), "all looked");
    }
}
