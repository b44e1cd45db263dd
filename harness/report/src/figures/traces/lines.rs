//! The figures of traces that are lines: a line for each trace, or a panel.

use std::path::Path;

use stats::Interval;
use workloads::trace::statistics::{AccessBucket, Accesses, Distribution, Live};

use super::super::data::Data;
use super::super::panels::{Axes, Drawing, fill};
use super::super::samples::{Label, Mark, Measure, Point, Role, Spot, spot};
use super::super::table::{Column, Table, Value, prefixed};
use super::{NOTHING_IN_THEM, accounts, nothing, percent, source};
use record::{TraceAccount, TraceContents};

const MIB: f64 = (1 << 20) as f64;

const OF_OPERATIONS: Measure = Measure { rank: 0, title: "operations up to that, %", log: false };
const OF_VALUES: Measure = Measure { rank: 0, title: "sizes up to that, %", log: false };
const FOUND: Measure = Measure { rank: 0, title: "operations found, %", log: false };
const LIVE: Measure = Measure { rank: 0, title: "live, MiB", log: false };

/// What the paper says of its Postmark trace: that share of the operations, in percent, is on
/// objects accessed at most so many times.
const PAPER: (f64, f64) = (18.0, 80.0);

/// `fig10a`: operations, and thin objects, by how often their object is accessed.
pub(in super::super) fn accesses(folder: &Path) -> Data {
    let accounts =
        match accounts(folder, "a key-value trace", |account| account.requests().is_some()) {
            Ok(accounts) => accounts,
            Err(reason) => return nothing(reason),
        };
    let mut shown = Table::new(&[
        Column::new("series", "trace", 0),
        Column::prefixed("operations", "operations"),
        Column::prefixed("objects", "objects"),
        Column::new("each", "operations per object", 1),
        Column::new("p50", "50 % of operations on objects accessed up to", 0),
        Column::new("p80", "80 %", 0),
        Column::new("p90", "90 %", 0),
        Column::new("p99", "99 %", 0),
        Column::new("objects-p80", "80 % of objects accessed up to", 0),
        Column::new("max", "most accesses", 0),
    ]);
    let mut lines = Vec::new();
    for (account, whole) in
        accounts.iter().filter_map(|account| Some((account, account.requests()?)))
    {
        let Accesses { by_operations: quantiles, by_objects, .. } = whole.accesses;
        let row = vec![
            account.name.as_str().into(),
            (whole.operations as f64).into(),
            (whole.objects as f64).into(),
            whole.operations_per_object().into(),
            (quantiles.p50 as f64).into(),
            (quantiles.p80 as f64).into(),
            (quantiles.p90 as f64).into(),
            (quantiles.p99 as f64).into(),
            (by_objects.p80 as f64).into(),
            (whole.accesses.max as f64).into(),
        ];
        shown.push(row, source(account));
        let line = |role, total, count: fn(&AccessBucket) -> u64| {
            let buckets = whole.accesses.buckets.iter();
            let steps = buckets.map(|bucket| {
                let up_to = bucket.up_to.min(whole.accesses.max);
                ((bucket.lowest() as f64, up_to as f64), count(bucket))
            });
            Line { name: account.name.clone(), role, points: cumulated(steps, total) }
        };
        lines.push(line(Role::Main, whole.operations, |bucket| bucket.operations));
        lines.push(line(Role::Thin, whole.objects, |bucket| bucket.objects));
    }
    to_the_same_end(&mut lines);
    if accounts.iter().any(TraceAccount::is_postmark) {
        let (times, share) = PAPER;
        let points = vec![(1.0, share), (times, share), (times, 0.0)];
        lines.push(Line { name: "paper".to_owned(), role: Role::Reference, points });
    }
    drawn(OF_OPERATIONS, "accesses of the object", true, &lines, shown)
}

