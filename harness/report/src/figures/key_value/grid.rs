//! `grid`: the cells of suites that are not built in, arranged by what varies among them.

use std::collections::{BTreeMap, BTreeSet};

use super::compaction::verdict;
use super::{finish, spot};
use crate::figures::all as figures;
use crate::figures::axes::{Axis, number, settings};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::samples::{Label, Measure, Point, Role, Spot, THROUGHPUT, points};
use crate::figures::unlike::Unlike;
use record::{
    Row,
    repetition::{Repetition, repetitions},
};

/// Whether the cell belongs to a suite that no figure draws.
fn has_no_figure(one: &Repetition<'_>) -> bool {
    let drawn = |suite: &String| figures().iter().any(|figure| figure.suites.contains(suite));
    let mut suites = one.rows.iter().flat_map(|row| &row.suites).peekable();
    suites.peek().is_none() || suites.any(|suite| !drawn(suite))
}

/// What the process holds for what is live.
const MEMORY: Measure = Measure { rank: 1, title: "resident ÷ live value bytes", log: false };
const TAIL: Measure = Measure { rank: 2, title: "p99 latency, µs", log: true };

/// Throughput and memory of every cell that is asked for by a suite without a figure.
pub(in crate::figures) fn grid(rows: &[Row]) -> Data {
    let mut all = repetitions(rows);
    all.retain(|one| one.requests().is_some() && one.role() != record::Role::Roofline);
    all.retain(|one| has_no_figure(one));
    let mut data = Data::default();
    if all.is_empty() {
        data.nothing = Some(
            "This run has no key-value cells but those of built-in suites, which have figures of \
             their own: `nibble-bench run my.toml` makes some."
                .to_owned(),
        );
        return data;
    }
    let layout = Layout::of(&all);
    let points = points(&mut data, &all, |one| layout.spots(one));
    data.notes.push(layout.sentence());
    let main: Vec<Point> =
        points.iter().filter(|point| point.spot.role == Role::Main).cloned().collect();
    let panels: BTreeSet<&Label> = main.iter().map(|point| &point.spot.panel).collect();
    for panel in panels {
        data.notes.extend(verdicts(&main, panel, &all, &layout));
    }
    let (x, y) = (title(layout.x.as_ref()), title(layout.y.as_ref()));
    let axes = Axes { y: &y, log_x: layout.doubles(), ..Axes::over(&x) };
    let how = (layout.drawing(), axes);
    if layout.drawing() != Drawing::Heat {
        return finish(data, how, &points, &all);
    }
    // Fields have one scale of colours: memory stands in the table.
    let shown = finish(Data::default(), how, &points, &all).table;
    let drawn: Vec<Point> =
        points.into_iter().filter(|point| point.spot.measure == THROUGHPUT).collect();
    let mut data = finish(data, how, &drawn, &all);
    data.shown = Some(shown);
    data
}

