//! Choices from a few made-up rows, each answer computed by hand.

use std::collections::BTreeMap;

use record::made_up::{cell, row};
use record::{Arrivals, Driver, KeyValue, Memory, MemoryPoint, Outcome, Row, System, Work};
use workloads::requests::{Mix, Workload};

use super::*;

const GIB: u64 = 1 << 30;

/// A process of a store, to be changed as a test needs it.
#[derive(Clone)]
struct Process {
    store: &'static str,
    set: Option<(&'static str, &'static str)>,
    value_bytes: &'static str,
    get: f64,
    fill: u32,
    rate: Option<f64>,
    repetition: u32,
    mops: f64,
    memory: f64,
    p999_ns: Option<u64>,
    outcome: Outcome,
}

fn process(store: &'static str, fill: u32, mops: f64, memory: f64) -> Process {
    Process {
        store,
        set: None,
        value_bytes: "1KiB",
        get: 50.0,
        fill,
        rate: None,
        repetition: 0,
        mops,
        memory,
        p999_ns: Some(10_000),
        outcome: Outcome::Measured,
    }
}

impl Process {
    fn row(&self) -> Row {
        let workload = Workload {
            name: format!("get-{}", self.get),
            mix: Mix::gets(self.get).unwrap(),
            value_bytes: self.value_bytes.parse().unwrap(),
            ..Workload::by_name("get-50").unwrap()
        };
        let driver = match self.rate {
            Some(rate_ops_per_s) => Driver::Open { rate_ops_per_s, arrivals: Arrivals::Poisson },
            None => Driver::Closed { batch: 1 },
        };
        let ageing = "churn:1".parse().unwrap();
        let plain = KeyValue::plain(workload, 1 << 30);
        let work = KeyValue { fill_percent: self.fill, threads: 2, driver, ageing, ..plain };
        let set = self.set.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let options: BTreeMap<String, String> = set.collect();
        let system = System::Store { name: self.store.to_owned(), heap: None, options };
        let mut row = row(&cell(system, Work::KeyValue(work), self.repetition), "run");
        row.throughput_ops_per_s = self.mops * 1e6;
        row.latency_ns = self.p999_ns.map(|ns| ("p99.9".to_owned(), ns)).into_iter().collect();
        let at_once =
            MemoryPoint { live_bytes: GIB, overhead: Some(self.memory), ..MemoryPoint::default() };
        row.memory = Some(Memory { at_once: Some(at_once), ..Memory::default() });
        row.outcome = self.outcome;
        row.expected = self.outcome == Outcome::Measured;
        row
    }
}

fn rows(processes: &[Process]) -> Vec<Row> {
    processes.iter().map(Process::row).collect()
}

fn wanted(given: &[(&str, &str)]) -> Wanted {
    let mut wanted = Wanted { threads: 2, ..Wanted::default() };
    for (name, text) in given {
        wanted.set(name, text).unwrap();
    }
    wanted
}

fn budget(memory: &str) -> Wanted {
    wanted(&[("live", "1GiB"), ("memory", memory)])
}

fn names(stores: &[Candidate]) -> Vec<&str> {
    stores.iter().map(|one| one.store.as_str()).collect()
}

/// A store with a bound at three fills, one that takes what it needs, one at one fill.
fn three() -> Vec<Row> {
    rows(&[
        process("bound", 50, 2.0, 2.1),
        process("bound", 80, 1.5, 1.3),
        process("bound", 95, 1.0, 1.1),
        process("free", 50, 3.0, 1.5),
        process("slow", 80, 0.9, 1.25),
    ])
}

