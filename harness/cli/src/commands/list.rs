//! `list`: what there is to choose from.

use std::fmt::Write as _;

use engine::{AllocatorChoice, EngineTraits, Expiry, HeapTraits, Snapshots};
use serde_json::{Map, Value, json};
use workloads::fragmentation::Pattern;
use workloads::requests::Workload;

use super::{Failure, output};
use crate::cli::ListArguments;
use crate::suites::{self, Suite};
use record::Scale;
use report::figures::Figure;
use worker::registry;

/// A list: its name, how it is printed, and what programs read of it.
type List = (&'static str, fn(), fn() -> Vec<Value>);

const LISTS: [List; 8] = [
    ("heaps", heaps, heaps_as_data),
    ("engines", stores, stores_as_data),
    ("settings", settings, settings_as_data),
    ("suites", suites, suites_as_data),
    ("figures", figures, figures_as_data),
    ("patterns", patterns, patterns_as_data),
    ("workloads", workloads, workloads_as_data),
    ("scales", scales, scales_as_data),
];

/// Prints one list, or all.
pub(super) fn run(arguments: &ListArguments) -> Result<(), Failure> {
    let engines = |name: &str| matches!(name, "engines" | "stores");
    let what = arguments.what.as_deref().map(|name| if engines(name) { "engines" } else { name });
    if arguments.traits && what != Some("engines") {
        return Err(Failure::usage(
            "--traits goes with engines: `nibble-bench list engines --traits`".to_owned(),
        ));
    }
    let chosen = LISTS.iter().filter(|(name, ..)| what.is_none_or(|wanted| wanted == *name));
    if arguments.json {
        let lists = chosen.map(|(name, _, data)| ((*name).to_owned(), Value::from(data())));
        output::print_json(&lists.collect::<Map<String, Value>>());
    } else if arguments.traits {
        print!("{}", engine_traits());
    } else if what.is_some() {
        chosen.for_each(|(_, print, _)| print());
    } else {
        for (name, print, _) in chosen {
            println!("{}", name.to_uppercase());
            print();
            println!();
        }
    }
    Ok(())
}

fn heaps() {
    for traits in registry::heap_traits() {
        println!("{:<12} {} [{}]", traits.name, traits.description, variants(traits).join(", "));
        for what in missing_of_heap(traits) {
            println!("{:<12} {what}", "");
        }
    }
}

fn variants(traits: &HeapTraits) -> Vec<&'static str> {
    traits.variants.iter().map(|variant| variant.name).collect()
}

fn heaps_as_data() -> Vec<Value> {
    let of = |traits: &HeapTraits| {
        json!({
            "name": traits.name,
            "description": traits.description,
            "variants": variants(traits),
            "missing": missing_of_heap(traits).collect::<Vec<String>>(),
        })
    };
    registry::heap_traits().into_iter().map(of).collect()
}

/// What this machine lacks for a heap, and how to get it, in a sentence.
fn missing_of_heap(traits: &HeapTraits) -> impl Iterator<Item = String> {
    let lacking = registry::heap(traits.name).and_then(|heap| heap.lacking());
    lacking.into_iter().map(|error| error.to_string())
}

/// Each store that is listed, with its traits.
fn listed_stores() -> impl Iterator<Item = &'static EngineTraits> {
    registry::store_traits().iter().copied().filter(|traits| !traits.test_only)
}

fn stores_as_data() -> Vec<Value> {
    let of = |traits: &'static EngineTraits| {
        let fields = HEADINGS.iter().map(|heading| heading.replace(' ', "-"));
        let fields = fields.zip(traits_line(traits)).skip(1);
        let mut store: Map<String, Value> =
            fields.map(|(name, text)| (name, Value::from(text))).collect();
        store.insert("name".to_owned(), traits.name.into());
        store.insert("description".to_owned(), traits.description.into());
        store.insert("missing".to_owned(), missing(traits).collect());
        Value::from(store)
    };
    listed_stores().map(of).collect()
}

fn stores() {
    for traits in listed_stores() {
        println!(
            "{:<12} {} [{:?}; memory bound {:?}; full: {:?}; allocator: {:?}]",
            traits.name,
            traits.description,
            traits.sharing,
            traits.memory_bound,
            traits.full,
            traits.allocator
        );
        for what in missing(traits) {
            println!("{:<12} {what}", "");
        }
    }
}

/// What this machine lacks of all that a setting of the store needs, and how to get it, in sentences.
fn missing(traits: &EngineTraits) -> impl Iterator<Item = String> {
    registry::lacking(traits.name).into_iter().map(|error| error.to_string())
}

/// What a table of engines says of each.
const HEADINGS: [&str; 17] = [
    "engine",
    "asked by",
    "when full",
    "bound",
    "allocator",
    "objects in",
    "pages",
    "hashing",
    "transport",
    "own threads",
    "servers",
    "scans",
    "snapshots",
    "several at once",
    "lifetimes in",
    "longest key",
    "longest value",
];

