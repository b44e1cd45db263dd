//! The table of targets as TOML (`harness/suites/targets.toml`). The wire types are strict: an
//! unknown key is an error that names the file, the line and the keys that are allowed.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::bar::Bar;
use super::sizes::Sizes;
use crate::suites::Bytes;

/// The file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct File {
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) source: String,
    /// Seed of every random choice.
    pub(crate) seed: u64,
    /// Sizes by the name of their scale.
    #[serde(rename = "scale")]
    pub(crate) scales: BTreeMap<String, Sizes>,
    /// What the machine of the yardsticks measured.
    #[serde(default)]
    pub(crate) calibration: Option<Reference>,
    #[serde(default, rename = "yardstick")]
    pub(crate) yardsticks: Vec<Yardstick>,
    #[serde(rename = "target")]
    pub(crate) targets: Vec<Entry>,
}

/// One `[[target]]`. Which of its keys are needed depends on its kind.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) source: String,
    pub(crate) kind: KindName,
    pub(crate) bar: Bar,
    /// What holds for every side.
    #[serde(default)]
    pub(crate) workload: Part,
    /// Comparisons: the sides below the line, each compared by itself; all have to be beaten.
    pub(crate) a: Option<Vec<Part>>,
    /// Comparisons: the side above the line.
    pub(crate) b: Option<Part>,
    /// Makes a target of every combination.
    #[serde(default)]
    pub(crate) vary: Vary,
    /// `latency-ratio`: `get` or `put`.
    pub(crate) operation: Option<Operation>,
    /// `latency-ratio`: which percentile.
    pub(crate) percentile: Option<String>,
    /// `statistic`: counted within the clock, above the line.
    pub(crate) numerator: Option<String>,
    /// `statistic`: counted within the clock, below the line.
    pub(crate) denominator: Option<String>,
    /// `overhead`: which one.
    pub(crate) overhead: Option<Overhead>,
    /// `yardstick`: lines that need not be beaten.
    pub(crate) except: Option<Vec<String>>,
    /// `yardstick`: the lines to be compared with, instead of all.
    pub(crate) only: Option<Vec<String>>,
}

/// What kind of number a target asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KindName {
    /// Throughput of side `b` ÷ side `a`.
    ThroughputRatio,
    /// A percentile of latency at side `b` ÷ at side `a`.
    LatencyRatio,
    /// One counter of the store ÷ another.
    Statistic,
    /// Configured memory ÷ live bytes under a fragmentation pattern.
    Overhead,
    /// Throughput ÷ that of the systems in the table of yardsticks.
    Yardstick,
}

/// What is measured, or a part of it: a side overrides what it names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Part {
    /// A store as on the command line of `compare`.
    pub(crate) system: Option<String>,
    pub(crate) distribution: Option<String>,
    pub(crate) get_percent: Option<u32>,
    pub(crate) value_bytes: Option<usize>,
    pub(crate) fill_percent: Option<u32>,
    pub(crate) threads: Option<usize>,
    pub(crate) batch: Option<usize>,
    pub(crate) object_memory: Option<Bytes>,
    /// Segments of the object memory, for stores with a setting `segment-bytes`.
    pub(crate) segments: Option<u64>,
    /// Operations of each thread, where the scale's are too many.
    pub(crate) operations: Option<u64>,
    /// How often PUTs write the object memory before the clock.
    pub(crate) warm_up_rewrites: Option<f64>,
    /// How often the PUTs within the clock write it, instead of the scale's operations.
    pub(crate) rewrites: Option<f64>,
    /// Fragmentation pattern by name.
    pub(crate) pattern: Option<String>,
}

impl Part {
    /// What `over` names, else what this names.
    pub(crate) fn with(&self, over: &Self) -> Self {
        let (base, over) = (self.clone(), over.clone());
        Self {
            system: over.system.or(base.system),
            distribution: over.distribution.or(base.distribution),
            get_percent: over.get_percent.or(base.get_percent),
            value_bytes: over.value_bytes.or(base.value_bytes),
            fill_percent: over.fill_percent.or(base.fill_percent),
            threads: over.threads.or(base.threads),
            batch: over.batch.or(base.batch),
            object_memory: over.object_memory.or(base.object_memory),
            segments: over.segments.or(base.segments),
            operations: over.operations.or(base.operations),
            warm_up_rewrites: over.warm_up_rewrites.or(base.warm_up_rewrites),
            rewrites: over.rewrites.or(base.rewrites),
            pattern: over.pattern.or(base.pattern),
        }
    }
}

/// Values that each make a target of their own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Vary {
    pub(crate) value_bytes: Option<Vec<usize>>,
    pub(crate) get_percent: Option<Vec<u32>>,
    pub(crate) batch: Option<Vec<usize>>,
    pub(crate) pattern: Option<Vec<String>>,
}

/// Whose latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    Get,
    Put,
}

/// Which overhead, in key + value base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Overhead {
    /// Capacity.
    AllIn,
    /// Object memory.
    LogOnly,
}

/// What a machine's memory is capable of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Reference {
    /// Time for each independent random cache line.
    pub(crate) random_line_ns: f64,
    /// Copies of 1 KiB from random places.
    pub(crate) copy_gb_per_s: f64,
}

/// A system's throughput, all threads together, as measured elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Yardstick {
    pub(crate) name: String,
    pub(crate) mops: Vec<YardstickValue>,
}

/// One workload's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct YardstickValue {
    pub(crate) value_bytes: usize,
    pub(crate) get_percent: u32,
    pub(crate) is: f64,
}

/// What is wrong with a file of targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileError {
    pub(crate) file: String,
    pub(crate) message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.message)
    }
}

impl File {
    /// Parses `text`, which came from `file`.
    ///
    /// # Errors
    /// File, line and the allowed keys.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let fail = |message: String| FileError { file: file.to_owned(), message };
        let parsed: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            fail(format!("{line}{}", error.message()))
        })?;
        for (name, sizes) in &parsed.scales {
            sizes.check().map_err(|error| fail(format!("scale `{name}`: {error}")))?;
        }
        Ok(parsed)
    }
}
