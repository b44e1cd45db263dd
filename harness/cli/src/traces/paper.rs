//! What the Nibble paper says of its Postmark trace, beside a trace of ours.

use workloads::trace::statistics::TraceStatistics;

use record::{TraceAccount, facts};

/// Why the traces differ even where Postmark does the same.
pub(super) const MAPPING: &str = "our mapping does one GET per lookup and per open and none for \
                                  directories, whose entries the kernel caches";

/// Deviations up to here are none worth a word.
const SAME: f64 = 0.05;
/// Deviations up to here are small.
const NEAR: f64 = 0.25;

/// Live bytes of the paper's trace, and its files.
const PAPER_LIVE_BYTES: f64 = 5.7 * (1_u64 << 30) as f64;
const PAPER_FILES: f64 = 2e6;
const PAPER_OPERATIONS: f64 = 183e6;
const PAPER_OBJECTS: f64 = 18e6;

/// A table of five columns with a heading: what, the paper's value, ours, the deviation in words
/// and in percent. `None` of traces that are not Postmark's.
pub(super) fn beside(account: &TraceAccount) -> Option<Vec<Vec<String>>> {
    let statistics = account.requests().filter(|_| account.is_postmark())?;
    let heading = ["", "paper", "here", "deviation", ""].map(str::to_owned).to_vec();
    let mut lines = vec![heading];
    let known = facts(account);
    let fact = |name| known.iter().find(|(fact, _)| *fact == name).map(|(_, value)| *value);
    for (what, paper, here) in [
        ("inserts in the steady phase", 10.0, fact("inserts-percent")),
        ("deletes in the steady phase", 10.0, fact("deletes-percent")),
        ("overwrites in the steady phase", 20.0, fact("overwrites-percent")),
        ("deletes in the last phase", 50.0, fact("deletes-at-end-percent")),
    ] {
        lines.push(line(what, paper, here, |percent| format!("{percent:.1} %")));
    }
    let touched = (statistics.objects > 0).then_some(statistics.accesses.by_operations.p80 as f64);
    let times = |number: f64| format!("{number:.0} times");
    lines.push(line("80 % of operations on objects touched up to", 18.0, touched, times));
    let per_object = PAPER_OPERATIONS / PAPER_OBJECTS;
    let plain = |number: f64| format!("{number:.1}");
    lines.push(line("operations per object", per_object, fact("operations-per-object"), plain));
    let ratio = |number: f64| format!("{number:.2}");
    lines.push(line(
        "objects ÷ (files + transactions ÷ 2)",
        1.0,
        objects(account, statistics),
        ratio,
    ));
    let (what, bytes) = bytes_per_file(account, statistics);
    let kib = |bytes: f64| format!("{:.1} KiB", bytes / 1024.0);
    lines.push(line(what, PAPER_LIVE_BYTES / PAPER_FILES, bytes, kib));
    Some(lines)
}

fn line(what: &str, paper: f64, here: Option<f64>, show: impl Fn(f64) -> String) -> Vec<String> {
    let (here, words, percent) = match here {
        None => ("–".to_owned(), "not known".to_owned(), String::new()),
        Some(here) => {
            let deviation = here / paper - 1.0;
            (show(here), words(deviation).to_owned(), percent(deviation))
        }
    };
    vec![what.to_owned(), show(paper), here, words, percent]
}

/// A deviation of nothing has no sign.
fn percent(deviation: f64) -> String {
    match (100.0 * deviation).round() as i64 {
        0 => "0 %".to_owned(),
        percent => format!("{percent:+} %"),
    }
}

fn words(deviation: f64) -> &'static str {
    match deviation {
        _ if deviation.abs() <= SAME => "the same",
        _ if deviation.abs() <= NEAR => "near",
        _ if deviation > 0.0 => "more",
        _ => "less",
    }
}

/// Postmark creates or deletes a file in every transaction, as often the one as the other.
fn objects(account: &TraceAccount, statistics: &TraceStatistics) -> Option<f64> {
    let of = |name| account.parameters.get(name).map(|&number| number as f64);
    let expected = of("files")? + of("transactions")? / 2.0;
    (expected > 0.0).then(|| statistics.objects as f64 / expected)
}

/// Live bytes in the mean of the steady phase for each file; where the number of files is not
/// known, for each object that was live when the first was deleted.
fn bytes_per_file(
    account: &TraceAccount,
    statistics: &TraceStatistics,
) -> (&'static str, Option<f64>) {
    let phases = statistics.phases.as_ref();
    let (what, files) = match account.parameters.get("files") {
        Some(&files) => ("live bytes per file", Some(files)),
        None => (
            "live bytes per object created first",
            phases.map(|phases| phases.creation.live_objects_end),
        ),
    };
    let files = files.filter(|&files| files > 0);
    let bytes = phases
        .zip(files)
        .map(|(phases, files)| phases.steady.live_bytes_mean as f64 / files as f64);
    (what, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::made_up as fixture;

    #[test]
    fn deviations_have_words() {
        let found = [0.0, -0.04, 0.2, -0.2, 0.5, -0.5].map(words);
        assert_eq!(found, ["the same", "the same", "near", "near", "more", "less"]);
        assert_eq!([0.004, -0.004, 0.05, -0.5].map(percent), ["0 %", "0 %", "+5 %", "-50 %"]);
    }

    #[test]
    fn a_postmark_trace_is_compared_and_others_are_not() {
        let accounts = fixture::accounts();
        let table = beside(&accounts[0]).unwrap();
        assert_eq!(table.len(), 9);
        let row = |what: &str| table.iter().find(|line| line[0].starts_with(what)).unwrap();
        // Postmark as the fixture plays it: two of ten operations come or go.
        assert_eq!(row("inserts")[1], "10.0 %");
        let inserts: f64 = row("inserts")[2].trim_end_matches(" %").parse().unwrap();
        assert!((8.0..12.0).contains(&inserts), "{inserts}");
        assert_eq!(row("operations per object")[1], "10.2");
        assert_eq!(row("live bytes per file")[1], "3.0 KiB");
        assert_eq!(row("objects")[3], "the same");
        assert!(accounts[1..].iter().all(|account| beside(account).is_none()));
        // Without what it was recorded with.
        let mut unknown = accounts[0].clone();
        unknown.parameters.clear();
        let table = beside(&unknown).unwrap();
        assert_eq!(table[7][2..4], ["–", "not known"]);
        assert!(table[8][0].starts_with("live bytes per object"), "{table:?}");
    }
}