/// The best of each kind: stores that answered under other conditions are not ranked with one another.
fn verdicts(main: &[Point], panel: &Label, all: &[Repetition<'_>], layout: &Layout) -> Vec<String> {
    let unlike = Unlike::of(all);
    let mut kinds: BTreeMap<&[String], BTreeSet<Spot>> = BTreeMap::new();
    for one in all {
        let spots = kinds.entry(unlike.differences(one.system)).or_default();
        spots.extend(layout.spots(one).into_iter().filter(|spot| spot.panel == *panel));
    }
    kinds.retain(|_, spots| main.iter().any(|point| spots.contains(&point.spot)));
    let several = kinds.len() > 1;
    let best = kinds.into_iter().filter_map(|(differences, spots)| {
        let own: Vec<Point> =
            main.iter().filter(|point| spots.contains(&point.spot)).cloned().collect();
        let best = verdict(&own, panel, |point| layout.name(point))?;
        Some(match (several, differences) {
            (false, _) => best,
            (true, []) => format!("Of stores like most: {best}"),
            (true, differences) => format!("Of those with {}: {best}", differences.join(", ")),
        })
    });
    best.collect()
}

fn title(axis: Option<&Axis>) -> String {
    axis.map_or_else(String::new, Axis::title)
}

/// A cell's place on a numeric axis.
fn at(settings: &BTreeMap<Axis, String>, axis: Option<&Axis>) -> Option<Label> {
    let value = settings.get(axis?)?;
    Some(Label::new(number(value)?, value.clone()))
}

/// What stands where.
#[derive(Default)]
struct Layout {
    /// The numeric axis with the most values.
    x: Option<Axis>,
    /// The numeric axis with the second most values; the drawing is then a heat map.
    y: Option<Axis>,
    /// All other axes that vary.
    rest: Vec<Axis>,
    /// Places on the horizontal axis, for cells that have none of their own.
    places: BTreeSet<Label>,
    /// The settings that cells of each store name; its other cells have them at their default.
    options: BTreeMap<String, BTreeSet<Axis>>,
}

impl Layout {
    fn of(all: &[Repetition<'_>]) -> Self {
        let mut layout = Self::default();
        for one in all {
            let settings = settings(one);
            let Some(store) = settings.get(&Axis::Store) else { continue };
            let options = settings.keys().filter(|axis| matches!(axis, Axis::Option(_)));
            layout.options.entry(store.clone()).or_default().extend(options.cloned());
        }
        let mut varied: BTreeMap<Axis, BTreeSet<String>> = BTreeMap::new();
        for (axis, value) in all.iter().flat_map(|one| layout.settings(one)) {
            varied.entry(axis).or_default().insert(value);
        }
        varied.retain(|_, values| values.len() > 1);
        let is_numeric = |values: &BTreeSet<String>| values.iter().all(|one| number(one).is_some());
        let mut numeric: Vec<(&Axis, usize)> = varied
            .iter()
            .filter(|(_, values)| is_numeric(values))
            .map(|(axis, values)| (axis, values.len()))
            .collect();
        numeric.sort_by_key(|(axis, count)| (usize::MAX - count, (*axis).clone()));
        let mut chosen = numeric.iter().map(|(axis, _)| (*axis).clone());
        let (x, y) = (chosen.next(), chosen.next());
        let is_rest = |axis: &Axis| Some(axis) != x.as_ref() && Some(axis) != y.as_ref();
        layout.rest = varied.keys().filter(|axis| is_rest(axis)).cloned().collect();
        (layout.x, layout.y) = (x, y);
        let places = all.iter().filter_map(|one| at(&layout.settings(one), layout.x.as_ref()));
        layout.places = places.collect();
        layout
    }

    /// All settings of a cell, those at their default included that its siblings name.
    fn settings(&self, one: &Repetition<'_>) -> BTreeMap<Axis, String> {
        let mut all = settings(one);
        let options = all.get(&Axis::Store).and_then(|store| self.options.get(store));
        for axis in options.into_iter().flatten() {
            all.entry(axis.clone()).or_insert_with(|| "default".to_owned());
        }
        all
    }

    fn drawing(&self) -> Drawing {
        match (&self.x, &self.y) {
            (Some(_), Some(_)) => Drawing::Heat,
            (Some(_), None) => Drawing::Lines,
            _ => Drawing::Bars,
        }
    }

    /// Whether values grow so fast that only a logarithmic axis keeps their labels apart.
    fn doubles(&self) -> bool {
        let places: Vec<f64> = self.places.iter().map(|place| place.at).collect();
        places.len() > 2 && places.windows(2).all(|pair| pair[0] > 0.0 && pair[1] >= 2.0 * pair[0])
    }

    /// Where a cell stands. A cell without a place on the horizontal axis, because its store has no
    /// such setting, is drawn as a level; a heat map leaves it out.
    fn spots(&self, one: &Repetition<'_>) -> Vec<Spot> {
        let settings = self.settings(one);
        let words = |without: &[Axis]| {
            let rest = self.rest.iter().filter(|axis| !without.contains(axis));
            let words = rest.filter_map(|axis| Some(axis.words(settings.get(axis)?)));
            words.collect::<Vec<_>>().join(", ")
        };
        let store = Label::named(settings.get(&Axis::Store).map_or("", String::as_str));
        let of = |series, x, panel| Spot {
            panel: Label::named(panel),
            ..spot(THROUGHPUT, "throughput", series, x)
        };
        let throughput = match self.drawing() {
            Drawing::Heat => {
                let (x, y) = (at(&settings, self.x.as_ref()), at(&settings, self.y.as_ref()));
                let (Some(x), Some(y)) = (x, y) else { return Vec::new() };
                vec![of(y, x, words(&[]))]
            }
            Drawing::Lines => {
                let own = at(&settings, self.x.as_ref());
                let role = if own.is_some() { Role::Main } else { Role::Level };
                let places = own.map_or_else(|| self.places.clone(), |own| BTreeSet::from([own]));
                let spot = |x| Spot { role, ..of(store.clone(), x, words(&[Axis::Store])) };
                places.into_iter().map(spot).collect()
            }
            Drawing::Bars => {
                let group = words(&[Axis::Store]);
                let group = if group.is_empty() { "all cells".to_owned() } else { group };
                vec![of(store, Label::named(group), String::new())]
            }
        };
        let has_tail = self.drawing() == Drawing::Lines;
        let all = throughput.into_iter().flat_map(|spot| {
            let of = |measure, metric: &'static str| Spot {
                measure,
                metric: metric.into(),
                ..spot.clone()
            };
            let further = [of(MEMORY, "overhead"), of(TAIL, "p99-ns")];
            let further = further.into_iter().take(if has_tail { 2 } else { 1 });
            [spot.clone()].into_iter().chain(further).collect::<Vec<_>>()
        });
        all.collect()
    }

    /// Which setting is which, and what is left out.
    fn sentence(&self) -> String {
        let rest: Vec<String> = self.rest.iter().map(Axis::title).collect();
        let panels = |rest: &[String]| match rest {
            [] => String::new(),
            rest => format!("; panels: {}", rest.join(", ")),
        };
        let others: Vec<String> =
            self.rest.iter().filter(|axis| **axis != Axis::Store).map(Axis::title).collect();
        let (x, y) = (title(self.x.as_ref()), title(self.y.as_ref()));
        match self.drawing() {
            Drawing::Heat => format!(
                "Fields: {x} to the right, {y} upwards{}. Cells without both settings are left out.",
                panels(&rest)
            ),
            Drawing::Lines => format!("Lines: over {x}, one for each store{}.", panels(&others)),
            Drawing::Bars if others.is_empty() => "Bars: one for each store.".to_owned(),
            Drawing::Bars => {
                format!("Bars: one for each store, in groups by {}.", others.join(", "))
            }
        }
    }

    /// A point in words.
    fn name(&self, point: &Point) -> String {
        let words = |axis: &Option<Axis>, text: &str| {
            axis.as_ref().map_or_else(|| text.to_owned(), |axis| axis.words(text))
        };
        let (series, x) = (&point.spot.series.text, &point.spot.x.text);
        format!("{}, {}", words(&self.y, series), words(&self.x, x))
    }
}