#[test]
fn the_fastest_fill_within_the_budget_counts_and_stores_are_ranked_by_it() {
    let choice = choose(&three(), &budget("2GiB"), &[]).unwrap();
    let [ranking] = choice.qualifying.as_slice() else { panic!("{choice:?}") };
    assert_eq!(names(&ranking.stores), ["free", "bound", "slow"]);
    assert!(choice.failing.is_empty() && ranking.gaps.is_empty(), "{choice:?}");
    // At 50 % it would be faster and hold 2.1 GiB.
    let bound = &ranking.stores[1];
    assert_eq!((bound.fill_percent, bound.throughput.unwrap().median), (80, 1.5e6));
    assert_eq!(bound.memory_bytes, Some(1.3 * GIB as f64));
    assert_eq!(bound.cells.len(), 1);
    assert!(bound.cells[0].contains("fill-80") && bound.cells[0].contains("bound"), "{bound:?}");
}

#[test]
fn what_misses_the_budget_says_by_how_much() {
    let choice = choose(&three(), &budget("1280MiB"), &[]).unwrap();
    assert_eq!(names(&choice.qualifying[0].stores), ["bound", "slow"], "1.25 of 1.25 fits");
    assert_eq!(choice.qualifying[0].stores[0].fill_percent, 95);
    let [free] = choice.failing.as_slice() else { panic!("{choice:?}") };
    assert_eq!(free.misses[0].times, Some(1.2));
    assert_eq!(
        free.misses[0].words,
        "needs 1.5 GiB for 1 GiB live, 256 MiB (20 %) more than 1.25 GiB"
    );
    // Nobody fits: the nearest is the one at 95 % fill.
    let choice = choose(&three(), &budget("1GiB"), &[]).unwrap();
    assert!(choice.qualifying.is_empty());
    assert_eq!(names(&choice.failing), ["bound", "slow", "free"]);
    assert_eq!(choice.failing[0].fill_percent, 95);
}

#[test]
fn a_budget_scales_with_the_live_set_that_is_wanted() {
    let wanted = wanted(&[("live", "8GiB"), ("memory", "10GiB")]);
    let choice = choose(&three(), &wanted, &[]).unwrap();
    assert_eq!(names(&choice.qualifying[0].stores), ["bound", "slow"]);
    let bound = &choice.qualifying[0].stores[0];
    assert!((bound.memory_bytes.unwrap() / GIB as f64 - 8.8).abs() < 1e-9);
    // Three doublings, each an eighth.
    assert_eq!(bound.gaps[0].words, "1 GiB live instead of 8 GiB");
    assert!((bound.gaps[0].size - 0.375).abs() < 1e-9);
}

#[test]
fn medians_and_intervals_are_those_of_all_processes() {
    let of = |repetition, mops| Process { repetition, mops, ..process("a", 80, 0.0, 1.2) };
    let choice = choose(&rows(&[of(0, 1.0), of(1, 3.0), of(2, 2.0)]), &wanted(&[]), &[]).unwrap();
    let found = choice.qualifying[0].stores[0].throughput.unwrap();
    assert_eq!((found.median, found.processes), (2e6, 3));
    let interval = stats::of_processes(&[1e6, 3e6, 2e6]).unwrap();
    assert_eq!((found.low, found.high, found.level), (interval.low, interval.high, Some(0.95)));
    assert_eq!(choice.qualifying[0].stores[0].cells.len(), 3);
}

#[test]
fn each_store_is_read_from_its_nearest_requests_and_ranked_with_its_like() {
    let rows = rows(&[
        Process { get: 50.0, ..process("both", 80, 1.0, 1.2) },
        Process { get: 100.0, ..process("both", 80, 5.0, 1.2) },
        Process { get: 50.0, ..process("half", 80, 9.0, 1.2) },
    ]);
    let choice = choose(&rows, &wanted(&[("get", "95")]), &[]).unwrap();
    let [first, second] = choice.qualifying.as_slice() else { panic!("{choice:?}") };
    assert_eq!((names(&first.stores), names(&second.stores)), (vec!["both"], vec!["half"]));
    // 5 and 45 points, a 25th each.
    assert!((first.distance - 0.2).abs() < 1e-9 && (second.distance - 1.8).abs() < 1e-9);
    assert_eq!(first.gaps[0].words, "5 points more GETs (100 instead of 95 %)");
    assert_eq!(second.gaps[0].words, "45 points fewer GETs (50 instead of 95 %)");
    assert_eq!(choice.nearest, ["both"]);
}

