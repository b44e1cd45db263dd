//! A trace replayed on a store, as one cell asks for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::requests::{Miss, Mix, ReplayTotals, Workload};
use workloads::{KeyDistribution, SizeDistribution};

/// Which trace, and what of it each thread executes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Replay {
    /// The trace's name.
    pub trace: String,
    /// Identity of the trace: what its blocks sum up to.
    pub digest: String,
    /// Where its requests lie, staged.
    pub staged: Staged,
    /// Who executes what.
    pub working_sets: WorkingSets,
    /// How many copies of the trace, each with keys of its own, are executed in step: by each thread where
    /// working sets are private, by all together where they are shared. So a short trace fills a memory
    /// beyond the caches.
    pub copies: u64,
    /// What follows a GET that misses.
    pub miss: Miss,
    /// What one copy comes to.
    pub totals: ReplayTotals,
}

/// The requests of a trace as words in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Staged {
    /// The file of requests; that of their times has `.times` after it.
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
    /// Every thread executes the whole trace on keys of its own: weak scaling, as in the Nibble paper.
    #[default]
    Private,
    /// All threads together execute the trace once; each key belongs to one thread, so that its
    /// operations keep their order.
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
    /// Times that the trace is executed, all threads together.
    #[must_use]
    pub fn sets(&self, threads: usize) -> u64 {
        match self.working_sets {
            WorkingSets::Private => self.copies * threads as u64,
            WorkingSets::Shared => self.copies,
        }
    }

    /// Requests of all `threads` together, divided by them.
    #[must_use]
    pub fn requests_per_thread(&self, threads: usize) -> u64 {
        (self.sets(threads) * self.totals.requests).div_ceil(threads as u64)
    }

    /// The shares and sizes of the trace, as far as a [`Workload`] can say them: its keys are the trace's,
    /// and its sizes only the range.
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
