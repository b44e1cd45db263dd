//! What came of the run in three plain sentences. Every number in them is computed from this run's figures
//! and claims: where these are missing, so is the sentence, and the answer of another figure takes its
//! place.

use super::answer::{capital, interval};
use super::charts::{Chart, Point, Series};
use super::claims::Claims;
use super::figure::FigureSection;
use crate::figures::table::prefixed;

/// How many findings stand on the first screen.
const FINDINGS: usize = 3;

/// The figure of the first screen, where the run has it.
pub(super) const HEADLINE: &str = "price-of-memory";
const STORES: &str = "store-bloat";
const ALLOCATORS: &str = "allocator-bloat";

/// A finding, and the part of the page that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// What it is about, in two or three words.
    pub(super) about: String,
    pub(super) text: String,
    pub(super) anchor: String,
}

/// The findings, the most important first.
pub(super) fn findings(figures: &[&FigureSection<'_>], claims: &Claims<'_>) -> Vec<Finding> {
    let charts = |name: &str| {
        let found = figures.iter().find(|figure| figure.name() == name);
        found.map_or(&[][..], |figure| figure.charts.as_slice())
    };
    let of = |about: &str, anchor: &str, text: String| Finding {
        about: about.to_owned(),
        text,
        anchor: anchor.to_owned(),
    };
    let mut all: Vec<Finding> = Vec::new();
    all.extend(price(charts(HEADLINE)).map(|text| of("Throughput for memory", HEADLINE, text)));
    let memory = needs(charts(STORES), charts(ALLOCATORS));
    all.extend(memory.map(|text| of("Memory when sizes change", STORES, text)));
    let stand = claims.stand();
    let others = FINDINGS.saturating_sub(all.len() + usize::from(stand.is_some()));
    let answers = figures.iter().filter(|figure| {
        !figure.answer.is_empty() && !all.iter().any(|known| known.anchor == figure.name())
    });
    let answers: Vec<Finding> = answers
        .take(others)
        .map(|figure| of(&figure.drawn.figure.title, figure.name(), figure.answer.clone()))
        .collect();
    all.extend(answers);
    all.extend(stand.map(|text| of("Published claims", "claims", text)));
    all
}

/// A point that is not beaten at one end of the frontier.
#[derive(Clone, Copy, Debug)]
struct End<'a> {
    series: &'a Series,
    point: &'a Point,
    value: f64,
}

/// For each workload, who gives most throughput and who holds least memory.
pub(super) fn price(charts: &[Chart]) -> Option<String> {
    let told: Vec<String> = charts.iter().filter_map(ends).collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

fn ends(chart: &Chart) -> Option<String> {
    let mut all = Vec::new();
    for series in chart.series.iter().filter(|series| series.competes()) {
        // Who refused holds less than was asked for.
        let held = series.points.iter().filter(|point| point.mark != "full");
        let held = held.filter_map(|point| Some(End { series, point, value: point.value? }));
        all.extend(held);
    }
    let fastest = all.iter().max_by(|one, other| one.value.total_cmp(&other.value))?;
    let smallest = all.iter().min_by(|one, other| {
        one.point.x.total_cmp(&other.point.x).then(other.value.total_cmp(&one.value))
    })?;
    let unit = chart.measure.split_once(", ").map_or("", |(_, unit)| unit);
    let told = |end: &End<'_>| {
        let interval = interval(end.point, chart.ends);
        format!("{} {unit} ({interval}) at {:.2}× the live bytes", prefixed(end.value), end.point.x)
    };
    let of = if chart.panel.is_empty() { String::new() } else { capital(&chart.panel) + ": " };
    let name = |end: &End<'_>| match end.point.at.as_str() {
        "" => end.series.name.clone(),
        at => format!("{} ({at})", end.series.name),
    };
    let (first, last) = (name(fastest), name(smallest));
    Some(if std::ptr::eq(fastest.point, smallest.point) {
        format!("{of}{first} is both fastest and smallest, {}.", told(fastest))
    } else {
        let (fastest, smallest) = (told(fastest), told(smallest));
        format!("{of}{first} is fastest, {fastest}; {last} is smallest, {smallest}.")
    })
}

/// Which store needs least memory where it needs most, and what allocators need.
fn needs(stores: &[Chart], allocators: &[Chart]) -> Option<String> {
    let store = worst_cases(stores.first()?);
    let (best, at) = store.first()?;
    let ends = stores.first()?.ends;
    let mut text = format!(
        "When the sizes of objects change, {} needs least of all stores: at most {} the live bytes \
         on any pattern ({}, {}).",
        best.name,
        times(at),
        at.at,
        interval(at, ends)
    );
    let heaps = worst_of_first(allocators);
    if let [(least, low), .., (most, high)] = heaps.as_slice() {
        text += &format!(
            " At their worst, allocators need {} ({}) to {} ({}).",
            times(low),
            least.name,
            times(high),
            most.name
        );
    }
    Some(text)
}

