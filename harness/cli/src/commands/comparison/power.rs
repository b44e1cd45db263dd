//! `power`: how often comparisons are right. Records blocks of fresh processes in which a store is
//! slowed down and made larger by a known share, draws whole comparisons from them, and shows what a drift
//! of the machine does to two orders.

use std::ops::Range;

use compare::render::colour::{BAD, GOOD, PLAIN, painted};
use compare::{Options, Recorded, Tally};
use serde::Serialize;
use stats::median;

use super::live::{Bench, Length};
use super::load::GrowingLoad;
use super::operand::Operand;
use super::side::{self, LiveSide};
use super::{ERROR_RATE, of_suite};
use crate::cli::{OutputArguments, PowerArguments};
use crate::commands::measure::command_line;
use crate::commands::{Failure, output};
use crate::compare::{Measured, Order, Tolerances};
use record::archive;
use worker::exit;

/// Suite whose stores can be slowed down on purpose.
const SUITE: &str = "power";

/// The sides that are recorded, by letter: A, B and C are equal.
const SIDES: [&str; 4] = ["@", "@", "@", "@slow-percent=5@leak-percent=5"];

/// Version of `power.json`.
const SCHEMA: u32 = 1;

/// What is asked of the tester, each with the bar that `power` holds it to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Answer {
    question: String,
    percent: f64,
    bar: String,
    holds: bool,
}

/// The content of `power.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Record {
    schema: u32,
    command: String,
    recorded_in: String,
    cells: usize,
    /// Rounds in which every cell was measured on every side: each is a block a cell.
    rounds: usize,
    options: Options,
    answers: Vec<Answer>,
    equal_sides: Tally,
    hindered: Tally,
    /// Candidate ÷ baseline of equal sides under a growing load, one a comparison.
    drift_sequential: Vec<f64>,
    drift_mirrored: Vec<f64>,
}

/// Records, draws, prints; exit code 1 where a bar is not held.
pub(in crate::commands) fn run(arguments: &PowerArguments) -> Result<(), Failure> {
    let tolerances = Tolerances::default();
    let (folder, recorded) = match &arguments.recorded {
        Some(folder) => {
            let (_, rows) = archive::load(folder).map_err(Failure::usage)?;
            let measured = Measured::of(&rows);
            (folder.display().to_string(), recording(&measured, &tolerances))
        }
        None => record(arguments, &tolerances)?,
    };
    let rounds = recorded.cells.first().map_or(0, |cell| cell.sides["A"].len());
    let least = (arguments.blocks + arguments.second_look) as usize;
    if rounds < least {
        return Err(Failure::usage(format!(
            "{folder}: {rounds} rounds were measured completely, and a comparison draws {least}: record \
             more, or lower --blocks"
        )));
    }
    let options = Options {
        trials: arguments.trials as usize,
        blocks_a_trial: arguments.blocks as usize,
        second_look_blocks: arguments.second_look as usize,
        error_rate: ERROR_RATE,
        seed: arguments.seed,
    };
    let tried = |b: &str| {
        compare::trials(&recorded, "A", b, "C", options)
            .map_err(|reason| Failure::usage(format!("{folder}: {reason}")))
    };
    let (equal, hindered) = (tried("B")?, tried("D")?);
    let [sequential, mirrored] = drifts(arguments)?;
    let answers = answers(&equal, &hindered, &sequential, &mirrored);
    let names: std::collections::BTreeSet<&str> =
        recorded.cells.iter().map(|cell| cell.cell.as_str()).collect();
    let all_hold = answers.iter().all(|answer| answer.holds);
    let record = Record {
        schema: SCHEMA,
        command: command_line(),
        recorded_in: folder,
        cells: names.len(),
        rounds,
        options,
        answers,
        equal_sides: equal,
        hindered,
        drift_sequential: sequential,
        drift_mirrored: mirrored,
    };
    let path = arguments.output.results.join("power.json");
    let text = serde_json::to_string_pretty(&record).expect("plain data") + "\n";
    super::tell::write(&path, &text)?;
    if arguments.json {
        output::print_json(&record);
    } else {
        output::print(&record.text());
        println!("{}", path.display());
    }
    if all_hold { Ok(()) } else { Err(Failure::silent(exit::UNEXPECTED)) }
}

impl Record {
    /// Whether the tester is right, then what it said of either kind of sides, and every bar.
    fn text(&self) -> String {
        let missed = self.answers.iter().filter(|answer| !answer.holds).count();
        let all = self.answers.len();
        let mut text = match missed {
            0 => painted(GOOD, &format!("all {all} bars hold")),
            _ => painted(BAD, &format!("{missed} of {all} bars missed")),
        };
        text += &format!(
            "\n{} comparisons of {} cells drawn from {} recorded rounds ({} blocks of fresh processes): \
             {} blocks each, {} more in a second look\n",
            self.options.trials,
            self.cells,
            self.rounds,
            self.rounds * self.cells,
            self.options.blocks_a_trial,
            self.options.second_look_blocks
        );
        text += &format!("equal sides: {}\n", self.equal_sides.line());
        text += &format!("5 % slower and 5 % larger: {}\n", self.hindered.line());
        for answer in &self.answers {
            let (style, said) = if answer.holds { (PLAIN, "holds") } else { (BAD, "MISSED") };
            let Answer { percent, question, bar, .. } = answer;
            let line = format!("{percent:>6.1} %  {question} (bar: {bar}): {said}");
            text += &format!("{}\n", painted(style, &line));
        }
        text
    }
}

