//! The requests that a cell sends to a key-value store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::requests::{Groups, Workload};

use super::{Ageing, Phases, Replay};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeyValue {
    /// Mix of operations, key distribution and value sizes.
    pub workload: Workload,
    /// Records loaded before the clock starts.
    pub records: u64,
    /// Memory configured for objects.
    pub object_memory_bytes: u64,
    /// Live object bytes ÷ object memory, in percent: before the clock starts, or at the end for
    /// workloads that insert.
    pub fill_percent: u32,
    /// Memory that may hold data of a store on a disk, the page cache included, in percent of the live keys
    /// and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_percent: Option<u32>,
    /// What stays the same where the fill varies.
    #[serde(default, skip_serializing_if = "LiveSet::is_by_fill")]
    pub live_set: LiveSet,
    /// Threads, pinned to cores in turn.
    pub threads: usize,
    /// When requests are sent.
    pub driver: Driver,
    /// Timed operations of each thread, each used once.
    pub operations_per_thread: u64,
    /// Time on the clock after which a thread begins no further requests, however many are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_ms: Option<u64>,
    /// Where the operations come from.
    #[serde(default, skip_serializing_if = "Source::is_prepared")]
    pub source: Source,
    /// Which operations are timed individually.
    #[serde(default, skip_serializing_if = "Timing::is_sampled")]
    pub latency: Timing,
    /// What happens to the store before the clock starts.
    #[serde(default, skip_serializing_if = "Ageing::is_none")]
    pub ageing: Ageing,
    /// Time that a thread computes between an answer and its next request.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub think_ns: u64,
    /// Shares of PUTs that take turns, in place of the workload's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// A counter of the store that is read ten times a second while the clock runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled: Option<String>,
    /// Whether the memory is made resident before the clock starts.
    pub resident: bool,
    /// The trace that is replayed instead of the workload's requests; nothing is loaded then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Box<Replay>>,
}

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "loop")]
pub enum Driver {
    /// The next request is sent when the last one is answered.
    Closed {
        /// Operations per call: 1 uses the single operations, more use batches.
        batch: usize,
    },
    /// On a schedule, whether earlier requests are answered or not; latency counts from the scheduled
    /// start.
    Open {
        /// Requests per second of all threads together.
        rate_ops_per_s: f64,
        /// Distribution of the gaps.
        arrivals: Arrivals,
    },
    /// At the times of the replayed trace.
    Timed {
        /// Speed-up over the trace's times.
        speed: f64,
    },
    /// A bare loop, single GETs and PUTs one after the other and nothing else, and the closed loop by
    /// turns. It shows the overhead of the closed loop.
    Bare,
}

/// Distribution of the gaps between scheduled requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Independent arrivals: exponential gaps.
    #[default]
    Poisson,
    /// Equal gaps.
    Constant,
}

/// How the live set of a cell is sized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveSet {
    /// The object memory is the scale's, and the live set what fills it as asked: a smaller fill is a
    /// smaller live set, of which caches hold more.
    #[default]
    ByFill,
    /// The live set is the scale's and larger than the caches; the object memory follows from the fill.
    Fixed,
}

impl LiveSet {
    fn is_by_fill(&self) -> bool {
        *self == Self::ByFill
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Arrivals {
    /// The word used in ids and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Constant => "constant",
        }
    }
}

/// Where the timed operations come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Eight-byte words made before the clock starts, each used once.
    #[default]
    Prepared,
    /// A generator in the loop; its price is in the row's `driver`.
    InLoop,
}

impl Source {
    fn is_prepared(&self) -> bool {
        *self == Self::Prepared
    }
}

/// Which operations are timed individually. Timing costs about 50 ns per operation.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// One in 64, or fewer where operations are fast.
    #[default]
    Sampled,
    /// All, for extreme percentiles.
    All,
    /// None.
    Off,
}

impl Timing {
    fn is_sampled(&self) -> bool {
        *self == Self::Sampled
    }
}

/// Header of an object as the paper lays it out, without its key: a 4-byte length.
const HEADER_BYTES: f64 = 4.0;
/// Smallest part of the records that is loaded, as a divisor, when a workload inserts up to the fill.
const LOADED_AT_LEAST: u64 = 20;

impl KeyValue {
    /// A minimal cell of `workload`: one thread, single operations in a closed loop, half full, resident.
    /// The caller still has to call [`KeyValue::size_records`].
    #[must_use]
    pub fn plain(workload: Workload, object_memory_bytes: u64) -> Self {
        Self {
            workload,
            records: 0,
            object_memory_bytes,
            fill_percent: 50,
            cache_percent: None,
            live_set: LiveSet::ByFill,
            threads: 1,
            driver: Driver::Closed { batch: 1 },
            operations_per_thread: 1,
            at_most_ms: None,
            source: Source::Prepared,
            latency: Timing::Sampled,
            ageing: Ageing::None,
            think_ns: 0,
            phases: None,
            sampled: None,
            resident: true,
            replay: None,
        }
    }