fn times(point: &Point) -> String {
    format!("{:.2}×", point.value.unwrap_or(f64::NAN))
}

/// The worst cases of the first panel, in all of the parts that it was dealt to: allocators as they come.
fn worst_of_first(charts: &[Chart]) -> Vec<(&Series, &Point)> {
    // Parts are called `default (1 of 2)`.
    let whole = |chart: &Chart| chart.panel.split(" (").next().map(str::to_owned);
    let first = charts.first().and_then(whole);
    let parts = charts.iter().filter(|chart| whole(chart) == first);
    let mut all: Vec<_> = parts.flat_map(worst_cases).collect();
    all.sort_by(|one, other| one.1.value.unwrap_or(0.0).total_cmp(&other.1.value.unwrap_or(0.0)));
    all
}

/// The highest point of each series that has a number at every place, the lowest of them first.
fn worst_cases(chart: &Chart) -> Vec<(&Series, &Point)> {
    let mut all: Vec<(&Series, &Point)> = Vec::new();
    for series in chart.series.iter().filter(|series| series.competes()) {
        let numbered = || series.points.iter().filter(|point| point.value.is_some());
        let worst = numbered()
            .max_by(|one, other| one.value.unwrap_or(0.0).total_cmp(&other.value.unwrap_or(0.0)));
        if numbered().count() == chart.places.len() {
            all.extend(worst.map(|point| (series, point)));
        }
    }
    all.sort_by(|one, other| one.1.value.unwrap_or(0.0).total_cmp(&other.1.value.unwrap_or(0.0)));
    all
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::chart;
    use super::super::charts::Axis;
    use super::*;

    #[test]
    fn both_ends_of_the_frontier_are_named_and_refusals_are_not() {
        let mut panel = chart(
            "throughput, Mops/s",
            &[
                ("slow", &[(1.1, 1.0), (1.5, 2.0)]),
                ("fast", &[(1.8, 4.0), (2.2, 5.0)]),
                ("refuses", &[(1.01, 9.0)]),
            ],
        );
        panel.panel = "95 % GET".to_owned();
        panel.series[2].points[0].mark = "full".to_owned();
        let text = price(&[panel]).unwrap();
        assert_eq!(
            text,
            "95 % GET: fast (2.2 %) is fastest, 5.00 Mops/s (95 % interval 4.50 to 5.50, n = 3) at 2.20× \
             the live bytes; slow (1.1 %) is smallest, 1.00 Mops/s (95 % interval 0.90 to 1.10, n = 3) at \
             1.10× the live bytes."
        );
        assert!(price(&[]).is_none());
    }

    #[test]
    fn the_worst_pattern_decides_and_partial_series_do_not() {
        let stores = Chart {
            axis: Axis::Places,
            places: vec![(0.0, "P1".to_owned()), (1.0, "P2".to_owned())],
            ..chart(
                "overhead",
                &[
                    ("one", &[(0.0, 1.2), (1.0, 3.0)]),
                    ("two", &[(0.0, 1.4), (1.0, 1.5)]),
                    ("two log-only", &[(0.0, 1.1), (1.0, 1.1)]),
                    ("three", &[(0.0, 1.0)]),
                ],
            )
        };
        let text = needs(std::slice::from_ref(&stores), std::slice::from_ref(&stores)).unwrap();
        assert!(text.contains(", two needs least of all stores: at most 1.50× the"), "{text}");
        assert!(text.ends_with("allocators need 1.50× (two) to 3.00× (one)."), "{text}");
        assert!(needs(&[], &[]).is_none());
    }

    #[test]
    fn all_parts_of_the_first_panel_count_and_other_panels_do_not() {
        let part = |panel: &str, series: &str, worst: f64| Chart {
            axis: Axis::Places,
            places: vec![(0.0, "P1".to_owned())],
            panel: panel.to_owned(),
            ..chart("overhead", &[(series, &[(0.0, worst)])])
        };
        let charts = [
            part("default (1 of 2)", "one", 2.0),
            part("default (2 of 2)", "two", 3.0),
            part("small", "three", 1.0),
        ];
        let worst: Vec<&str> =
            worst_of_first(&charts).iter().map(|(series, _)| series.name.as_str()).collect();
        assert_eq!(worst, ["one", "two"]);
    }
}