fn recording(measured: &Measured, tolerances: &Tolerances) -> Recorded {
    measured.recorded(tolerances, &['A', 'B', 'C', 'D'])
}

fn bench(
    name: &str,
    names: &[&str],
    filter: Option<&str>,
    arguments: &PowerArguments,
    seed: u64,
) -> Result<Bench, Failure> {
    let results = &arguments.output.results;
    let (suite, scale, cells) = of_suite(SUITE, &arguments.scale, filter, results)?;
    let bases = side::bases(&cells, None);
    let sides = names.iter().map(|name| LiveSide::open(name, &Operand::parse(name)?, results));
    let sides = sides.collect::<Result<Vec<_>, Failure>>()?;
    let output = OutputArguments { results: results.clone(), quiet: arguments.output.quiet };
    Bench::open(name, &[suite], Some(scale), sides, bases, seed, &output)
}

fn record(
    arguments: &PowerArguments,
    tolerances: &Tolerances,
) -> Result<(String, Recorded), Failure> {
    let mut bench = bench("power", &SIDES, arguments.filter.as_deref(), arguments, arguments.seed)?;
    bench.measure(Length::Rounds(arguments.rounds))?;
    let recorded = recording(bench.measured(), tolerances);
    let (folder, interrupted) = (bench.folder(), bench.is_interrupted());
    bench.finish()?;
    if interrupted {
        eprintln!("stopped; `nibble-bench power --recorded {folder}` draws from what is there");
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    Ok((folder, recorded))
}

/// Rounds of a comparison under a growing load.
const DRIFT_ROUNDS: u32 = 16;
/// The cell that is measured under it: two threads, so that it has the machine to share.
const DRIFT_CELL: &str = "churn";

/// Throughput of B ÷ A of equal sides, while a load grows from none to all cores: one ratio a
/// comparison, first in sequence, then in mirrored blocks.
fn drifts(arguments: &PowerArguments) -> Result<[Vec<f64>; 2], Failure> {
    let mut ratios = [Vec::new(), Vec::new()];
    for comparison in 0..arguments.drifts {
        for (of_order, order) in ratios.iter_mut().zip([Order::Sequential, Order::Mirrored]) {
            let seed = arguments.seed + u64::from(comparison);
            let mut bench =
                bench("drift", &SIDES[..2], Some(DRIFT_CELL), arguments, seed)?.in_order(order);
            let load = GrowingLoad::start();
            let rounds = bench.measure_under(DRIFT_ROUNDS, &|share| {
                load.set_percent((share * 100.0) as u32);
            })?;
            drop(load);
            if bench.is_interrupted() {
                bench.finish()?;
                return Err(Failure::silent(exit::INTERRUPTED));
            }
            let ratio = ratio(bench.measured(), &rounds);
            bench.finish()?;
            of_order.extend(ratio);
        }
    }
    Ok(ratios)
}

/// The median over rounds of B ÷ A.
fn ratio(measured: &Measured, rounds: &Range<u32>) -> Option<f64> {
    let blocks = measured.pairs("throughput", rounds);
    median(&blocks.into_iter().map(|[a, b]| b / a).collect::<Vec<_>>())
}

fn answers(equal: &Tally, hindered: &Tally, sequential: &[f64], mirrored: &[f64]) -> Vec<Answer> {
    let percent = |count: usize, of: usize| count as f64 * 100.0 / of.max(1) as f64;
    let at_most = |question: &str, percent: f64, bar: f64| Answer {
        question: question.to_owned(),
        percent,
        bar: format!("at most {bar} %"),
        holds: percent <= bar,
    };
    let at_least = |question: &str, percent: f64, bar: f64| Answer {
        question: question.to_owned(),
        percent,
        bar: format!("at least {bar} %"),
        holds: percent >= bar,
    };
    let mut answers = vec![
        at_most(
            "of comparisons of equal sides say that anything changed",
            percent(equal.changed, equal.trials),
            5.0,
        ),
        at_most(
            "of comparisons of equal sides cannot tell",
            percent(equal.unknown, equal.trials),
            20.0,
        ),
        at_least(
            "of comparisons find a slowdown of 5 %",
            percent(hindered.found("throughput"), hindered.trials),
            90.0,
        ),
        at_least(
            "of comparisons find memory grown by 5 %",
            percent(hindered.found("memory"), hindered.trials),
            100.0,
        ),
    ];
    let away = |ratios: &[f64]| median(ratios).map(|ratio| (ratio - 1.0).abs() * 100.0);
    if let (Some(sequential), Some(mirrored)) = (away(sequential), away(mirrored)) {
        answers.push(at_least(
            "by which a growing load biases baseline before candidate",
            sequential,
            10.0,
        ));
        answers.push(at_most("by which it biases mirrored blocks", mirrored, 5.0));
    }
    answers
}