#[test]
fn requests_under_which_a_store_was_never_filled_so_far_are_farther() {
    let near = Process { get: 95.0, ..process("a", 12, 4.0, 4.0) };
    let far = process("a", 80, 1.0, 1.2);
    let wanted = Wanted { get_percent: 95.0, ..budget("1280MiB") };
    // 2 · log₂(4 ÷ 1.25) = 3.36 against 45 ÷ 25.
    let choice = choose(&rows(&[near.clone(), far.clone()]), &wanted, &[]).unwrap();
    assert_eq!(choice.qualifying[0].stores[0].fill_percent, 80);
    // A refusal is an answer: the store was filled, and could not.
    let refused = Process { outcome: Outcome::EarlyRefusal, fill: 80, ..near.clone() };
    let choice = choose(&rows(&[near, refused, far]), &wanted, &[]).unwrap();
    assert!(choice.qualifying.is_empty(), "{choice:?}");
    assert_eq!(choice.failing[0].misses[0].bound, "memory");
}

#[test]
fn requests_too_unlike_the_description_answer_nothing() {
    // 1 KiB is six doublings of 16 B, and four of 64 B.
    let of = |bytes: &str| choose(&three(), &wanted(&[("value-bytes", bytes)]), &[]).unwrap();
    let choice = of("16");
    assert!(choice.qualifying.is_empty(), "{choice:?}");
    let miss = &choice.failing[0].misses[0];
    assert_eq!((miss.bound, miss.times), ("distance", None));
    assert!(miss.words.ends_with("a distance of 6.0, where 5 is the most"), "{miss:?}");
    assert_eq!(of("64").failing.len(), 0);
}

#[test]
fn a_store_that_fails_in_one_process_does_not_hold_the_live_set() {
    let failed =
        Process { repetition: 1, outcome: Outcome::EarlyRefusal, ..process("a", 95, 2.0, 1.1) };
    let rows = rows(&[process("a", 95, 2.0, 1.1), failed, process("b", 95, 1.0, 1.1)]);
    let choice = choose(&rows, &wanted(&[]), &[]).unwrap();
    assert_eq!(names(&choice.qualifying[0].stores), ["b"]);
    let miss = &choice.failing[0].misses[0];
    assert!(miss.words.starts_with("1 of 2 processes did not end as they should at 95 % fill"));
    assert_eq!((miss.bound, miss.times), ("processes", None));
}

#[test]
fn latency_is_bounded_where_it_was_measured() {
    let rows = rows(&[
        Process { p999_ns: Some(900), ..process("quick", 80, 1.0, 1.2) },
        Process { p999_ns: Some(2500), ..process("late", 80, 2.0, 1.2) },
        Process { p999_ns: None, ..process("unknown", 80, 3.0, 1.2) },
    ]);
    let wanted = Wanted { p999_ns: Some(1000), ..wanted(&[]) };
    let choice = choose(&rows, &wanted, &[]).unwrap();
    assert_eq!(names(&choice.qualifying[0].stores), ["quick"]);
    assert_eq!(names(&choice.failing), ["late", "unknown"]);
    assert_eq!(choice.failing[0].misses[0].words, "p99.9 of 2.5 µs, 2.5 times 1 µs");
    assert_eq!(choice.failing[1].misses[0].words, "its p99.9 was not measured");
}

#[test]
fn schedules_answer_where_a_latency_is_wanted_by_the_highest_rate_that_keeps_it() {
    let at = |rate: f64, p999_ns| Process {
        rate: Some(rate * 1e6),
        p999_ns: Some(p999_ns),
        ..process("a", 80, rate, 1.2)
    };
    let rows = rows(&[at(0.25, 500), at(1.0, 800), at(2.0, 9_000_000), process("a", 80, 3.0, 1.2)]);
    let choice = choose(&rows, &wanted(&[]), &[]).unwrap();
    assert!(!choice.qualifying[0].stores[0].scheduled);
    let choice = choose(&rows, &Wanted { p999_ns: Some(1000), ..wanted(&[]) }, &[]).unwrap();
    let best = &choice.qualifying[0].stores[0];
    assert!(best.scheduled && best.throughput.unwrap().median == 1e6, "{best:?}");
}