/// `trace-sizes`: value sizes, or sizes asked of an allocator.
pub(in super::super) fn sizes(folder: &Path) -> Data {
    let accounts =
        match accounts(folder, "one that tells sizes", |account| sizes_of(account).0.count > 0) {
            Ok(accounts) => accounts,
            Err(reason) => return nothing(reason),
        };
    let mut shown = Table::new(&[
        Column::new("series", "trace", 0),
        Column::new("of", "sizes of", 0),
        Column::prefixed("count", "how many"),
        Column::new("min", "lowest, B", 0),
        Column::new("p50", "50 %, B", 0),
        Column::new("mean", "mean, B", 1),
        Column::new("p99", "99 %, B", 0),
        Column::new("max", "highest, B", 0),
    ]);
    let mut lines = Vec::new();
    for account in &accounts {
        let (sizes, of) = sizes_of(account);
        let row = vec![
            account.name.as_str().into(),
            of.into(),
            (sizes.count as f64).into(),
            (sizes.min as f64).into(),
            (sizes.p50 as f64).into(),
            sizes.mean().into(),
            (sizes.p99 as f64).into(),
            (sizes.max as f64).into(),
        ];
        shown.push(row, source(account));
        let points = cumulated(steps_of(sizes, 0), sizes.count);
        lines.push(Line { name: account.name.clone(), role: Role::Main, points });
    }
    to_the_same_end(&mut lines);
    drawn(OF_VALUES, "bytes", true, &lines, shown)
}

fn sizes_of(account: &TraceAccount) -> (&Distribution, &'static str) {
    match &account.contents {
        TraceContents::Requests(whole) if whole.put_bytes.count > 0 => (&whole.put_bytes, "PUTs"),
        TraceContents::Requests(whole) => (&whole.get_bytes, "GETs"),
        TraceContents::Allocations(whole) => (&whole.sizes, "allocations"),
    }
}

/// `trace-reuse`: operations whose key is among the objects used last.
pub(in super::super) fn reuse(folder: &Path) -> Data {
    let accounts =
        match accounts(folder, "a key-value trace", |account| account.requests().is_some()) {
            Ok(accounts) => accounts,
            Err(reason) => return nothing(reason),
        };
    let mut shown = Table::new(&[
        Column::new("series", "trace", 0),
        Column::prefixed("objects", "objects"),
        Column::new("cold", "first on their key, %", 1),
        Column::new("at-1", "found among 1 % of the objects, %", 1),
        Column::new("at-10", "among 10 %", 1),
        Column::new("at-50", "among 50 %", 1),
        Column::prefixed("p50", "half of all reuses within objects"),
        Column::new("sampled", "one key in", 0),
    ]);
    let mut lines = Vec::new();
    for (account, whole) in
        accounts.iter().filter_map(|account| Some((account, account.requests()?)))
    {
        let (reuse, distances) = (&whole.reuse, &whole.reuse.distances);
        let at = |share: u64| {
            let found = reuse.lru_hit_ratio((whole.objects * share).div_ceil(100));
            Value::from(found.map(|found| 100.0 * found))
        };
        let row = vec![
            account.name.as_str().into(),
            (whole.objects as f64).into(),
            reuse.cold_share().map(|share| 100.0 * share).into(),
            at(1),
            at(10),
            at(50),
            ((distances.p50 + 1) as f64).into(),
            (reuse.sampled_one_in as f64).into(),
        ];
        shown.push(row, source(account));
        // A cache of one object more than the distance keeps the key.
        let mut points = cumulated(steps_of(distances, 1), distances.count);
        let reused = 1.0 - reuse.cold_share().unwrap_or(1.0);
        points.iter_mut().for_each(|(_, share)| *share *= reused);
        lines.push(Line { name: account.name.clone(), role: Role::Main, points });
    }
    to_the_same_end(&mut lines);
    drawn(FOUND, "objects used last", true, &lines, shown)
}

/// `trace-live`: live bytes, a panel for each trace.
pub(in super::super) fn live(folder: &Path) -> Data {
    let accounts = match accounts(folder, "readable", |_| true) {
        Ok(accounts) => accounts,
        Err(reason) => return nothing(reason),
    };
    let mut shown = Table::new(&[
        Column::new("series", "trace", 0),
        Column::prefixed("operations", "operations or events"),
        Column::new("max", "most live, MiB", 3),
        Column::new("max-at", "reached at, %", 1),
        Column::new("mean", "mean, MiB", 3),
        Column::new("end", "at the end, MiB", 3),
        Column::prefixed("objects", "most live objects"),
    ]);
    let (mut points, mut idle) = (Vec::new(), Vec::new());
    for (place, account) in accounts.iter().enumerate() {
        let (live, steps, total) = live_of(account);
        let unit = if account.requests().is_some() { "operations" } else { "events" };
        if live.bytes_max == 0 {
            idle.push(account.name.as_str());
            continue;
        }
        let row = vec![
            account.name.as_str().into(),
            (total as f64).into(),
            (live.bytes_max as f64 / MIB).into(),
            percent(live.bytes_max_at, total).into(),
            (live.bytes_mean as f64 / MIB).into(),
            (live.bytes_end as f64 / MIB).into(),
            (live.objects_max as f64).into(),
        ];
        shown.push(row, source(account));
        let title = format!("{}: {} {unit}", account.name, prefixed(total as f64));
        let panel = Label::new(place as f64, title);
        points.extend(std::iter::once((0, 0)).chain(steps).map(|(at, bytes)| {
            let x = percent(at, total);
            point(LIVE, &panel, Role::Main, "live bytes", (x, bytes as f64 / MIB))
        }));
    }
    let mut data = Data::default();
    if points.is_empty() {
        data.nothing = Some(NOTHING_IN_THEM.to_owned());
    }
    if !idle.is_empty() {
        data.notes.push(format!("Nothing is ever live in: {}.", idle.join(", ")));
    }
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    fill(&mut data, Drawing::Lines, Axes::over("% of the trace"), &points);
    data.shown = Some(shown);
    data
}

