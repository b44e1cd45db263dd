//! A cell's replay of a trace on a store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::requests::{Miss, Mix, ReplayTotals, Workload};
use workloads::{KeyDistribution, SizeDistribution};

/// Which trace is replayed, and which part of it each thread executes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Replay {
    pub trace: String,
    /// Digest of the trace's content.
    pub digest: String,
    /// The file of its precompiled requests.
    #[serde(rename = "staged")]
    pub precompiled: PrecompiledRequests,
    /// Whether each thread has a working set of its own.
    pub working_sets: WorkingSets,
    /// Copies of the trace, each with keys of its own, that are executed in lockstep: by each thread if
    /// working sets are private, by all threads together if they are shared. Copies let a short trace fill
    /// more memory than the caches hold.
    pub copies: u64,
    /// What follows a GET that misses.
    pub miss: Miss,
    /// The trace's keys as byte strings, where the store is asked with them; without them, it is asked by
    /// words, and the bytes of keys are part of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<TraceKeys>,
    /// Totals of one copy.
    pub totals: ReplayTotals,
}

/// A file of a trace's keys, in the order of record numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TraceKeys {
    /// Path of the keys.
    pub file: String,
    /// Checksum of the file, hexadecimal.
    pub checksum: String,
    /// Bytes of all keys together.
    pub bytes: u64,
    /// Bytes of the longest key.
    pub bytes_max: u64,
}

impl TraceKeys {
    /// Bytes behind every key where several sets of them are asked: the number of the set. A single set has
    /// the keys of the trace as they are.
    pub const SET_BYTES: u64 = size_of::<u16>() as u64;
}

/// A file of a trace's requests, precompiled to words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrecompiledRequests {
    /// Path of the requests; their times are in the same path with `.times` appended.
    pub file: String,
    /// Checksum of the requests, hexadecimal.
    pub checksum: String,
}

/// Whether threads have keys of their own.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WorkingSets {
    /// Every thread executes the whole trace on its own keys (weak scaling, as in the Nibble paper).
    #[default]
    Private,
    /// All threads together execute the trace once. Each key belongs to one thread, so its operations keep
    /// their order.
    Shared,
}

impl WorkingSets {
    /// The word used in ids and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }
}

impl Replay {
    /// How often the trace is executed, by all threads together.
    #[must_use]
    pub fn sets(&self, threads: usize) -> u64 {
        match self.working_sets {
            WorkingSets::Private => self.copies * threads as u64,
            WorkingSets::Shared => self.copies,
        }
    }

    /// Bytes that follow each key of the trace to make it one of a set's own.
    #[must_use]
    pub fn set_bytes(&self, threads: usize) -> u64 {
        if self.keys.is_some() && self.sets(threads) > 1 { TraceKeys::SET_BYTES } else { 0 }
    }

    /// The mean length of the keys that are live at the end, or where none is, of all; of words, 8.
    #[must_use]
    pub fn mean_key_bytes(&self, threads: usize) -> f64 {
        let Some(keys) = &self.keys else { return size_of::<u64>() as f64 };
        let (bytes, records) = match self.totals.live_records {
            0 => (keys.bytes, self.totals.records.max(1)),
            live => (self.totals.live_key_bytes, live),
        };
        bytes as f64 / records as f64 + self.set_bytes(threads) as f64
    }

    /// Most bytes of objects that are live at once, of all sets.
    #[must_use]
    pub fn object_bytes_max(&self, threads: usize) -> u64 {
        let longer = self.set_bytes(threads) * self.totals.live_records_max;
        self.sets(threads) * (self.totals.object_bytes_max + longer)
    }

    /// Mean number of requests per thread, rounded up.
    #[must_use]
    pub fn requests_per_thread(&self, threads: usize) -> u64 {
        (self.sets(threads) * self.totals.requests).div_ceil(threads as u64)
    }

    /// The trace's operation mix and largest value as a [`Workload`], which cannot express the trace's keys
    /// and single sizes.
    #[must_use]
    pub fn workload(trace: &str, totals: &ReplayTotals) -> Workload {
        let percent = |count: u64| 100.0 * count as f64 / totals.requests.max(1) as f64;
        let name: String = trace
            .chars()
            .map(
                |letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' },
            )
            .collect();
        Workload {
            name,
            mix: Mix {
                get: percent(totals.gets + totals.gets_absent),
                update: percent(totals.updates),
                insert: percent(totals.inserts),
                delete: percent(totals.deletes + totals.deletes_absent),
                ..Mix::default()
            },
            keys: KeyDistribution::Uniform,
            value_bytes: SizeDistribution::Constant(totals.value_bytes_max as usize),
            source: "a trace; keys and sizes are those of the trace".to_owned(),
            ..Workload::by_name("get-50").expect("it is built in")
        }
    }
}
