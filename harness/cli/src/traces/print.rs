//! A trace's account as text for the terminal.

use workloads::bytes::UNITS;
use workloads::trace::statistics::{
    AccessQuantiles, AllocationStatistics, Distribution, Effect, Effects, Live, TraceStatistics,
};

use super::paper::{MAPPING, beside};
use record::{TraceAccount, TraceContents};
use report::figures::table::prefixed;
use report::page::aligned;

/// Everything an account says, as lines of a terminal; of Postmark beside the paper's values.
#[must_use]
pub fn print(account: &TraceAccount) -> String {
    let TraceAccount { name, source, digest, .. } = account;
    let kind = match account.contents {
        TraceContents::Requests(_) => "key-value trace",
        TraceContents::Allocations(_) => "allocation trace",
    };
    let mut text = format!("{name}: {kind}\n  source: {source}\n  digest: {digest}\n");
    if !account.parameters.is_empty() {
        let told = account.parameters.iter().map(|(name, value)| format!("{name} {value}"));
        text += &format!("  recorded with: {}\n", told.collect::<Vec<_>>().join(", "));
    }
    text.push('\n');
    text += &match &account.contents {
        TraceContents::Requests(statistics) => requests(statistics),
        TraceContents::Allocations(statistics) => allocations(statistics),
    };
    if let Some(lines) = beside(account) {
        text += &format!(
            "\nbeside the Nibble paper's Postmark trace (Table 4, Fig. 10)\n{}",
            aligned(&lines)
        );
        text += &format!("  to be expected: {MAPPING}\n");
    }
    text
}

fn requests(whole: &TraceStatistics) -> String {
    let mut text = aligned(&[
        line("operations", &[count(whole.operations), duration(whole.duration_ns)]),
        line(
            "objects",
            &[
                count(whole.objects),
                format!("{} were stored", count(whole.objects_stored)),
                whole
                    .operations_per_object()
                    .map_or_else(String::new, |number| format!("{number:.1} operations each")),
            ],
        ),
        line("bytes written", &[bytes(whole.bytes_written)]),
    ]);
    text += &live(&whole.live, "operation");
    text += &distributions(&[
        ("value bytes of PUTs", &whole.put_bytes, bytes),
        ("value bytes of GETs, where told", &whole.get_bytes, bytes),
    ]);
    text += "\noperations by effect, %\n";
    text += &aligned(&effects(whole));
    text += "\naccesses of an object\n";
    let quantiles = |name: &str, of: &AccessQuantiles| {
        line(name, &[of.p50, of.p80, of.p90, of.p99].map(|number| number.to_string()))
    };
    text += &aligned(&[
        line("at most so many:", &["50 %", "80 %", "90 %", "99 %"].map(str::to_owned)),
        quantiles("of all objects", &whole.accesses.by_objects),
        quantiles("of all operations", &whole.accesses.by_operations),
    ]);
    text += &format!("  the most: {}\n", whole.accesses.max);
    text + &reuse(whole)
}

fn allocations(whole: &AllocationStatistics) -> String {
    let events = &whole.events;
    let mut lines = vec![
        line(
            "events",
            &[
                count(events.total()),
                match whole.threads {
                    1 => "of 1 thread".to_owned(),
                    threads => format!("of {threads} threads"),
                },
            ],
        ),
        line(
            "allocations",
            &[count(events.allocations), format!("{} aligned", count(whole.aligned))],
        ),
        line("reallocations", &[count(events.reallocations)]),
        line(
            "frees",
            &[
                count(events.frees),
                whole.freed_across_share().map_or_else(String::new, |share| {
                    format!("{:.1} % by another thread", share * 100.0)
                }),
            ],
        ),
        line("bytes asked for", &[bytes(whole.bytes_asked)]),
    ];
    if events.unknown > 0 {
        let what = "of objects that are not live, or are already: left out".to_owned();
        lines.push(line("contradictions", &[count(events.unknown), what]));
    }
    aligned(&lines)
        + &live(&whole.live, "event")
        + &distributions(&[
            ("bytes asked for", &whole.sizes, bytes),
            ("lifetime, events", &whole.lifetimes, count),
        ])
}

fn line(what: &str, values: &[String]) -> Vec<String> {
    std::iter::once(what.to_owned()).chain(values.iter().cloned()).collect()
}

fn live(live: &Live, unit: &str) -> String {
    let at = |at: u64| format!("after {unit} {at}");
    "\nlive\n".to_owned()
        + &aligned(&[
            line("", &["most", "", "mean", "at the end"].map(str::to_owned)),
            line(
                "bytes",
                &[
                    bytes(live.bytes_max),
                    at(live.bytes_max_at),
                    bytes(live.bytes_mean),
                    bytes(live.bytes_end),
                ],
            ),
            line(
                "objects",
                &[
                    count(live.objects_max),
                    at(live.objects_max_at),
                    String::new(),
                    count(live.objects_end),
                ],
            ),
        ])
}

