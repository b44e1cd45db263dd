//! `reproduce`: measures what the figures need, draws them and writes the report.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clap::ValueEnum;

use super::measure::{Measured, complete, disturbance, measure, record};
use super::time::parse_time;
use super::{Failure, claims};
use crate::cli::ReproduceArguments;
use crate::suites::{self, Family, Quick, Suite};
use crate::traces::Missing;
use record::archive::{self, Suites};
use record::{Cell, Scale};
use report::figures;
use report::figures::Drawings;
use worker::exit;

/// Measures what there is to measure, draws, writes; prints the report's path.
pub(super) fn run(arguments: &ReproduceArguments) -> Result<(), Failure> {
    if let Some(folder) = &arguments.check {
        return super::claims::check(folder, arguments.json);
    }
    let (folder, unexpected, measured_some) = match &arguments.resume {
        None => {
            let measured = fresh(arguments)?;
            (measured.folder.clone(), ended(&measured)?, true)
        }
        Some(folder) => {
            drawings(arguments)?;
            match complete(folder, arguments.retry, arguments.output.quiet)? {
                Some(measured) => (folder.clone(), ended(&measured)?, true),
                None => (folder.clone(), 0, false),
            }
        }
    };
    let (mut run, rows) = archive::load(&folder).map_err(Failure::internal)?;
    let known = figures::of_run(&folder).map_err(Failure::internal)?;
    let wanted = super::report::of_run(&known, &run);
    let drawings = drawings(arguments)?;
    if drawings == Drawings::LeftOut {
        run.notices.push("Left out: all drawings, as --without-drawings asks".to_owned());
    }
    let drawn = figures::draw(&folder, &rows, &wanted, drawings).map_err(Failure::internal)?;
    let page = super::report::write(&folder, &mut run, &rows, &drawn)?;
    page.tell(&folder, &run, &rows, &known, arguments.json);
    if measured_some {
        super::history::remember(&folder, &run, &rows)?;
    }
    if unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

/// How figures are drawn. Asked before anything runs: whoever wants figures learns early that
/// there are none.
fn drawings(arguments: &ReproduceArguments) -> Result<Drawings, Failure> {
    if arguments.without_drawings {
        return Ok(Drawings::LeftOut);
    }
    figures::gnuplot_available().map_err(Failure::machine)?;
    Ok(Drawings::ByGnuplot)
}

/// Steps that ended in something unexpected, of a run that came to its end.
fn ended(measured: &Measured) -> Result<usize, Failure> {
    if measured.interrupted {
        eprintln!(
            "stopped; finished rows are in {0}; `nibble-bench reproduce --resume {0}` goes on",
            measured.folder.display()
        );
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    Ok(measured.unexpected)
}

/// How long undecided claims may be measured again, and within which time the whole run is to end. The scale
/// `quick` gives them a quarter of an hour, or what the rest leaves of 40 minutes.
fn time_to_decide(
    arguments: &ReproduceArguments,
    scale: &Scale,
) -> Result<(Option<Duration>, Option<Duration>), Failure> {
    let minutes = |number: u64| Some(Duration::from_secs(number * 60));
    match arguments.decide.as_deref() {
        Some("0") => Ok((None, None)),
        Some(text) => Ok((Some(parse_time("--decide", text)?), None)),
        None if scale.name == "quick" => Ok((minutes(15), minutes(40))),
        None => Ok((None, None)),
    }
}

/// The time of scale `quick` is for what its claims ask, and for suites that say more: the rest is left to
/// larger scales and to `--figure`.
fn leave_out_unasked(cells: &mut Vec<Cell>, suites: &[Suite], asking: &Suites) -> Vec<String> {
    let of_suite: BTreeMap<&str, Quick> =
        suites.iter().map(|suite| (suite.name.as_str(), suite.quick)).collect();
    let most = |cell: &Cell| {
        let asking = asking[&cell.id].iter().filter_map(|suite| of_suite.get(suite.as_str()));
        asking.max().copied().unwrap_or_default()
    };
    let asked = claims::is_asked(cells, "quick");
    let (mut left_out, mut single, mut at) = (0, 0, 0);
    cells.retain(|cell| {
        at += 1;
        match most(cell) {
            _ if asked[at - 1] => true,
            Quick::Whole => true,
            Quick::Once => {
                single += usize::from(cell.repetition == 0);
                cell.repetition == 0
            }
            Quick::Asked => {
                left_out += usize::from(cell.repetition == 0);
                false
            }
        }
    });
    let mut notices = Vec::new();
    if left_out > 0 {
        let further: Vec<&str> =
            of_suite.iter().filter(|suite| *suite.1 > Quick::Asked).map(|suite| *suite.0).collect();
        notices.push(format!(
            "Scale quick measures what claims ask of it, and all of {}: {left_out} further cells are left \
             to scale standard, or to `reproduce --figure NAME`",
            further.join(", ")
        ));
    }
    if single > 0 {
        notices.push(format!(
            "{single} cells are measured by one process, because no claim that scale quick is asked \
             compares them: figures show them without an interval"
        ));
    }
    notices
}

/// Memory repeats: what one process holds decides what lies far from a bound, and for the rest there is time
/// to decide.
fn leave_out_repeated_memory(cells: &mut Vec<Cell>) -> Option<String> {
    let before = cells.len();
    cells.retain(|cell| cell.repetition == 0 || cell.is_exclusive());
    let left_out = before - cells.len();
    (left_out > 0).then(|| {
        format!(
            "Memory is measured by one process, and by more where a claim stays undecided: {left_out} \
             further cells are left out"
        )
    })
}

/// Whether a suite is measured where no figure is named.
fn is_measured(suite: &Suite, families: &[Family]) -> bool {
    !suite.apart && families.contains(&suite.family)
}

/// Whether the scale is to show that everything runs, other families too.
fn takes_one_of_each(arguments: &ReproduceArguments, scale: &Scale) -> bool {
    scale.name == "smoke"
        && arguments.figures.is_empty()
        && arguments.families == [Family::default()]
}

/// Keeps one cell of each family that is not among `families`.
fn keep_one_of_others(
    cells: &mut Vec<Cell>,
    suites: &[Suite],
    asking: &Suites,
    families: &[Family],
) -> Option<String> {
    let of_suite: BTreeMap<&str, Family> =
        suites.iter().map(|suite| (suite.name.as_str(), suite.family)).collect();
    let mut others = BTreeSet::new();
    cells.retain(|cell| {
        let of = asking[&cell.id].iter().filter_map(|suite| of_suite.get(suite.as_str()));
        let of: BTreeSet<Family> = of.copied().collect();
        let is_asked = of.iter().any(|family| families.contains(family));
        is_asked || of.first().is_some_and(|family| others.insert(*family))
    });
    let words: Vec<String> = others.into_iter().map(Family::word).collect();
    (!words.is_empty()).then(|| {
        format!(
            "Of the families {} one cell each is measured; `reproduce --family NAME` measures a family",
            words.join(", ")
        )
    })
}

/// What a run is called: by its families, unless it is of the first alone.
fn name(families: &[Family], scale: &Scale) -> String {
    let words = families.iter().map(|family| format!("{}-", family.word()));
    let words = if families == [Family::default()] { String::new() } else { words.collect() };
    format!("reproduce-{words}{}", scale.name)
}

/// Measures a new run.
fn fresh(arguments: &ReproduceArguments) -> Result<Measured, Failure> {
    let wanted = super::report::wanted(figures::all(), &arguments.figures)?;
    let scale = super::scale(&arguments.scale)?;
    let (decide, within) = time_to_decide(arguments, &scale)?;
    drawings(arguments)?;
    let mut names: Vec<&str> = Vec::new();
    for figure in &wanted {
        for suite in &figure.suites {
            if !names.contains(&suite.as_str()) {
                names.push(suite);
            }
        }
    }
    if names.is_empty() {
        return Err(Failure::usage(format!(
            "{} is drawn from suites of your own: `nibble-bench run my.toml`, then `nibble-bench \
             report` on its folder",
            arguments.figures.join(", ")
        )));
    }
    let one_of_each = takes_one_of_each(arguments, &scale);
    let families = if one_of_each { Family::value_variants() } else { &arguments.families };
    let suites: Vec<Suite> = names
        .iter()
        .map(|name| suites::built_in(name).expect("a figure's suites are built in"))
        .filter(|suite| !arguments.figures.is_empty() || is_measured(suite, families))
        .collect();
    let traces_from = (arguments.output.results.as_path(), Missing::Captured);
    let (mut plan, traces) = super::plan::plan_here(&suites, &scale, traces_from)?;
    if scale.name == "quick" && arguments.figures.is_empty() {
        plan.notices.extend(leave_out_unasked(&mut plan.cells, &suites, &plan.suites));
        if decide.is_some() {
            plan.notices.extend(leave_out_repeated_memory(&mut plan.cells));
        }
    }
    if one_of_each {
        let asked = &arguments.families;
        plan.notices.extend(keep_one_of_others(&mut plan.cells, &suites, &plan.suites, asked));
    }
    plan.notices.extend(disturbance(&scale, arguments.strict)?);
    for notice in &plan.notices {
        eprintln!("note: {notice}");
    }
    let name = name(&arguments.families, &scale);
    let mut run = record(&name, Some(scale), &suites, &plan);
    run.figures.clone_from(&arguments.figures);
    run.decide_s = decide.map(|budget| budget.as_secs());
    run.within_s = within.map(|time| time.as_secs());
    measure(&plan, run, (&suites, &traces), &arguments.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_scale_takes_a_cell_of_each_family() {
        let smoke = Scale::by_name("smoke").unwrap();
        // Of each family one whose requests come from no trace.
        let names = ["store-bloat", "lsm-threads", "lsm-rmw", "silt-runs", "pm-latency", "windows"];
        let all: Vec<Suite> = names.into_iter().filter_map(suites::built_in).collect();
        let traces_from = (std::path::Path::new("results"), Missing::Captured);
        let (mut plan, _) = super::super::plan::plan_here(&all, &smoke, traces_from).unwrap();
        let before = plan.cells.len();
        let of = |cells: &[Cell], family: Family| {
            let is_of = |cell: &&Cell| {
                plan.suites[&cell.id].iter().any(|suite| Family::of_suite(suite) == family)
            };
            cells.iter().filter(is_of).count()
        };
        let memory = of(&plan.cells, Family::Memory);
        let mut cells = std::mem::take(&mut plan.cells);
        let notice = keep_one_of_others(&mut cells, &all, &plan.suites, &[Family::Memory]).unwrap();
        assert_eq!(of(&cells, Family::Memory), memory);
        for family in [Family::Lsm, Family::Silt, Family::Pm, Family::Spaces] {
            assert_eq!(of(&cells, family), 1, "{family:?}");
            assert!(notice.contains(&family.word()), "{notice}");
        }
        assert!(cells.len() < before);
    }

    #[test]
    fn without_a_family_it_asks_of_memory_and_with_one_of_nothing_else() {
        let all: Vec<Suite> = suites::names().filter_map(suites::built_in).collect();
        let asked = |families: &[Family]| -> Vec<&str> {
            let asked = all.iter().filter(|suite| is_measured(suite, families));
            asked.map(|suite| suite.name.as_str()).collect()
        };
        let usual = asked(&[Family::default()]);
        assert!(usual.contains(&"store-bloat") && usual.contains(&"rivals"), "{usual:?}");
        assert!(!usual.contains(&"lsm-threads") && !usual.contains(&"memory-per-object"));
        let of_lsm = asked(&[Family::Lsm]);
        assert!(of_lsm.contains(&"lsm-threads") && of_lsm.contains(&"blind-writes"));
        let both = asked(&[Family::Pm, Family::Silt]);
        assert!(both.contains(&"pm-throughput") && both.contains(&"silt-runs"));
        assert!(!both.contains(&"lsm-threads"));
        let smoke = Scale::by_name("smoke").unwrap();
        assert_eq!(name(&[Family::Memory], &smoke), "reproduce-smoke");
        assert_eq!(name(&[Family::Lsm, Family::Silt], &smoke), "reproduce-lsm-silt-smoke");
    }
}
