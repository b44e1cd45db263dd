//! Made-up rows of every built-in target and their verdicts: `recorded.tsv` has a letter for each
//! variant of the rows. Levels lie around the bar, and some cells crash.

use std::collections::BTreeSet;

use expect::Verdict;

use super::file::File;
use super::sizes::Sizes;
use super::*;
use crate::suites::Bytes;
use record::{Calibration, Cell, Memory, MemoryPoint, Outcome, Overheads, Row, made_up as fixture};

/// Variants of the rows of each target.
const VARIANTS: u32 = 32;

/// From 0 to 1, and follows from `text`.
fn of(text: &str) -> f64 {
    let mut state = 0xCBF2_9CE4_8422_2325_u64;
    for byte in text.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    state ^= state >> 29;
    (state.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Within 10 % of 1.
fn noise(cell: &Cell, variant: u32) -> f64 {
    0.9 + 0.2 * of(&format!("{}#{variant}", cell.id))
}

/// What this side is of the bar: from 0.6 to 1.4.
fn level(target: &str, side: &str, variant: u32) -> f64 {
    0.6 + 0.8 * of(&format!("{target}-{side}-{variant}"))
}

fn rows_of(cell: &Cell, target: &str, bar: f64, variant: u32) -> Vec<Row> {
    let is_overhead = cell.id.starts_with("overhead/");
    let steps: &[&str] =
        if is_overhead { &["fill", "delete", "refill"] } else { &["load", "age", "run"] };
    let mut rows: Vec<Row> = steps.iter().map(|step| fixture::row(cell, step)).collect();
    let place = cell.id.rsplit_once("/against-").map_or("", |(_, place)| place);
    let rival = place.split('/').next().unwrap_or_default();
    let mut value = noise(cell, variant);
    if cell.id.contains("-B/") || place.is_empty() {
        value *= bar * level(target, rival, variant);
    }
    let [first, age, last] = &mut rows[..] else { unreachable!() };
    first.throughput_ops_per_s = 1e9;
    age.statistics = [("copied_bytes", 1e6), ("appended_bytes", 2e6)]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    let speed = 2e6 + 1e7 * of(&format!("{target} at {variant}"));
    last.throughput_ops_per_s = speed * value;
    last.latency_by_kind_ns = [("get", 1e3), ("update", 2e6)]
        .map(|(kind, ns)| {
            let ns = (ns * value) as u64;
            (kind.to_owned(), [("p99.9".to_owned(), ns)].into())
        })
        .into();
    last.statistics = [("copied_bytes", 1e6 + 3e6 * value), ("appended_bytes", 5e6)]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
    if is_overhead {
        let bytes = (1e8
            * (1.0
                + (bar - 1.0)
                    * (0.6 + 0.3 * level(&cell.id[..cell.id.len() - 2], "", variant))
                    * noise(cell, variant).sqrt())) as u64;
        last.memory = Some(Memory {
            at_once: Some(MemoryPoint {
                live_bytes: 92_000_000,
                live_objects: 1_000_000,
                ..MemoryPoint::default()
            }),
            overheads: Some(Overheads {
                capacity_bytes: bytes,
                object_memory_bytes: bytes - bytes / 20,
                ..Overheads::default()
            }),
            ..Memory::default()
        });
    }
    if of(&format!("{}!{variant}", cell.id)) < f64::from(variant % 4) * 0.02 {
        last.outcome = Outcome::Crashed;
    }
    if variant == 5 && cell.id.starts_with("copied") {
        last.statistics.remove("copied_bytes");
    }
    if variant == 6 && cell.id.starts_with("copied") {
        last.statistics.insert("appended_bytes".to_owned(), 2e6);
    }
    rows
}

fn sizes(variant: u32) -> Sizes {
    Sizes {
        object_memory: Bytes(64 << 20),
        object_memory_max: Some(Bytes(64 << 20)),
        live_set: Some(Bytes(16 << 20)),
        operations: 1000,
        blocks: 3 + variant % 3,
        repetitions: 3 + variant % 2 * 2,
        overhead_repetitions: 1 + variant % 4,
        object_counts: 2 + variant % 3,
        calibration: Bytes(1 << 20),
    }
}

fn calibrations(variant: u32) -> Vec<Calibration> {
    let round = |round| Calibration {
        bytes: 1,
        huge_page_bytes: 1,
        random_line_ns: 7.0 + of(&format!("line {round} {variant}")),
        copy_gb_per_s: 16.0 + 2.0 * of(&format!("copy {round} {variant}")),
    };
    (0..sizes(variant).repetitions).map(round).collect()
}

/// A letter for each variant.
fn verdicts(file: &File, target: &Target) -> String {
    let bounds = target.bounds();
    let bar = bounds.at_least.or(bounds.at_most).expect("a bar");
    let verdict = |variant: u32| {
        let sizes = sizes(variant);
        let cells = cells(file, target, &sizes).unwrap();
        let rows = cells.iter().flat_map(|cell| rows_of(cell, target.name(), bar, variant));
        let rows: Vec<Row> = rows.collect();
        match judge(file, target, &rows, &sizes, &calibrations(variant)).verdict {
            Verdict::Holds => 'H',
            Verdict::Fails => 'F',
            Verdict::Undecided => 'u',
            Verdict::NotTestable => '-',
        }
    };
    (0..VARIANTS).map(verdict).collect()
}

/// A change to the language, or to an interval, shows here. Letters follow the names of targets:
/// `NIBBLE_RENEW_RECORDED=1` writes them anew.
#[test]
fn every_kind_of_target_is_judged_as_recorded() {
    let file = File::parse(BUILT_IN.0, BUILT_IN.1).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = BTreeSet::new();
    let recorded = include_str!("recorded.tsv").lines();
    let recorded = recorded.map(|line| line.split_once('\t').expect("a name and letters"));
    let renews = std::env::var_os("NIBBLE_RENEW_RECORDED").is_some();
    let mut renewed = String::new();
    for (name, letters) in recorded {
        let target = file.targets.iter().find(|target| target.name() == name);
        let target = target.unwrap_or_else(|| panic!("{name} is not in the table"));
        let judged = verdicts(&file, target);
        renewed += &format!("{name}\t{judged}\n");
        assert!(renews || judged == letters, "{name}: {judged}, recorded {letters}");
        let kind = std::mem::discriminant(&target.kind);
        seen.extend(judged.chars().map(|letter| format!("{kind:?} {letter}")));
    }
    assert_eq!(seen.len(), 4 * 4, "every verdict of every kind: {seen:?}");
    if renews {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/targets/recorded.tsv");
        std::fs::write(path, renewed).unwrap();
    }
}
