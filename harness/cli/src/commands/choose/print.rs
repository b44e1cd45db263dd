//! The answer of `choose` for a terminal: the choice in a sentence, then the tables.

use std::collections::BTreeMap;
use std::path::Path;

use compare::render::{aligned, numbers};
use record::repetition::without_repetition;
use report::choose::{Candidate, Choice, Gap, Number, Ranking};

/// What stands where there is no number.
const NONE: &str = "–";
/// Settings of a store that are shown, the best first.
const SETTINGS_MAX: usize = 3;

pub(super) fn text(run: &Path, choice: &Choice) -> String {
    let mut text = headline(choice);
    text += &format!("\nWanted: {}.\nRead from {}.\n", choice.wanted.words(), run.display());
    for ranking in &choice.qualifying {
        text += &ranked(ranking, choice);
    }
    if !choice.failing.is_empty() {
        let (shown, rest) = shown(&choice.failing);
        text += "\nDo not qualify, the nearest first:\n";
        text.extend(shown.into_iter().map(failing));
        text += &rest;
    }
    if choice.wanted.p999_ns.is_some() {
        text += "\nThe highest rate that keeps a latency: `nibble-bench search STORE --percentile p99.9 \
                 --bound TIME`.\n";
    }
    text
}

/// The answer in a sentence.
fn headline(choice: &Choice) -> String {
    let first = choice.qualifying.first().and_then(|ranking| ranking.stores.first());
    match (first, choice.failing.first()) {
        (Some(best), _) => {
            let memory = match (best.memory_bytes, choice.wanted.live_bytes) {
                (Some(bytes), Some(live)) => {
                    format!("{} for {} live", in_bytes(bytes), in_bytes(live as f64))
                }
                _ => format!("{} bytes of memory for each live byte", ratio(best.memory_ratio)),
            };
            let (store, speed) = (&best.store, throughput(best.throughput));
            format!("{store}: {speed}, with {memory}; the fastest of {}.\n", ranked_with(choice))
        }
        (None, Some(nearest)) => {
            let misses = words(nearest.misses.iter().map(|miss| miss.words.as_str()));
            format!(
                "Nothing that was measured qualifies. The nearest is {}: {misses}.\n",
                nearest.store
            )
        }
        (None, None) => "Nothing was measured.\n".to_owned(),
    }
}

/// The stores of which the best was chosen, and those that were measured otherwise.
fn ranked_with(choice: &Choice) -> String {
    let mut counts = choice.qualifying.iter().map(|ranking| ranking.stores.len());
    let stores = |count: usize| if count == 1 { "store" } else { "stores" };
    let first = counts.next().unwrap_or_default();
    let mut words = format!("{first} {} measured under the nearest requests", stores(first));
    let others: usize = counts.sum();
    if others > 0 {
        words += &format!(" ({others} more under others)");
    }
    words
}

fn ranked(ranking: &Ranking, choice: &Choice) -> String {
    let wanted_live = choice.wanted.live_bytes.map(|bytes| bytes as f64);
    let for_live =
        wanted_live.map_or_else(|| "memory".to_owned(), |live| format!("for {}", in_bytes(live)));
    let headings = [
        "",
        "store",
        "throughput",
        "interval",
        "n",
        "memory ÷ live",
        for_live.as_str(),
        "p99.9",
        "fill",
    ];
    let (shown, rest) = shown(&ranking.stores);
    let lines: Vec<[String; 9]> =
        shown.iter().enumerate().map(|(place, store)| line(place + 1, store)).collect();
    let mut text = format!("\nMeasured with {}:\n", ranking.requests);
    text += &match ranking.gaps.as_slice() {
        [] => "as described.\n".to_owned(),
        gaps => format!("instead of what was described: {}.\n", gap_words(gaps)),
    };
    text += &aligned(&headings, &lines, |column| column == 1);
    text += &rest;
    text.extend(shown.iter().map(|store| format!("  {}: {}\n", store.store, origin(store))));
    text
}

/// The best settings of each store, in the order of all, and a line about the others.
fn shown(all: &[Candidate]) -> (Vec<&Candidate>, String) {
    let mut settings: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for store in all {
        let count = settings.entry(&store.engine).or_default();
        *count += 1;
        if *count <= SETTINGS_MAX {
            shown.push(store);
        }
    }
    let rest = match all.len() - shown.len() {
        0 => String::new(),
        count => format!("  … and {count} more settings of these stores (--json lists all)\n"),
    };
    (shown, rest)
}

fn line(place: usize, store: &Candidate) -> [String; 9] {
    let memory = store.memory_bytes.map_or_else(|| NONE.to_owned(), in_bytes);
    let [median, low, high] = match store.throughput {
        Some(Number { median, low, high, .. }) => numbers::values([median, low, high], "1/s"),
        None => [NONE, NONE, NONE].map(str::to_owned),
    };
    let range =
        if store.throughput.is_some_and(|number| number.level.is_none()) { " (range)" } else { "" };
    let low = low.split(' ').next().unwrap_or_default();
    let high = high.split(' ').next().unwrap_or_default();
    [
        place.to_string(),
        store.store.clone(),
        median,
        format!("{low} to {high}{range}"),
        store.throughput.map_or(0, |number| number.processes).to_string(),
        ratio(store.memory_ratio),
        memory,
        store.p999_ns.map_or_else(|| NONE.to_owned(), |number| in_ns(number.median)),
        format!("{} %", store.fill_percent),
    ]
}

/// Where the numbers of a store come from, and what is peculiar to them.
fn origin(store: &Candidate) -> String {
    let cell = store.cells.first().map_or(NONE, |id| without_repetition(id));
    let processes = if store.cells.len() == 1 { "process" } else { "processes" };
    let mut text = format!("{cell}, {} {processes}", store.cells.len());
    if !store.gaps.is_empty() {
        text += &format!("; {}", gap_words(&store.gaps));
    }
    if !store.conditions.is_empty() {
        text += &format!("; unlike most: {}", store.conditions.join(", "));
    }
    text
}

fn failing(store: &Candidate) -> String {
    let misses = words(store.misses.iter().map(|miss| miss.words.as_str()));
    let answered = match store.throughput {
        Some(_) => format!("; {}", throughput(store.throughput)),
        None => String::new(),
    };
    format!(
        "  {}: {misses}\n    with {}{answered}\n    {}\n",
        store.store,
        store.requests,
        origin(store)
    )
}

fn throughput(number: Option<Number>) -> String {
    let Some(Number { median, low, high, processes, level }) = number else {
        return NONE.to_owned();
    };
    let [median, low, high] = numbers::values([median, low, high], "1/s");
    let kind = if level.is_some() { "95 % interval" } else { "range" };
    format!("{median} ({kind} {low} to {high}, n = {processes})")
}

fn ratio(number: Option<Number>) -> String {
    number.map_or_else(|| NONE.to_owned(), |number| format!("{:.2}", number.median))
}

fn in_bytes(bytes: f64) -> String {
    let [text] = numbers::values([bytes], "bytes");
    text
}

fn in_ns(ns: f64) -> String {
    let [text] = numbers::values([ns], "ns");
    text
}

fn gap_words(gaps: &[Gap]) -> String {
    words(gaps.iter().map(|gap| gap.words.as_str()))
}

fn words<'a>(all: impl Iterator<Item = &'a str>) -> String {
    all.collect::<Vec<_>>().join("; ")
}
