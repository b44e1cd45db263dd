//! Parses PostMark's output.

use workloads::postmark::FileCounts;

/// PostMark's version and statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// `v1.51`.
    pub version: String,
    pub counts: FileCounts,
    /// Its statistics as printed, from `Time:` on.
    pub text: String,
}

impl Report {
    /// Finds the report of the last run in the output, if there is one.
    pub(super) fn parse(printed: &str) -> Option<Self> {
        let version = printed.split_once("PostMark ")?.1.split_whitespace().next()?.to_owned();
        let text = &printed[printed.rfind("Time:")?..];
        let counts = FileCounts {
            created: count(text, "created")?,
            read: count(text, "read")?,
            appended: count(text, "appended")?,
            deleted: count(text, "deleted")?,
        };
        let text = text.trim_end().trim_end_matches("pm>").trim_end().to_owned();
        Some(Self { version, counts, text })
    }
}

/// The number of a line such as `162 created (162 per second)`.
fn count(text: &str, what: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        (words.next()? == what).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "PostMark v1.51 : 8/14/01\npm>pm>Creating files...Done\nTime:\n\
        \t1 seconds total\n\nFiles:\n\t162 created (162 per second)\n\
        \t\tCreation alone: 50 files (50 per second)\n\t99 read (99 per second)\n\
        \t100 appended (100 per second)\n\t161 deleted (162 per second)\n\nData:\n\
        \t247.92 kilobytes read (247.92 kilobytes per second)\npm>";

    #[test]
    fn counts_and_the_version_are_read() {
        let report = Report::parse(PRINTED).unwrap();
        assert_eq!(report.version, "v1.51");
        let counts = FileCounts { created: 162, read: 99, appended: 100, deleted: 161 };
        assert_eq!(report.counts, counts);
        assert!(report.text.starts_with("Time:\n") && report.text.ends_with("per second)"));
    }

    #[test]
    fn what_is_no_report_is_none() {
        for printed in ["", "PostMark v1.51 : 8/14/01\npm>", "Time:\n\t1 created (1 per second)\n"]
        {
            assert_eq!(Report::parse(printed), None, "{printed:?}");
        }
    }
}
