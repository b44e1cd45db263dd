//! The answer of a figure in a sentence for each measure, made from its charts.

use super::charts::{Axis, Chart, Point, Series};
use super::distinct;
use crate::figures::table::prefixed;

/// Words of measures of which less is better, and of which more is. More is asked first: `÷ best` is a
/// throughput, whatever else its title says.
const MORE_IS_BETTER: [&str; 4] = ["throughput", "/s", "hits", "roofline"];
const LESS_IS_BETTER: [&str; 8] =
    ["overhead", "resident", "memory", "latency", "time", "live", " ns", "µs"];

/// At most so many measures are told.
const MEASURES_MAX: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    More,
    Less,
}

fn better(measure: &str) -> Option<Better> {
    let has = |words: &[&str]| words.iter().any(|word| measure.contains(word));
    match () {
        () if has(&MORE_IS_BETTER) => Some(Better::More),
        () if has(&LESS_IS_BETTER) => Some(Better::Less),
        () => None,
    }
}

/// The answer; empty where there is no number.
pub(super) fn answer(charts: &[Chart]) -> String {
    let measures = distinct(charts.iter().map(|chart| chart.measure.as_str()));
    let told = measures.iter().take(MEASURES_MAX).filter_map(|measure| {
        let charts: Vec<&Chart> = charts.iter().filter(|chart| chart.measure == *measure).collect();
        sentences(&charts, measure)
    });
    told.collect::<Vec<_>>().join("\n")
}

/// A number of a competitor, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Standing<'a> {
    chart: &'a Chart,
    series: &'a Series,
    point: &'a Point,
    value: f64,
}

impl<'a> Standing<'a> {
    /// The place at which it is compared with others.
    fn place(&self) -> (&'a str, u64) {
        (&self.chart.panel, self.point.x.to_bits())
    }
}

fn standings<'a>(charts: &[&'a Chart]) -> Vec<Standing<'a>> {
    let mut all = Vec::new();
    for chart in charts {
        for series in chart.series.iter().filter(|series| series.competes()) {
            let numbered = series.points.iter().filter_map(|point| Some((point, point.value?)));
            all.extend(numbered.map(|(point, value)| Standing { chart, series, point, value }));
        }
    }
    all
}

fn sentences(charts: &[&Chart], measure: &str) -> Option<String> {
    let all = standings(charts);
    let by_value = |one: &&Standing<'_>, other: &&Standing<'_>| one.value.total_cmp(&other.value);
    let (low, high) = (all.iter().min_by(by_value)?, all.iter().max_by(by_value)?);
    let (name, unit) = measure.split_once(", ").unwrap_or((measure, ""));
    let mut text = winner(&all, name).unwrap_or_default();
    let name = if text.is_empty() {
        capital(name)
    } else {
        text.push(' ');
        "It".to_owned()
    };
    text += &if low.value < high.value {
        format!("{name} ranges from {} to {}.", told(low, unit, true), told(high, unit, true))
    } else {
        format!("{name} is {}.", told(low, unit, false))
    };
    Some(text)
}