    /// `replay` on a store that is `fill_percent` full at the moment with the most live bytes.
    #[must_use]
    pub fn replaying(replay: Replay, threads: usize, fill_percent: u32) -> Self {
        let workload = Replay::workload(&replay.trace, &replay.totals);
        let live_bytes = replay.object_bytes_max(threads);
        let object_memory_bytes = live_bytes * 100 / u64::from(fill_percent.max(1));
        Self {
            fill_percent,
            threads,
            operations_per_thread: replay.requests_per_thread(threads),
            replay: Some(Box::new(replay)),
            ..Self::plain(workload, object_memory_bytes)
        }
    }

    /// Whether a store loaded for one of the two can answer both, one after the other: they differ in
    /// nothing but the mix and, unless they age the store by it, the key distribution.
    #[must_use]
    pub fn shares_load_with(&self, other: &Self) -> bool {
        let keeps_records = |work: &Self| {
            work.replay.is_none()
                && work.source.is_prepared()
                && matches!(work.driver, Driver::Closed { .. })
                && !work.workload.inserts()
                && !work.workload.deletes()
                && !work.workload.expires()
        };
        let mut like = other.clone();
        like.workload.mix = self.workload.mix;
        like.workload.name.clone_from(&self.workload.name);
        if self.ageing.is_none() {
            like.workload.keys = self.workload.keys;
        }
        // Records that one of the two writes alone are no group that the other has written.
        if self.workload.writes_together() != other.workload.writes_together() {
            return false;
        }
        keeps_records(self) && keeps_records(other) && *self == like
    }

    /// Sets `records` to the number that reaches the fill. A workload that inserts reaches it at the end,
    /// so fewer are loaded. If its inserts would not fit, `operations_per_thread` is lowered.
    pub fn size_records(&mut self) {
        let live_bytes = self.object_memory_bytes as f64 / 100.0 * f64::from(self.fill_percent);
        let fitting = |records: u64| ((live_bytes / self.bytes_of_one(records)) as u64).max(1);
        // Where short keys are spent, keys are the longer the more there are.
        let mut all = fitting(fitting(fitting(self.records)));
        if let Ageing::Litter(percent) = self.ageing {
            all -= self.litter_of(all, percent);
        }
        let mix = &self.workload.mix;
        let grows = !self.workload.churn && mix.insert > mix.delete;
        if !grows {
            self.records = all;
            return;
        }
        let share = (mix.insert - mix.delete) / 100.0;
        let threads = self.threads as u64;
        let inserts_most = (all - (all / LOADED_AT_LEAST).max(1)) / threads;
        let operations_most = (inserts_most as f64 / share * 0.98) as u64;
        self.operations_per_thread = self.operations_per_thread.min(operations_most).max(1);
        let inserts = (self.operations_per_thread as f64 * share * 1.02) as u64 * threads;
        self.records = all.saturating_sub(inserts).max(1);
    }

    /// Sets the object memory so that `records` and the inserts to come reach the fill.
    pub fn size_memory(&mut self) {
        let bytes = self.records_max() as f64 * self.object_bytes();
        let memory = bytes * 100.0 / f64::from(self.fill_percent.max(1));
        // Stores need some blocks, however few the records.
        self.object_memory_bytes = (memory as u64).max(16 << 20);
    }

    /// The fill that `records` and the inserts to come reach, in whole percent.
    #[must_use]
    pub fn reached_fill_percent(&self) -> u32 {
        let bytes = self.records_max() as f64 * self.object_bytes();
        (bytes * 100.0 / self.object_memory_bytes as f64).round() as u32
    }

    /// Objects of a littered heap that stay, beside the `records` loaded after it.
    #[must_use]
    pub fn litter_records(&self) -> u64 {
        match self.ageing {
            // The records are the part that the litter left.
            Ageing::Litter(percent) => self.records * u64::from(percent) / u64::from(100 - percent),
            _ => 0,
        }
    }

    fn litter_of(&self, all: u64, percent: u32) -> u64 {
        all * u64::from(percent) / 100
    }

    /// Largest number of records that are live at any time, litter included, or are ever requested.
    #[must_use]
    pub fn records_max(&self) -> u64 {
        if let Some(replay) = &self.replay {
            return replay.sets(self.threads) * replay.totals.live_records_max;
        }
        let share = if self.workload.inserts() { self.workload.mix.insert / 100.0 } else { 0.0 };
        let inserts = (self.operations_per_thread as f64 * share * 1.05) as u64 + 64;
        self.records + self.litter_records() + inserts * self.threads as u64
    }

    /// Number of record numbers: more than are ever live, if a trace stores and deletes.
    #[must_use]
    pub fn record_numbers(&self) -> u64 {
        let replayed = self.replay.as_ref();
        replayed.map_or(self.records, |replay| replay.sets(self.threads) * replay.totals.records)
    }

