//! `list`: what there is to choose from.

use std::fmt::Write as _;

use engine::{AllocatorChoice, EngineTraits};
use workloads::requests::Workload;

use super::Failure;
use crate::suites;
use record::Scale;
use worker::registry;

/// Prints one list, or all.
pub(super) fn run(what: Option<&str>, traits: bool) -> Result<(), Failure> {
    let engines = |name: &str| matches!(name, "engines" | "stores");
    if traits {
        return match what {
            Some(name) if engines(name) => {
                print!("{}", engine_traits());
                Ok(())
            }
            _ => Err(Failure::usage(
                "--traits goes with engines: `nibble-bench list engines --traits`".to_owned(),
            )),
        };
    }
    let what = what.map(|name| if engines(name) { "engines" } else { name });
    let lists: [(&str, fn()); 7] = [
        ("heaps", heaps),
        ("engines", stores),
        ("suites", suites),
        ("figures", figures),
        ("patterns", patterns),
        ("workloads", workloads),
        ("scales", scales),
    ];
    for (name, print) in lists {
        if what.is_none_or(|wanted| wanted == name) {
            if what.is_none() {
                println!("{}", name.to_uppercase());
            }
            print();
            if what.is_none() {
                println!();
            }
        }
    }
    Ok(())
}

fn heaps() {
    for traits in registry::heap_traits() {
        let variants: Vec<&str> = traits.variants.iter().map(|variant| variant.name).collect();
        println!("{:<12} {} [{}]", traits.name, traits.description, variants.join(", "));
    }
}

fn stores() {
    for traits in registry::store_traits().iter().filter(|traits| !traits.test_only) {
        println!(
            "{:<12} {} [{:?}; memory bound {:?}; full: {:?}; allocator: {:?}]",
            traits.name,
            traits.description,
            traits.sharing,
            traits.memory_bound,
            traits.full,
            traits.allocator
        );
    }
}

/// What each engine is, a line each: what rows record and figures mark where it differs.
fn engine_traits() -> String {
    const HEADINGS: [&str; 12] = [
        "engine",
        "asked by",
        "when full",
        "bound",
        "allocator",
        "pages",
        "hashing",
        "transport",
        "own threads",
        "servers",
        "scans",
        "longest value",
    ];
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    let listed = registry::store_traits().iter().filter(|traits| !traits.test_only);
    lines.extend(listed.map(|traits| traits_line(traits)));
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

fn traits_line(traits: &EngineTraits) -> [String; 12] {
    let conditions = worker::expected_conditions(traits, 1, 1);
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    [
        traits.name.to_owned(),
        conditions.steering,
        conditions.when_full,
        conditions.memory_bound,
        match traits.allocator {
            AllocatorChoice::Own => "own",
            AllocatorChoice::Global => "global",
            AllocatorChoice::Chosen => "any heap",
        }
        .to_owned(),
        bytes(traits.page_bytes),
        conditions.hashing,
        conditions.transport,
        yes(traits.background_threads),
        yes(traits.processes),
        yes(traits.ordered),
        bytes(traits.value_bytes_max),
    ]
}

/// `2 MiB`; a bound that is a byte short of a power of two as that power.
fn bytes(count: usize) -> String {
    let rounded = count.checked_add(1).filter(|more| more.is_power_of_two()).unwrap_or(count);
    workloads::bytes::format_bytes(rounded)
}

fn suites() {
    for name in suites::names() {
        let suite = suites::built_in(name).expect("a listed suite exists");
        println!("{name:<20} {}", suite.question);
    }
}

fn figures() {
    for figure in report::figures::all() {
        println!("{:<20} {} ({})", figure.name, figure.title, figure.source);
    }
}

fn patterns() {
    for pattern in workloads::fragmentation::all() {
        println!("{pattern} ({})", pattern.source);
    }
}

fn workloads() {
    for name in Workload::names() {
        let workload = Workload::by_name(&name).expect("a listed workload exists");
        println!(
            "{name:<20} {}; keys {}; values {} ({})",
            workload.mix, workload.keys, workload.value_bytes, workload.source
        );
    }
}

fn scales() {
    for name in Scale::NAMES {
        let scale = Scale::by_name(name).expect("a listed scale exists");
        println!(
            "{name:<10} live sets ≤ {} MiB, stores of {} MiB, {} repetition(s), {} s idle",
            scale.live_bytes >> 20,
            scale.store_bytes >> 20,
            scale.repetitions,
            scale.idle_ms as f64 / 1000.0
        );
    }
}
