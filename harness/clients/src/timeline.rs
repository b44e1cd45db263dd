//! A run over time as a table: a line for each interval.

use std::fmt::Write;

use crate::interval::Interval;

/// Answers, errors and latency of each interval; then the answers of each shard.
pub(crate) fn table(intervals: &[Interval], interval_ms: u64) -> String {
    let shards = intervals.first().map_or(0, |interval| interval.shards.len());
    let mut text = "from-s\tanswered-per-s\terrors-per-s\tp50-ms\tp99-ms\tp999-ms".to_owned();
    for shard in 1..=shards {
        write!(text, "\tshard-{shard}-per-s").expect("a text grows");
    }
    text.push('\n');
    let seconds = interval_ms as f64 / 1e3;
    let rate = |count: u64| count as f64 / seconds;
    for interval in intervals {
        let Interval { index, latency, shards, .. } = interval;
        let answered = rate(interval.answered());
        let from_s = *index as f64 * seconds;
        write!(text, "{from_s:.3}\t{answered:.1}\t{:.1}", rate(interval.errors()))
            .expect("a text grows");
        for share in [0.5, 0.99, 0.999] {
            // Where nothing was answered there is no latency.
            match latency.count() {
                0 => text.push_str("\tnan"),
                _ => write!(text, "\t{:.3}", latency.quantile_ns(share) as f64 / 1e6)
                    .expect("a text grows"),
            }
        }
        for shard in shards {
            write!(text, "\t{:.1}", rate(shard.answered)).expect("a text grows");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_line() {
        let mut one = Interval::new(0, 2);
        one.add_answer(1, (0, 2_000_000), true);
        one.add_error(0, "timeout");
        let text = table(&[one, Interval::new(1, 2)], 500);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!((lines.len(), lines[0].len(), lines[0][7]), (3, 8, "shard-2-per-s"));
        assert_eq!(lines[1][..4], ["0.000", "2.0", "2.0", "2.007"]);
        assert_eq!(lines[1][6..], ["0.0", "2.0"]);
        assert_eq!(lines[2][..4], ["0.500", "0.0", "0.0", "nan"]);
    }
}
