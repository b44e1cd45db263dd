//! What a run measured, as points: a store under one kind of requests, at one fill or rate.

use std::collections::BTreeMap;

use record::dimensions::DIMENSIONS;
use record::{Cell, Driver, Flag, KeyValue, Repetition, Role, Row, Source, System, metrics};
use stats::{Interval, of_nodes};

use super::Wanted;
use crate::summaries::labels_of;

/// The memory of a process ÷ its live value bytes: resident right after the step, seen from outside, or
/// the store's capacity where that is more.
pub const MEMORY: &str = "overhead-held";
/// The bounded percentile of latency.
pub const P999: &str = "p99.9-ns";

/// Dimensions that vary within a kind of requests: a description says them in other words, or not at all.
const WITHIN_A_KIND: [&str; 6] =
    ["workload", "fill-percent", "live-set", "object-memory-bytes", "rate-ops-per-s", "arrivals"];
/// Dimensions of which every point here has the same value.
const ALWAYS: [&str; 2] = ["batch", "resident"];

/// The settings that points have in common where only store, fill and rate differ.
pub(super) type Kind = BTreeMap<&'static str, String>;

/// All processes that measured the same.
#[derive(Debug)]
pub(super) struct Point<'a> {
    pub(super) cell: &'a Cell,
    pub(super) work: &'a KeyValue,
    pub(super) processes: Vec<&'a Repetition<'a>>,
}

/// The points that can answer a description: single GETs and PUTs of known keys, generated before the
/// clock; on a schedule only where a latency is wanted.
pub(super) fn points<'a>(all: &'a [Repetition<'a>], wanted: &Wanted) -> Vec<Point<'a>> {
    let mut found: BTreeMap<BTreeMap<String, String>, Point<'a>> = BTreeMap::new();
    for one in all {
        let Some(work) = one.requests().filter(|work| answers(work, wanted)) else { continue };
        if one.role() != Role::Store {
            continue;
        }
        let new = || Point { cell: one.cell, work, processes: Vec::new() };
        found.entry(labels_of(one.cell)).or_insert_with(new).processes.push(one);
    }
    found.into_values().collect()
}

fn answers(work: &KeyValue, wanted: &Wanted) -> bool {
    let sent = match work.driver {
        Driver::Closed { batch } => batch == 1,
        Driver::Open { .. } => wanted.p999_ns.is_some(),
        Driver::Timed { .. } | Driver::Bare => false,
    };
    sent && work.replay.is_none()
        && work.workload.only_gets_and_updates()
        && work.source == Source::Prepared
        && work.resident
        && work.think_ns == 0
        && work.phases.is_none()
        && work.workload.key_bytes.is_none()
}

impl<'a> Point<'a> {
    pub(super) fn system(&self) -> String {
        self.cell.system.label()
    }

    /// The store without its settings.
    pub(super) fn engine(&self) -> String {
        match &self.cell.system {
            System::Store { name, heap, .. } => {
                let (name, heap) = (name.clone(), heap.clone());
                System::Store { name, heap, options: BTreeMap::new() }.label()
            }
            other => other.label(),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        let told = DIMENSIONS.iter().filter(|row| !WITHIN_A_KIND.contains(&row.name));
        let mut kind: Kind =
            told.filter_map(|row| Some((row.name, (row.get)(self.work)?))).collect();
        kind.insert("get", self.work.get_percent().to_string());
        kind
    }

    /// The median over the processes that ended as they should, with its interval.
    pub(super) fn number(&self, metric: &str) -> Option<Interval> {
        let values =
            self.steps().filter_map(|row| Some((row.node.as_str(), metrics::value(row, metric)?)));
        of_nodes(&values.collect::<Vec<_>>())
    }

    fn steps(&self) -> impl Iterator<Item = &'a Row> {
        let sound = self.processes.iter().filter(|one| one.counts());
        sound.filter_map(|one| one.step("run"))
    }

    /// How many processes did not end as they should, and why the first did not.
    pub(super) fn failed(&self) -> Option<(usize, String)> {
        let failed = |one: &&&Repetition<'_>| !one.counts() || one.step("run").is_none();
        let all: Vec<_> = self.processes.iter().filter(failed).collect();
        Some((all.len(), all.first()?.reason()))
    }

    /// Value bytes that were live.
    pub(super) fn live_bytes(&self) -> u64 {
        let seen = self.steps().find_map(|row| Some(row.memory.as_ref()?.at_once?.live_bytes));
        seen.unwrap_or_else(|| self.work.live_value_bytes())
    }

    pub(super) fn is_cached(&self) -> bool {
        self.steps().any(|row| row.flags.contains(&Flag::Cached))
    }

    /// The cells behind it, by id.
    pub(super) fn cells(&self) -> Vec<String> {
        self.processes.iter().map(|one| one.cell.id.clone()).collect()
    }
}

/// The requests of a kind, in words.
pub(super) fn in_words(work: &KeyValue) -> String {
    let told = DIMENSIONS
        .iter()
        .filter(|row| !WITHIN_A_KIND.contains(&row.name) && !ALWAYS.contains(&row.name));
    let mut words = vec![format!("{} % GETs", work.get_percent())];
    words.extend(told.filter_map(|row| {
        let words = (row.words)(&(row.get)(work)?);
        let keys = if row.label == "keys" { " keys" } else { "" };
        (!words.is_empty()).then(|| format!("{words}{keys}"))
    }));
    if matches!(work.driver, Driver::Open { .. }) {
        words.push("sent on a schedule".to_owned());
    }
    words.join(", ")
}
