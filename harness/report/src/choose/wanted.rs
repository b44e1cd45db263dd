//! What a store is wanted for: the description that rows are compared with.

use record::dimensions::in_bytes;
use serde::{Serialize, Serializer};
use workloads::bytes::{format_bytes, parse_bytes};
use workloads::distribution::{ParseKeyDistributionError, ParseSizeDistributionError};
use workloads::{KeyDistribution, SizeDistribution};

use super::words::{amount, time};

/// The skew of `zipfian` and `latest` where none is named: that of YCSB.
const USUAL_THETA: &str = "0.99";
/// Largest value that a store is asked for.
const VALUE_BYTES_MAX: usize = (16 << 20) - 1;

/// A description of the requests, and of what may be needed to answer them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Wanted {
    #[serde(serialize_with = "as_text")]
    pub value_bytes: SizeDistribution,
    /// Share of GETs in percent; all other requests overwrite values.
    pub get_percent: f64,
    pub skew: KeyDistribution,
    pub threads: usize,
    /// Value bytes that are live; `None` where the description leaves them open.
    pub live_bytes: Option<u64>,
    /// Memory that the process may hold for them.
    pub memory_bytes: Option<u64>,
    /// Highest 99.9th percentile of latency.
    pub p999_ns: Option<u64>,
}

fn as_text<S: Serializer>(sizes: &SizeDistribution, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(sizes)
}

impl Default for Wanted {
    /// Where nothing is said: the requests of the headline figure.
    fn default() -> Self {
        Self {
            value_bytes: SizeDistribution::Constant(1 << 10),
            get_percent: 50.0,
            skew: KeyDistribution::Uniform,
            threads: 1,
            live_bytes: None,
            memory_bytes: None,
            p999_ns: None,
        }
    }
}

impl Wanted {
    /// Sets what the option `name` says.
    ///
    /// # Errors
    /// The option, its value and what to write.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "value-bytes" => sizes(text).map(|sizes| self.value_bytes = sizes),
            "get" => share(text).map(|percent| self.get_percent = percent),
            "skew" => keys(text).map(|keys| self.skew = keys),
            "threads" => threads(text).map(|threads| self.threads = threads),
            "live" => bytes(text).map(|bytes| self.live_bytes = Some(bytes)),
            "memory" => bytes(text).map(|bytes| self.memory_bytes = Some(bytes)),
            _ => Err("no such part of a description".to_owned()),
        }
        .map_err(|error| format!("--{name} {text}: {error}"))
    }

    /// Checks what belongs together.
    ///
    /// # Errors
    /// What is missing or cannot be had, and the remedy.
    pub fn check(&self) -> Result<(), String> {
        let memory = self.memory_bytes.map(|bytes| format_bytes(bytes as usize));
        match (self.live_bytes, self.memory_bytes, memory) {
            (None, Some(_), Some(memory)) => Err(format!(
                "--memory {memory} without --live: a budget is for a live set; add --live, the value \
                 bytes to be held, as in --live 8GiB"
            )),
            (Some(live), Some(budget), Some(memory)) if budget < live => Err(format!(
                "--memory {memory}: less than the {} of --live; no store holds values in less memory \
                 than they have bytes: raise --memory",
                format_bytes(live as usize)
            )),
            _ => Ok(()),
        }
    }

    /// The memory that may be held for each live byte.
    #[must_use]
    pub fn memory_ratio(&self) -> Option<f64> {
        Some(self.memory_bytes? as f64 / self.live_bytes? as f64)
    }

    /// The description as a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        let mut words = format!(
            "values of {}, {} % GETs, {} keys, {} {threads}",
            in_bytes(&self.value_bytes.to_string()),
            self.get_percent,
            self.skew,
            self.threads
        );
        match (self.live_bytes, self.memory_bytes) {
            (Some(live), Some(memory)) => {
                let (live, memory) = (amount(live as f64), amount(memory as f64));
                words += &format!(", {live} live in at most {memory}");
            }
            (Some(live), None) => words += &format!(", {} live", amount(live as f64)),
            (None, _) => {}
        }
        if let Some(ns) = self.p999_ns {
            words += &format!(", p99.9 at most {}", time(ns as f64));
        }
        words
    }
}

/// `1KiB`, `100..2000`, or what suites write.
fn sizes(text: &str) -> Result<SizeDistribution, String> {
    let parsed = text.replacen("..", "-", 1).parse();
    let sizes: SizeDistribution =
        parsed.map_err(|error: ParseSizeDistributionError| error.to_string())?;
    if sizes.min() == 0 || sizes.max() > VALUE_BYTES_MAX {
        return Err(format!("must be 1 to {VALUE_BYTES_MAX} bytes, as in 1KiB or 100..2000"));
    }
    Ok(sizes)
}

fn share(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').trim_end().parse().ok();
    percent
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "must be a percentage, 0 to 100, as in 95".to_owned())
}

fn keys(text: &str) -> Result<KeyDistribution, String> {
    let whole = match text {
        "zipfian" | "latest" => format!("{text}:{USUAL_THETA}"),
        text => text.to_owned(),
    };
    whole.parse().map_err(|error: ParseKeyDistributionError| error.to_string())
}

fn threads(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=512).contains(count));
    count.ok_or_else(|| "must be a number of threads, 1 to 512".to_owned())
}

fn bytes(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text).map_err(|error| error.to_string())? as u64;
    if bytes == 0 { Err("must be above 0, as in 8GiB".to_owned()) } else { Ok(bytes) }
}
