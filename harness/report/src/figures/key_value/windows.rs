//! Ways to reach memory in windows: updates over the number or the size of windows, and what a switch
//! costs.

use std::collections::BTreeSet;

use workloads::bytes::format_bytes;

use super::{cells, of_suite, spot};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::samples::{Label, Measure, Spot};
use record::{Row, Windows, Work, metrics, repetition::Repetition};

const UPDATES: Measure = Measure { rank: 0, title: "million updates/s", log: true };
const SWITCHES: Measure = Measure { rank: 1, title: "switches/s", log: true };
const TABLES: Measure = Measure { rank: 2, title: "page tables, MiB", log: true };
const SET: Measure = Measure { rank: 1, title: "wall time ÷ sets, ns", log: true };
const ONE_WAY: Measure = Measure { rank: 0, title: "one switch, ns", log: true };

/// The way whose lines stand in every panel.
const CEILING: &str = "flat";

/// `windows`: updates by the number of windows; panels by updates of a set and by kind of way.
pub(in crate::figures) fn windows(suite: &str, rows: &[Row]) -> Data {
    over_windows(suite, rows, &[(UPDATES, "throughput")])
}

/// `window-switches`: switches and page tables by the number of windows.
pub(in crate::figures) fn window_switches(suite: &str, rows: &[Row]) -> Data {
    over_windows(suite, rows, &[(SWITCHES, "switches-per-s"), (TABLES, "page-table-bytes")])
}

fn over_windows(suite: &str, rows: &[Row], show: &[(Measure, &'static str)]) -> Data {
    let axes = Axes { log_x: true, ..Axes::over("windows") };
    let all = cells(suite, rows);
    let varied = Varied::of(&all);
    of_suite(&all, (Drawing::Lines, axes), |one| {
        let Some(work) = work(one) else { return Vec::new() };
        let x = Label::new(work.windows as f64, work.windows.to_string());
        spots(one, work, varied, &x, show)
    })
}

/// `window-size`: updates and time of a set by the bytes of a window.
pub(in crate::figures) fn window_size(suite: &str, rows: &[Row]) -> Data {
    let axes = Axes { log_x: true, ..Axes::over("bytes of a window") };
    let all = cells(suite, rows);
    let varied = Varied::of(&all);
    of_suite(&all, (Drawing::Lines, axes), |one| {
        let Some(work) = work(one) else { return Vec::new() };
        let text = format_bytes(work.window_bytes as usize);
        let x = Label::new(work.window_bytes as f64, text);
        spots(one, work, varied, &x, &[(UPDATES, "throughput"), (SET, "ns-per-set")])
    })
}

/// `switch-cost`: bars of one switch, in groups by windows.
pub(in crate::figures) fn switch_cost(suite: &str, rows: &[Row]) -> Data {
    of_suite(&cells(suite, rows), (Drawing::Bars, Axes::default()), |one| {
        let Some(work) = work(one) else { return Vec::new() };
        let bytes = format_bytes(work.window_bytes as usize);
        let text = format!("{} windows of {bytes}", work.windows);
        let at = work.windows as f64 * 1e12 + work.window_bytes as f64;
        let panel = panel_of(one.system, work).unwrap_or(BETWEEN);
        let bar = spot(ONE_WAY, "wall-ns", Label::named(one.system), Label::new(at, text));
        vec![Spot { panel: Label::new(f64::from(panel.0), panel.1), ..bar }]
    })
}

fn work<'a>(one: &Repetition<'a>) -> Option<&'a Windows> {
    match &one.cell.work {
        Work::Windows(work) => Some(work),
        _ => None,
    }
}

/// Ways of one thread of one process.
const WITHIN: (u8, &str) = (0, "one thread");
/// Ways of several threads, of one process or of several.
const BETWEEN: (u8, &str) = (1, "several threads");

/// The panel of a way; `None` for the one that stands in both.
fn panel_of(system: &str, work: &Windows) -> Option<(u8, &'static str)> {
    match system.split('@').next() {
        Some(CEILING) => None,
        // Without updates it is two threads.
        Some("plain-c") if work.updates == 0 => Some(BETWEEN),
        Some("space" | "hand-over" | "mp" | "remote") => Some(BETWEEN),
        _ => Some(WITHIN),
    }
}

/// What the cells of a figure differ in, so that the titles of panels name it.
#[derive(Clone, Copy)]
struct Varied {
    updates: bool,
    pages: bool,
}

impl Varied {
    fn of(all: &[Repetition<'_>]) -> Self {
        let values = |of: fn(&Windows) -> u64| -> BTreeSet<u64> {
            all.iter().filter_map(work).map(of).collect()
        };
        Self {
            updates: values(|work| work.updates as u64).len() > 1,
            pages: values(|work| work.page_bytes).len() > 1,
        }
    }

    /// The title of a panel of that kind of way.
    fn title(self, work: &Windows, kind: &str) -> String {
        let set = self.updates.then(|| format!("sets of {}", work.updates));
        let pages = self.pages.then(|| format!("{} pages", format_bytes(work.page_bytes as usize)));
        let parts = [set, Some(kind.to_owned()), pages];
        parts.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }
}

/// A point for each measure, in the panels of the way.
fn spots(
    one: &Repetition<'_>,
    work: &Windows,
    varied: Varied,
    x: &Label,
    show: &[(Measure, &'static str)],
) -> Vec<Spot> {
    let kinds = panel_of(one.system, work).map_or(vec![WITHIN, BETWEEN], |kind| vec![kind]);
    let mut spots = Vec::new();
    for (kind, text) in kinds {
        let at = work.updates as f64 * 4.0 + f64::from(kind) + work.page_bytes as f64 * 1e6;
        let panel = Label::new(at, varied.title(work, text));
        let shown = show.iter().filter(|(measure, metric)| !measure.log || !is_zero(one, metric));
        spots.extend(shown.map(|&(measure, metric)| Spot {
            panel: panel.clone(),
            ..spot(measure, metric, Label::named(one.system), x.clone())
        }));
    }
    spots
}

/// Whether all that was measured is 0, which has no place on a logarithmic axis.
fn is_zero(one: &Repetition<'_>, metric: &str) -> bool {
    let mut values = one.rows.iter().filter_map(|row| metrics::shown(row, metric)).peekable();
    values.peek().is_some() && values.all(|value| value == 0.0)
}
