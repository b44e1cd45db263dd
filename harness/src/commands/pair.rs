//! `pair`: compares two stores under one workload.

use super::Failure;
use super::measure::{measure, record};
use crate::analysis::{median, median_ratio};
use crate::cell::{Cell, KeyValue, System};
use crate::cli::PairArguments;
use crate::compare::{Side, blocks_of, cells, ratios, throughput};
use crate::plan::Plan;
use crate::record::Conditions;
use crate::traces::Traces;
use crate::{archive, environment, exit, registry};

/// Runs the blocks and prints the median ratio with its interval.
pub(super) fn run(arguments: &PairArguments) -> Result<(), Failure> {
    if !(3..=1000).contains(&arguments.blocks) {
        return Err(Failure::usage(format!(
            "blocks = {}: must be 3 to 1000; fewer give no interval",
            arguments.blocks
        )));
    }
    let work = super::work::work(&arguments.work)?;
    let a = cell(&arguments.a, &work, arguments.seed)?;
    let b = cell(&arguments.b, &work, arguments.seed)?;
    check_alike(&a, &b, arguments.unlike)?;
    check_memory(&a)?;
    let plan = Plan { cells: cells("pair", &a, &b, arguments.blocks), notices: Vec::new() };
    let name = format!("pair-{}-{}", file_name(&arguments.a), file_name(&arguments.b));
    let record = record(&name, None, &[], &plan);
    let measured = measure(&plan.cells, record, &Traces::default(), &arguments.output)?;
    let (_, rows) = archive::load(&measured.folder).map_err(Failure::internal)?;
    println!("{}", measured.folder.display());
    if measured.interrupted {
        return Err(Failure::silent(exit::INTERRUPTED));
    }
    let blocks = blocks_of("pair", &rows, arguments.blocks, throughput);
    let of = |side: Side| {
        let values: Vec<f64> = blocks.iter().flat_map(|block| block.of(side)).collect();
        median(&values).unwrap_or(0.0) / 1e6
    };
    let ratios = ratios(&blocks);
    let Some(estimate) = median_ratio(&ratios, arguments.seed) else {
        return Err(Failure {
            code: exit::UNEXPECTED,
            message: Some(format!(
                "only {} of {} blocks were measured completely; at least 3 are needed",
                blocks.len(),
                arguments.blocks
            )),
        });
    };
    println!(
        "workload: {}, {}, values of {}, fill {} %, {} thread(s), batch {}",
        work.workload.name,
        work.distribution(),
        work.workload.value_bytes,
        work.fill_percent,
        work.threads,
        work.batch()
    );
    println!("A {}: median {:.3} Mops/s", arguments.a, of(Side::A));
    println!("B {}: median {:.3} Mops/s", arguments.b, of(Side::B));
    let [low, high] = [f64::INFINITY, 0.0];
    let lowest = ratios.iter().copied().fold(low, f64::min);
    let highest = ratios.iter().copied().fold(high, f64::max);
    println!(
        "B/A: {:.4}, 99.9 % bootstrap interval {:.4} to {:.4}, blocks {lowest:.4} to {highest:.4} (n = {})",
        estimate.ratio, estimate.interval.from, estimate.interval.to, estimate.blocks
    );
    let verdict = if estimate.interval.contains(1.0) {
        "no difference shown: the interval contains 1"
    } else if estimate.ratio > 1.0 {
        "B is faster: the interval excludes 1"
    } else {
        "A is faster: the interval excludes 1"
    };
    println!("{verdict}");
    if measured.unexpected > 0 {
        return Err(Failure::silent(exit::UNEXPECTED));
    }
    Ok(())
}

/// The cell of one side; `sampling=off` is a setting of the harness, not of the store.
fn cell(text: &str, work: &KeyValue, seed: u64) -> Result<Cell, Failure> {
    let mut system = registry::store(text).map_err(Failure::usage)?;
    let System::Store { options, .. } = &mut system else {
        unreachable!("registry::store gives stores")
    };
    let sampling = match options.remove("sampling").as_deref() {
        None | Some("on") => true,
        Some("off") => false,
        Some(other) => {
            return Err(Failure::usage(format!("sampling = {other}: must be on or off")));
        }
    };
    let mut cell = super::work::cell(system, work, seed);
    cell.sampling = sampling;
    Ok(cell)
}

/// A ratio ranks; of stores that are unlike it does so only where that is asked for.
fn check_alike(a: &Cell, b: &Cell, unlike: bool) -> Result<(), Failure> {
    let expected = |cell: &Cell| {
        let traits = registry::traits_of(&cell.system)?;
        Some(Conditions::expected(traits, 1, 1))
    };
    let (Some(of_a), Some(of_b)) = (expected(a), expected(b)) else { return Ok(()) };
    let (in_a, in_b) = (of_a.beside(&of_b), of_b.beside(&of_a));
    if in_a.is_empty() {
        return Ok(());
    }
    let told: Vec<String> =
        in_a.iter().zip(&in_b).map(|(a, b)| format!("{a} against {b}")).collect();
    if unlike {
        println!("not alike: {}", told.join("; "));
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} and {} are not alike ({}), and a ratio would rank them: ask for it with --unlike",
        a.system.label(),
        b.system.label(),
        told.join("; ")
    )))
}

fn check_memory(cell: &Cell) -> Result<(), Failure> {
    let (wanted, available) = (cell.expected_bytes(), environment::available_memory_bytes());
    if wanted > available / 10 * 9 {
        return Err(Failure::machine(format!(
            "a cell may need {} MiB and {} MiB are available: lower --object-memory or --operations",
            wanted >> 20,
            available >> 20
        )));
    }
    Ok(())
}

fn file_name(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}
