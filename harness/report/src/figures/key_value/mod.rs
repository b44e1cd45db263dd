//! What each figure of the key-value suites shows: which cells, and where.

pub(super) mod capabilities;
pub(super) mod compaction;
pub(super) mod components;
pub(super) mod grid;
pub(super) mod latency;
pub(super) mod mapping;
pub(super) mod phases;
pub(super) mod price;
pub(super) mod replay;
pub(super) mod scaling;
pub(super) mod stores;
pub(super) mod timeline;
pub(super) mod windows;

pub(super) use scaling::panel;

use std::collections::BTreeSet;

use super::asked_by;
use super::axes::common;
use super::data::Data;
use super::panels::{Axes, Drawing, fill};
use super::requests;
use super::samples::{Label, Point, Role, Spot, points, spot};
use super::unlike::Unlike;
use record::{Driver, KeyValue, Row, System, dimensions::in_bytes, repetition::Repetition};

/// The sound and unsound cells of a suite.
fn cells<'a>(suite: &str, rows: &'a [Row]) -> Vec<Repetition<'a>> {
    asked_by(suite, rows)
}

/// The series of a system: its name, and a reference where it prices memory alone.
fn system(one: &Repetition<'_>) -> (Label, Role) {
    let role = if one.role() == record::Role::Roofline { Role::Reference } else { Role::Main };
    (Label::named(one.system), role)
}

/// A setting of the store.
fn option<'a>(one: &Repetition<'a>, name: &str) -> Option<&'a str> {
    match &one.cell.system {
        System::Store { options, .. } => options.get(name).map(String::as_str),
        System::Heap { .. } | System::Kernel | System::Way { .. } => None,
    }
}

/// `text`, with the preset that the settings start from, where the cell names one.
fn of_preset(one: &Repetition<'_>, text: &str) -> String {
    option(one, "preset").map_or_else(|| text.to_owned(), |preset| format!("{text}, {preset}"))
}

/// A number as an axis' label.
pub(super) fn numbered(value: f64) -> Label {
    Label::new(value, value.to_string())
}

/// Shares of GETs from 100 % down.
pub(super) fn mix(work: &KeyValue) -> Label {
    Label::new(100.0 - work.get_percent(), format!("{} % GET", work.get_percent()))
}

/// Value sizes with their unit, the smallest first.
pub(super) fn size(work: &KeyValue) -> Label {
    let text = in_bytes(&work.workload.value_bytes.to_string());
    Label::new(work.workload.mean_value_bytes(), text)
}

/// `1 thread`.
fn threads(count: usize) -> String {
    if count == 1 { "1 thread".to_owned() } else { format!("{count} threads") }
}

/// The table of `points`, with what the requests of `all` have in common.
fn finish(
    mut data: Data,
    (drawing, axes): (Drawing, Axes<'_>),
    points: &[Point],
    all: &[Repetition<'_>],
) -> Data {
    data.notes.extend(protocol(all));
    data.notes.extend(common(all));
    let unlike = Unlike::of(all);
    data.notes.extend(unlike.note());
    let mut points = points.to_vec();
    unlike.mark_series(&mut points);
    fill(&mut data, drawing, axes, &points);
    data
}

/// How the requests were sent, as a sentence; `None` of no requests.
fn protocol(all: &[Repetition<'_>]) -> Option<String> {
    let loops = all.iter().filter_map(requests).map(|work| match work.driver {
        Driver::Closed { .. } => "closed loop (the next request when the last is answered)",
        Driver::Open { .. } => "open loop (on a schedule, whether answered or not)",
        Driver::Timed { .. } => "at the times of the trace",
        Driver::Bare => "bare loop and closed loop by turns",
    });
    let loops: BTreeSet<&str> = loops.collect();
    let told: Vec<&str> = loops.into_iter().collect();
    (!told.is_empty())
        .then(|| format!("Protocol: {}; each repetition is a process of its own.", told.join(", ")))
}

/// A figure of one suite, each cell standing where `pick` says.
pub(super) fn of_suite<'a>(
    all: &[Repetition<'a>],
    how: (Drawing, Axes<'_>),
    pick: impl Fn(&Repetition<'a>) -> Vec<Spot>,
) -> Data {
    let mut data = Data::default();
    let points = points(&mut data, all, pick);
    finish(data, how, &points, all)
}