/// Who is best in most comparisons: places at which two or more have a number.
fn winner(all: &[Standing<'_>], name: &str) -> Option<String> {
    let better = better(name)?;
    let mut wins: Vec<(&str, usize)> = Vec::new();
    let (mut comparisons, mut clear) = (0, 0);
    for place in distinct(all.iter().map(Standing::place)) {
        let mut here: Vec<&Standing<'_>> = all.iter().filter(|one| one.place() == place).collect();
        here.sort_by(|one, other| match better {
            Better::More => other.value.total_cmp(&one.value),
            Better::Less => one.value.total_cmp(&other.value),
        });
        let [best, next, ..] = here.as_slice() else { continue };
        comparisons += 1;
        clear += usize::from(are_apart(best.point, next.point));
        match wins.iter_mut().find(|(known, _)| *known == best.series.name) {
            Some((_, count)) => *count += 1,
            None => wins.push((best.series.name.as_str(), 1)),
        }
    }
    let (best, count) = wins.iter().max_by_key(|(_, count)| *count)?;
    let highest = if better == Better::More { "highest" } else { "lowest" };
    let capital = capital(name);
    if comparisons == 1 {
        let note = if clear == 1 {
            "its interval is clear of the next"
        } else {
            "its interval overlaps the next"
        };
        return Some(format!("{capital} is {highest} with {best}; {note}."));
    }
    Some(format!(
        "{capital} is {highest} with {best} in {count} of {comparisons} comparisons; in {clear} of \
         them, the interval of the best is clear of the next."
    ))
}

/// Whether two intervals have no value in common; a single process has none.
fn are_apart(one: &Point, other: &Point) -> bool {
    let several = one.count > 1 && other.count > 1;
    several && (one.high < other.low || other.high < one.low)
}

/// A value with its interval, its unit, and where it stands.
fn told(one: &Standing<'_>, unit: &str, names_it: bool) -> String {
    let mut within = Vec::new();
    if names_it {
        within.push(one.series.name.clone());
        within.extend(
            [one.chart.panel.clone(), place(one)].into_iter().filter(|text| !text.is_empty()),
        );
    }
    within.push(interval(one.point, one.chart.ends));
    within.retain(|text| !text.is_empty());
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let within =
        if within.is_empty() { String::new() } else { format!(" ({})", within.join("; ")) };
    format!("{}{unit}{within}", prefixed(one.value))
}

fn place(one: &Standing<'_>) -> String {
    match (one.chart.axis, one.point.at.as_str()) {
        (Axis::Numbers, "") => format!("{} {}", one.chart.x, prefixed(one.point.x)),
        (Axis::Numbers, at) if at.parse::<f64>().is_ok() => format!("{} {at}", one.chart.x),
        (_, at) => at.to_owned(),
    }
}

/// The interval of a point in words: `95 % interval 5.10 to 5.50, n = 3`.
pub(super) fn interval(point: &Point, ends: &str) -> String {
    let (low, high) = (prefixed(point.low), prefixed(point.high));
    match point.count {
        0 => String::new(),
        1 => "one process".to_owned(),
        2 => format!("range {low} to {high}, n = 2"),
        count => format!("{ends} {low} to {high}, n = {count}"),
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A chart of `series`: name, and (x, value) of each point, known to a tenth.
    pub(in crate::page) fn chart(measure: &str, series: &[(&str, &[(f64, f64)])]) -> Chart {
        let point = |&(x, value): &(f64, f64)| Point {
            x,
            value: Some(value),
            low: value * 0.9,
            high: value * 1.1,
            count: 3,
            mark: String::new(),
            at: format!("{x} %"),
            cells: Vec::new(),
        };
        let series = series.iter().map(|(name, points)| Series {
            name: (*name).to_owned(),
            role: "main".to_owned(),
            points: points.iter().map(point).collect(),
        });
        Chart {
            panel: String::new(),
            measure: measure.to_owned(),
            axis: Axis::Numbers,
            x: "fill".to_owned(),
            log_x: false,
            log_y: false,
            base: None,
            ends: "95 % interval",
            places: Vec::new(),
            series: series.collect(),
        }
    }

    #[test]
    fn the_best_is_counted_over_places_and_extremes_carry_intervals() {
        let all = [chart(
            "throughput, Mops/s",
            &[
                ("a", &[(50.0, 3.0), (80.0, 2.0)]),
                ("b", &[(50.0, 1.0), (80.0, 2.1)]),
                ("c", &[(50.0, 2.0)]),
            ],
        )];
        let text = answer(&all);
        assert!(
            text.starts_with("Throughput is highest with")
                && text.contains("in 1 of 2 comparisons; in 1 of them,"),
            "{text}"
        );
        let range = "It ranges from 1.00 Mops/s (b; 50 %; 95 % interval 0.90 to 1.10, n = 3) to 3.00 \
                     Mops/s (a; 50 %; 95 % interval 2.70 to 3.30, n = 3).";
        assert!(text.ends_with(range), "{text}");
    }

    #[test]
    fn of_memory_the_least_is_best_and_of_shares_none() {
        let of = |measure: &str| {
            answer(&[chart(measure, &[("a", &[(1.0, 3.0)]), ("b", &[(1.0, 1.0)])])])
        };
        let memory = of("resident ÷ live value bytes");
        assert!(
            memory.starts_with("Resident ÷ live value bytes is lowest with b; its"),
            "{memory}"
        );
        assert!(of("share of accesses, %").starts_with("Share of accesses ranges from 1.00 % ("));
        assert_eq!(answer(&[]), "");
    }
}