#[test]
fn settings_of_a_store_are_candidates_of_their_own() {
    let set = Process { set: Some(("preset", "paper")), ..process("a", 80, 2.0, 1.2) };
    let rows = rows(&[process("a", 80, 1.0, 1.2), set, process("b", 80, 3.0, 1.2)]);
    let chosen = |only: &[&str]| {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        let choice = choose(&rows, &wanted(&[]), &only);
        choice.map(|choice| names(&choice.qualifying[0].stores).join(" "))
    };
    assert_eq!(chosen(&[]).unwrap(), "b a@preset=paper a");
    assert_eq!(chosen(&["a"]).unwrap(), "a@preset=paper a");
    assert_eq!(chosen(&["a@preset=paper"]).unwrap(), "a@preset=paper");
    let error = chosen(&["c"]).unwrap_err().to_string();
    assert!(error.contains("no rows of c") && error.contains("--measure"), "{error}");
}

#[test]
fn other_requests_and_yardsticks_are_no_candidates() {
    let mut batched = process("a", 80, 9.0, 1.2).row();
    let Work::KeyValue(work) = &mut batched.cell.work else { unreachable!() };
    work.driver = Driver::Closed { batch: 32 };
    let roofline = process("roofline", 80, 20.0, 1.0).row();
    assert!(choose(&[batched, roofline], &wanted(&[]), &[]).is_err());
}

#[test]
fn gaps_add_up_dimension_by_dimension() {
    let row = Process { value_bytes: "512-1536", ..process("a", 80, 1.0, 1.2) }.row();
    let Work::KeyValue(work) = &row.cell.work else { unreachable!() };
    let wanted = wanted(&[("value-bytes", "2KiB"), ("skew", "zipfian"), ("threads", "8")]);
    let gaps: Vec<(&str, f64)> = distance::of_requests(work, &wanted)
        .iter()
        .map(|gap| (gap.dimension, (gap.size * 1e6).round() / 1e6))
        .collect();
    // Half the mean is 1, and so are sizes that vary by one mean; two doublings of threads are 2.
    assert_eq!(gaps, [("value-bytes", 2.0), ("skew", 0.99), ("threads", 2.0)]);
}

#[test]
fn descriptions_are_read_and_refused_with_value_and_remedy() {
    let described = wanted(&[
        ("value-bytes", "100..2000"),
        ("get", "95"),
        ("skew", "zipfian"),
        ("live", "8GiB"),
    ]);
    assert_eq!(
        described.words(),
        "values of 100-2000 B, 95 % GETs, zipfian:0.99 keys, 2 threads, 8 GiB live"
    );
    for (name, text, remedy) in [
        ("get", "130", "must be a percentage, 0 to 100"),
        ("get", "-1", "must be a percentage"),
        ("get", "most", "must be a percentage"),
        ("value-bytes", "5..1", "the smaller comes first; write \"1-5\""),
        ("value-bytes", "0", "must be 1 to"),
        ("value-bytes", "1KB", "write a whole number"),
        ("skew", "zipf", "write \"uniform\", \"zipfian:0.99\""),
        ("skew", "zipfian:0", "must be a number above 0"),
        ("threads", "0", "1 to 512"),
        ("live", "8GB", "GiB"),
        ("memory", "0", "above 0"),
    ] {
        let error = Wanted::default().set(name, text).unwrap_err();
        assert!(error.starts_with(&format!("--{name} {text}: ")), "{error}");
        assert!(error.contains(remedy), "{error}");
    }
    let error = wanted(&[("memory", "1GiB")]).check().unwrap_err();
    assert!(error.contains("--memory 1GiB without --live"), "{error}");
    let error = wanted(&[("memory", "1GiB"), ("live", "2GiB")]).check().unwrap_err();
    assert!(error.contains("less than the 2GiB of --live"), "{error}");
}