/// What is live, live bytes by operations done, and the number of operations.
fn live_of(account: &TraceAccount) -> (&Live, Vec<(u64, u64)>, u64) {
    match &account.contents {
        TraceContents::Requests(whole) => {
            let steps = whole.timeline.points.iter().map(|step| (step.at, step.live_bytes));
            (&whole.live, steps.collect(), whole.operations)
        }
        TraceContents::Allocations(whole) => {
            let steps = whole.timeline.points.iter().map(|step| (step.at, step.live_bytes));
            (&whole.live, steps.collect(), whole.events.total())
        }
    }
}

/// A line before it is drawn: its places and shares.
struct Line {
    name: String,
    role: Role,
    points: Vec<(f64, f64)>,
}

/// The lowest and the highest value of each bucket and its count, with all values `shift` higher.
/// Those of 0 stand at 1, where a logarithmic axis begins.
fn steps_of(of: &Distribution, shift: u64) -> impl Iterator<Item = ((f64, f64), u64)> + use<'_> {
    let place = move |value: u64| value.saturating_add(shift).max(1) as f64;
    of.buckets.iter().map(move |bucket| {
        let (low, high) = (bucket.lowest().max(of.min), bucket.up_to.min(of.max));
        ((place(low), place(high)), bucket.count)
    })
}

/// Shares of `whole` up to each place: level between buckets, rising within them.
fn cumulated(steps: impl Iterator<Item = ((f64, f64), u64)>, whole: u64) -> Vec<(f64, f64)> {
    let (mut points, mut sum) = (Vec::new(), 0);
    for ((low, high), count) in steps {
        points.push((low, percent(sum, whole)));
        sum += count;
        points.push((high, percent(sum, whole)));
    }
    points
}

/// Lines that end earlier go on at their height: beyond nothing is added.
fn to_the_same_end(lines: &mut [Line]) {
    let places = lines.iter().filter_map(|line| line.points.last());
    let end = places.map(|(x, _)| *x).fold(1.0, f64::max);
    for line in lines {
        if let Some(&(x, share)) = line.points.last()
            && x < end
        {
            line.points.push((end, share));
        }
    }
}

fn drawn(measure: Measure, x: &str, log_x: bool, lines: &[Line], shown: Table) -> Data {
    let mut data = Data::default();
    let of = |line: &Line| {
        let at = |&place| point(measure, &Label::none(), line.role, &line.name, place);
        line.points.iter().map(at).collect::<Vec<_>>()
    };
    let mut points: Vec<Point> = lines.iter().flat_map(of).collect();
    if points.is_empty() {
        data.nothing = Some(NOTHING_IN_THEM.to_owned());
    }
    // Stable: points above one another stay in their order.
    points.sort_by(|a, b| a.spot.cmp(&b.spot));
    fill(&mut data, Drawing::Lines, Axes { log_x, ..Axes::over(x) }, &points);
    data.shown = Some(shown);
    data
}

/// A number that was not measured: it comes from no process.
fn point(
    measure: Measure,
    panel: &Label,
    role: Role,
    series: &str,
    (x, value): (f64, f64),
) -> Point {
    let spot = spot(measure, "throughput", Label::named(series), Label::new(x, ""));
    let spot = Spot { panel: panel.clone(), role, ..spot };
    let value = Interval::exact(value, 0);
    Point { spot, value: Some(value), mark: Mark::None, sources: Vec::new() }
}
