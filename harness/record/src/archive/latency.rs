//! A cell's latency files: histograms as a standard interval log (`histograms/CELL.hlog`), which other
//! tools read and merge, and throughput and latency over time (`timelines/CELL.csv`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use base64::Engine;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

use crate::Second;

/// An interval log with one line per kind of operation, over the `elapsed_ns` of the step `run`.
///
/// # Errors
/// An invalid histogram from a worker.
pub(super) fn log_text(
    histograms: &BTreeMap<String, String>,
    elapsed_ns: u64,
) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let failed = |error: &dyn std::fmt::Debug| format!("writing histograms: {error:?}");
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("latency in ns; one line for each kind of operation")
        .begin_log_with(&mut text, &mut serializer)
        .map_err(|error| failed(&error))?;
    for (kind, encoded) in histograms {
        let histogram = decode(encoded)?;
        let tag = Tag::new(kind).ok_or_else(|| format!("`{kind}` cannot be a tag"))?;
        let elapsed = Duration::from_nanos(elapsed_ns);
        log.write_histogram(&histogram, Duration::ZERO, elapsed, Some(tag))
            .map_err(|error| failed(&error))?;
    }
    Ok(text)
}

fn decode(encoded: &str) -> Result<Histogram<u64>, String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .map_err(|error| format!("a histogram is not base 64: {error}"))?;
    let mut histogram = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| format!("a histogram cannot be read: {error:?}"))?;
    // Logs of other programs may use other bounds.
    histogram.auto(true);
    Ok(histogram)
}

/// The histograms of an interval log by kind of operation; those of one kind are merged.
///
/// # Errors
/// Invalid text.
pub fn read_log(text: &str) -> Result<BTreeMap<String, Histogram<u64>>, String> {
    let mut all: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let entry = entry.map_err(|error| format!("no interval log: {error:?}"))?;
        let LogEntry::Interval(interval) = entry else { continue };
        let kind = interval.tag().map_or_else(String::new, |tag| tag.as_str().to_owned());
        let histogram = decode(interval.encoded_histogram())?;
        match all.get_mut(&kind) {
            Some(known) => known
                .add(&histogram)
                .map_err(|error| format!("histograms of `{kind}` cannot be added: {error}"))?,
            None => {
                all.insert(kind, histogram);
            }
        }
    }
    Ok(all)
}

/// One line per interval. A column more where a statistic was sampled, empty where it was not yet.
pub(super) fn timeline_text(seconds: &[Second]) -> String {
    let samples = seconds.iter().any(|second| second.sampled.is_some());
    let mut text =
        "from_s,interval_s,operations,ops_per_s,p50_ns,p99_ns,p99.9_ns,max_ns".to_owned();
    text += if samples { ",sampled\n" } else { "\n" };
    for second in seconds {
        let Second { from_s, interval_s, operations, p50_ns, p99_ns, p999_ns, max_ns, sampled } =
            second;
        let rate = *operations as f64 / interval_s;
        write!(
            text,
            "{from_s},{interval_s},{operations},{rate:.0},{p50_ns},{p99_ns},{p999_ns},{max_ns}"
        )
        .expect("a text grows");
        if samples {
            text += &sampled.map_or_else(|| ",".to_owned(), |value| format!(",{value}"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Serializer;

    fn encoded(values: &[u64]) -> String {
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        for value in values {
            histogram.record(*value).unwrap();
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    #[test]
    fn what_is_written_is_read_and_logs_merge() {
        let get = BTreeMap::from([("get".to_owned(), encoded(&[100, 200]))]);
        let both = BTreeMap::from([
            ("get".to_owned(), encoded(&[5000])),
            ("update".to_owned(), encoded(&[7])),
        ]);
        let text =
            |histograms| String::from_utf8(log_text(histograms, 1_500_000_000).unwrap()).unwrap();
        let merged = read_log(&(text(&get) + &text(&both))).unwrap();
        assert_eq!((merged["get"].len(), merged["update"].len()), (3, 1));
        assert!(merged["get"].max() >= 5000);
        assert!(log_text(&BTreeMap::from([("get".to_owned(), "?".to_owned())]), 1).is_err());
    }

    #[test]
    fn a_timeline_has_a_line_for_each_interval() {
        let second = Second {
            from_s: 2.0,
            interval_s: 2.0,
            operations: 100,
            p50_ns: 1,
            p99_ns: 2,
            p999_ns: 3,
            max_ns: 4,
            sampled: None,
        };
        let text = timeline_text(&[second]);
        assert!(text.ends_with(",max_ns\n2,2,100,50,1,2,3,4\n"), "{text}");
        let tenth = Second { from_s: 0.3, interval_s: 0.1, sampled: Some(1.0), ..second };
        let text = timeline_text(&[second, tenth]);
        assert!(text.contains(",max_ns,sampled\n2,2,100,50,1,2,3,4,\n"), "{text}");
        assert!(text.ends_with("\n0.3,0.1,100,1000,1,2,3,4,1\n"), "{text}");
    }
}