/// What each engine is, a line each: what rows record and figures mark where it differs.
fn engine_traits() -> String {
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(listed_stores().map(traits_line));
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

fn traits_line(traits: &EngineTraits) -> [String; 17] {
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
        conditions.storage,
        bytes(traits.page_bytes),
        conditions.hashing,
        conditions.transport,
        yes(traits.background_threads),
        yes(traits.processes),
        yes(traits.scans.are_possible()),
        match traits.snapshots {
            Snapshots::No => "no",
            Snapshots::Consistent => "consistent",
            Snapshots::Linearizable => "linearizable",
        }
        .to_owned(),
        yes(traits.writes_in_one_step),
        match traits.expiry {
            Expiry::None => "no",
            Expiry::Seconds => "seconds",
            Expiry::Milliseconds => "milliseconds",
        }
        .to_owned(),
        traits.keys.bytes_max().map_or_else(|| "word".to_owned(), bytes),
        bytes(traits.value_bytes_max),
    ]
}

/// `2 MiB`; a bound that is a byte short of a power of two as that power.
fn bytes(count: usize) -> String {
    let rounded = count.checked_add(1).filter(|more| more.is_power_of_two()).unwrap_or(count);
    workloads::bytes::format_bytes(rounded)
}

/// The settings of each store, as a cell of scale `quick` may have them.
fn settings() {
    let scale = Scale::by_name("quick").expect("a scale that exists");
    for traits in registry::store_traits().iter().filter(|traits| !traits.test_only) {
        for (name, rule) in registry::rules_within(traits, scale.store_bytes) {
            println!("{:<16} {name:<20} {rule}", traits.name);
        }
    }
}

fn settings_as_data() -> Vec<Value> {
    let scale = Scale::by_name("quick").expect("a scale that exists");
    let stores = registry::store_traits().iter().filter(|traits| !traits.test_only);
    let of = |traits: &&'static EngineTraits| {
        let rules = registry::rules_within(traits, scale.store_bytes);
        let rules: Map<String, Value> = rules
            .into_iter()
            .map(|(name, rule)| (name.to_owned(), rule.to_string().into()))
            .collect();
        json!({ "name": traits.name, "settings": rules })
    };
    stores.map(of).collect()
}

fn all_suites() -> impl Iterator<Item = Suite> {
    suites::names().map(|name| suites::built_in(name).expect("a listed suite exists"))
}

fn suites() {
    for suite in all_suites() {
        println!("{:<20} {}", suite.name, suite.question);
    }
}

fn suites_as_data() -> Vec<Value> {
    let of = |suite: Suite| {
        let family = suite.family.word();
        json!({ "name": suite.name, "question": suite.question, "family": family })
    };
    all_suites().map(of).collect()
}

fn figures() {
    for figure in report::figures::all() {
        println!("{:<20} {} ({})", figure.name, figure.title, figure.source);
    }
}

fn figures_as_data() -> Vec<Value> {
    let of = |figure: &Figure| json!({ "name": figure.name, "title": figure.title, "source": figure.source });
    report::figures::all().iter().map(of).collect()
}

fn patterns() {
    for pattern in workloads::fragmentation::all() {
        println!("{pattern} ({})", pattern.source);
    }
}

fn patterns_as_data() -> Vec<Value> {
    let of = |pattern: &Pattern| {
        json!({
            "name": pattern.name,
            "pattern": pattern.to_string(),
            "source": pattern.source,
        })
    };
    workloads::fragmentation::all().iter().map(of).collect()
}

fn all_workloads() -> impl Iterator<Item = (String, Workload)> {
    Workload::names().into_iter().map(|name| {
        let workload = Workload::by_name(&name).expect("a listed workload exists");
        (name, workload)
    })
}

fn workloads() {
    for (name, workload) in all_workloads() {
        println!(
            "{name:<20} {}; keys {}; values {} ({})",
            workload.mix, workload.keys, workload.value_bytes, workload.source
        );
    }
}

fn workloads_as_data() -> Vec<Value> {
    let of = |(name, workload): (String, Workload)| {
        json!({
            "name": name,
            "mix": workload.mix.to_string(),
            "keys": workload.keys.to_string(),
            "values": workload.value_bytes.to_string(),
            "source": workload.source,
        })
    };
    all_workloads().map(of).collect()
}

fn all_scales() -> impl Iterator<Item = Scale> {
    Scale::NAMES.into_iter().map(|name| Scale::by_name(name).expect("a listed scale exists"))
}

fn scales() {
    for scale in all_scales() {
        println!(
            "{:<10} live sets ≤ {} MiB, stores of {} MiB, {} repetition(s), {} s idle",
            scale.name,
            scale.live_bytes >> 20,
            scale.store_bytes >> 20,
            scale.repetitions,
            scale.idle_ms as f64 / 1000.0
        );
    }
}

fn scales_as_data() -> Vec<Value> {
    let of = |scale: Scale| serde_json::to_value(scale).expect("plain data");
    all_scales().map(of).collect()
}