/// A distribution with its name, and how its values are written.
type Shown<'a> = (&'a str, &'a Distribution, fn(u64) -> String);

/// A line for each distribution that has values.
fn distributions(all: &[Shown<'_>]) -> String {
    let mut lines =
        vec![line("", &["lowest", "50 %", "mean", "99 %", "highest"].map(str::to_owned))];
    for (name, one, show) in all {
        let Some(mean) = one.mean() else { continue };
        let numbers = [one.min, one.p50, mean.round() as u64, one.p99, one.max];
        lines.push(line(name, &numbers.map(show)));
    }
    if lines.len() == 1 { String::new() } else { format!("\nsizes\n{}", aligned(&lines)) }
}

/// Shares in percent: of the whole trace and of its phases.
fn effects(whole: &TraceStatistics) -> Vec<Vec<String>> {
    let mut columns: Vec<(&str, &Effects)> = vec![("all", &whole.effects)];
    if let Some(phases) = &whole.phases {
        columns.push(("creation", &phases.creation.effects));
        columns.push(("steady", &phases.steady.effects));
        columns.push(("deletion", &phases.deletion.effects));
    }
    let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut lines = vec![line("", &names)];
    for effect in Effect::ALL {
        let shares = columns.iter().map(|(_, effects)| {
            effects
                .share(effect)
                .map_or_else(|| "–".to_owned(), |share| format!("{:.1}", 100.0 * share))
        });
        lines.push(line(effect.name(), &shares.collect::<Vec<_>>()));
    }
    let totals = columns.iter().map(|(_, effects)| count(effects.total()));
    lines.push(line("operations", &totals.collect::<Vec<_>>()));
    lines
}

/// Hit ratios of caches that hold a share of the objects.
fn reuse(whole: &TraceStatistics) -> String {
    let reuse = &whole.reuse;
    let Some(cold) = reuse.cold_share() else { return String::new() };
    let basis = match reuse.sampled_one_in {
        1 => "exact".to_owned(),
        keys => format!("estimated from one key in {keys}, {} at the end", reuse.keys_sampled),
    };
    let mut names = vec!["cold".to_owned()];
    let mut values = vec![format!("{:.1} %", cold * 100.0)];
    for percent in [1, 5, 10, 25, 50, 100] {
        let objects = (whole.objects * percent).div_ceil(100);
        let hits = reuse.lru_hit_ratio(objects).unwrap_or_default();
        names.push(format!("{percent} %"));
        values.push(format!("{:.1} %", hits * 100.0));
    }
    format!(
        "\nreuse ({basis}): operations first on their key, and found by an LRU cache of so many \
         of the objects\n{}",
        aligned(&[line("", &names), line("operations", &values)])
    )
}

/// Whole numbers below a thousand, three digits and a decimal prefix above.
fn count(number: u64) -> String {
    if number < 1000 { number.to_string() } else { prefixed(number as f64) }
}

/// Three digits and a binary prefix: `3.05 KiB`.
fn bytes(bytes: u64) -> String {
    let is_reached = |(size, _): &&(u64, &str)| *size > 1 && bytes >= *size;
    let Some((size, unit)) = UNITS.iter().find(is_reached) else {
        return format!("{bytes} B");
    };
    let scaled = bytes as f64 / *size as f64;
    let digits = match scaled {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {unit}")
}

fn duration(ns: u64) -> String {
    if ns == 0 { "without times".to_owned() } else { format!("in {:.1} s", ns as f64 / 1e9) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::made_up as fixture;

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!([0, 999, 1000, 18_000_000].map(count), ["0", "999", "1.00 k", "18.0 M"]);
        let sizes = [0, 1023, 1024, 3060, 20 << 20, 500 << 20, 5 << 30, 1 << 40];
        assert_eq!(
            sizes.map(bytes),
            [
                "0 B", "1023 B", "1.00 KiB", "2.99 KiB", "20.0 MiB", "500 MiB", "5.00 GiB",
                "1.00 TiB"
            ]
        );
    }

    #[test]
    fn every_kind_of_trace_is_told() {
        let accounts = fixture::accounts();
        let told: Vec<String> = accounts.iter().map(print).collect();
        assert!(
            told[0].starts_with("postmark-made-up: key-value trace\n  source: "),
            "{}",
            told[0]
        );
        for part in ["recorded with: files ", "steady", "overwrite", "18 times", MAPPING, "exact"] {
            assert!(told[0].contains(part), "{part}: {}", told[0]);
        }
        let allocations = accounts.iter().position(|one| one.requests().is_none()).unwrap();
        for part in ["by another thread", "lifetime, events", "bytes asked for"] {
            assert!(told[allocations].contains(part), "{part}: {}", told[allocations]);
        }
        for (account, text) in accounts.iter().zip(&told) {
            assert!(
                !text.contains("NaN") && text.lines().all(|line| line.chars().count() < 130),
                "{text}"
            );
            assert_eq!(text.contains(MAPPING), account.is_postmark());
        }
    }
}