    /// The groups of the loaded records.
    #[must_use]
    pub fn groups(&self) -> Groups {
        self.workload.groups(self.records)
    }

    /// Value bytes of the live records: at most, or before the clock starts.
    #[must_use]
    pub fn live_value_bytes(&self) -> u64 {
        match &self.replay {
            Some(replay) => replay.sets(self.threads) * replay.totals.live_bytes_max,
            None => (self.records_max() as f64 * self.workload.mean_value_bytes()) as u64,
        }
    }

    /// Memory that may hold data of a store on a disk, if it is limited.
    #[must_use]
    pub fn cache_bytes(&self) -> Option<u64> {
        let percent = u64::from(self.cache_percent?);
        let keys_bytes = (self.records_max() as f64 * self.mean_key_bytes()) as u64;
        Some((self.live_value_bytes() + keys_bytes) * percent / 100)
    }

    /// Operations per thread that together write the object memory `times` over.
    #[must_use]
    pub fn writes_per_thread(&self, times: f64) -> u64 {
        let objects = self.object_memory_bytes as f64 / self.object_bytes();
        (objects * times / self.threads as f64).ceil() as u64
    }

    /// Bytes of keys and values that the updates among `operations` write.
    #[must_use]
    pub fn written_bytes(&self, operations: u64) -> f64 {
        let mix = &self.workload.mix;
        let together = mix.write_together * self.workload.together as f64;
        let updates = operations as f64 * (mix.update + mix.write_expiring + together) / 100.0;
        updates * (self.workload.mean_value_bytes() + self.mean_key_bytes())
    }

    /// The mean length of the records' keys, in bytes.
    #[must_use]
    pub fn mean_key_bytes(&self) -> f64 {
        match &self.replay {
            Some(replay) => replay.mean_key_bytes(self.threads),
            None => self.workload.mean_key_bytes(self.records),
        }
    }

    /// The most records that the cell may name in all: those that are there, were there and will be.
    #[must_use]
    pub fn records_named(&self) -> u64 {
        let made = self.operations_per_thread.saturating_mul(self.threads as u64);
        match self.ageing {
            Ageing::Litter(_) => Self::LITTER_FIRST + self.records + self.litter_records(),
            _ if self.workload.inserts() => self.records.saturating_add(made),
            _ => self.records,
        }
    }

    /// First number of the litter's records, beyond all others.
    pub const LITTER_FIRST: u64 = 1 << 40;

    /// Mean bytes of an object.
    fn object_bytes(&self) -> f64 {
        self.bytes_of_one(self.records)
    }

    /// The same, if there were so many records.
    fn bytes_of_one(&self, records: u64) -> f64 {
        self.workload.mean_value_bytes() + HEADER_BYTES + self.workload.mean_key_bytes(records)
    }

    /// Memory that the worker needs for itself.
    pub(crate) fn own_bytes(&self) -> u64 {
        let words = match self.source {
            // Doubled if they are dealt to the workers of their keys, or have times.
            Source::Prepared => self.operations_per_thread * 16,
            Source::InLoop => 0,
        };
        let keys = self.replay.as_ref().map_or(0, |replay| {
            // With where each ends.
            replay.keys.as_ref().map_or(0, |keys| keys.bytes + replay.totals.records * 8)
        });
        // The expected contents of every record at the end: two words per thread.
        keys + (words + self.record_numbers() * 8 + self.operations_per_thread * 8)
            * self.threads as u64
    }

    /// Operations per call; 1 if they follow a schedule.
    #[must_use]
    pub fn batch(&self) -> usize {
        match self.driver {
            Driver::Closed { batch } => batch,
            Driver::Open { .. } | Driver::Timed { .. } | Driver::Bare => 1,
        }
    }

    /// Scheduled requests per second of all threads together.
    #[must_use]
    pub fn rate_ops_per_s(&self) -> Option<f64> {
        match self.driver {
            Driver::Closed { .. } | Driver::Bare => None,
            Driver::Open { rate_ops_per_s, .. } => Some(rate_ops_per_s),
            Driver::Timed { speed } => self.replay.as_ref().map(|replay| {
                let requests = replay.sets(self.threads) * replay.totals.requests;
                requests as f64 * speed * 1e9 / replay.totals.duration_ns.max(1) as f64
            }),
        }
    }

    /// Share of GETs in percent.
    #[must_use]
    pub fn get_percent(&self) -> f64 {
        self.workload.mix.get
    }

    /// The key distribution as text.
    #[must_use]
    pub fn distribution(&self) -> String {
        self.workload.keys.to_string()
    }

    /// All settings that distinguish two key-value workloads, without the sizes of the scale.
    #[must_use]
    pub fn name(&self) -> String {
        crate::dimensions::name(self)
    }
}
