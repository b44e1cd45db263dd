//! Parts of a row that only key-value requests have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Percentiles;

/// How well an open loop kept its schedule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OpenLoop {
    /// Scheduled requests per second.
    pub intended_ops_per_s: f64,
    /// Answered requests per second.
    pub achieved_ops_per_s: f64,
    /// How much later requests ended than they would have if the harness had sent each one as soon as it
    /// was due and the one before was answered.
    pub lateness_ns: Percentiles,
    /// Latency from the actual start, as a closed loop would report it; it ignores the queue.
    pub service_ns: Percentiles,
}

impl OpenLoop {
    /// The flags of a row with this schedule and latency.
    #[must_use]
    pub fn flags(&self, latency_ns: &Percentiles) -> Vec<Flag> {
        let is_late = |percentile: &str| {
            let at = |of: &Percentiles| of.get(percentile).copied().unwrap_or(0);
            let late = at(&self.lateness_ns);
            late > Flag::LATENESS_NEGLIGIBLE_NS
                && late as f64 > at(latency_ns) as f64 * Flag::LATENESS_SHARE_MAX
        };
        let mut flags = Vec::new();
        if is_late("p99") || is_late("p99.9") {
            flags.push(Flag::GeneratorLate);
        }
        if self.achieved_ops_per_s < self.intended_ops_per_s * Flag::ACHIEVED_SHARE_MIN {
            flags.push(Flag::Overloaded);
        }
        flags
    }
}

/// Cost of the harness: the same loop over the null store, timed in the same process before the engine
/// opened. It is shown, never subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DriverPrice {
    pub ns_per_operation: f64,
    /// Its share of the time per operation of a thread.
    pub share: f64,
}

/// Cost of memory alone: the roofline store's time under the same requests, in the same repetition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Roofline {
    pub ns_per_operation: f64,
    /// The roofline's time ÷ the engine's.
    pub efficiency: f64,
}

/// A caveat that a reader should know before quoting a row.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// Memory was made resident before the clock started; none is newly touched afterwards.
    Populated,
    /// The harness costs more than 15 % of an operation's time.
    DriverBound,
    /// The harness sent requests late by more than a tenth of the latency it reports.
    GeneratorLate,
    /// The store answered less than 95 % of the scheduled rate.
    Overloaded,
    /// The values that were live would fit the last-level cache: the throughput is that of the cache.
    Cached,
    /// The host gave more than 5 % of the processor time within the step to others, also when the cell
    /// was measured again.
    Stolen,
}

impl Flag {
    /// Share of an operation's time above which a cell is bound by the harness.
    pub const DRIVER_SHARE_MAX: f64 = 0.15;
    /// Share of the reported latency above which a late harness is not negligible …
    pub const LATENESS_SHARE_MAX: f64 = 0.1;
    /// … and lateness below which it always is, as the clock itself costs this much.
    pub const LATENESS_NEGLIGIBLE_NS: u64 = 200;
    /// Share of all cores' time within a step that the host may give to others.
    pub const STOLEN_SHARE_MAX: f64 = 0.05;
    /// Share of the scheduled rate below which a store is overloaded.
    pub const ACHIEVED_SHARE_MIN: f64 = 0.95;

    /// The word used in rows and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Populated => "populated",
            Self::DriverBound => "driver-bound",
            Self::GeneratorLate => "generator-late",
            Self::Overloaded => "overloaded",
            Self::Cached => "cached",
            Self::Stolen => "stolen",
        }
    }
}

/// Under which circumstances a step began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Began {
    /// Milliseconds since 1970, UTC.
    pub unix_ms: u64,
    /// Runnable threads of the machine in the last minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average: Option<f64>,
    /// Frequency of the first core, where the kernel tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency_mhz: Option<u64>,
}

/// A cell's place among those that one process answered after one load. Its steps before `run`, and its
/// curve, are those of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Turn {
    /// From 1.
    pub place: usize,
    /// Cells of the process.
    pub of: usize,
}

/// Values checked in a step. Any count except `checked`, `evicted` and `ended` voids the
/// row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Verification {
    pub checked: u64,
    /// Acknowledged writes that are missing: the key is absent, or holds an older value permanently.
    pub lost: u64,
    /// GETs that returned an older value although the newer one was there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stale: u64,
    /// Values that mix parts of two versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub torn: u64,
    /// Deleted keys that reappeared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub resurrected: u64,
    /// Keys that a store which evicts no longer has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evicted: u64,
    /// GETs that found nothing where the lifetime of a value may have ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ended: u64,
    /// Values that are foreign, damaged or of the wrong length, or were found after their lifetime.
    pub wrong: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Verification {
    /// The defects by name, in the order of a report.
    fn defects(&self) -> [(&'static str, u64); 5] {
        [
            ("lost", self.lost),
            ("stale", self.stale),
            ("torn", self.torn),
            ("resurrected", self.resurrected),
            ("wrong", self.wrong),
        ]
    }

    /// Why the row is void; `None` if every value was correct.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let defects: Vec<String> = self
            .defects()
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        (!defects.is_empty())
            .then(|| format!("of {} values checked: {}", self.checked, defects.join(", ")))
    }
}

impl std::ops::AddAssign for Verification {
    fn add_assign(&mut self, other: Self) {
        self.checked += other.checked;
        self.lost += other.lost;
        self.stale += other.stale;
        self.torn += other.torn;
        self.resurrected += other.resurrected;
        self.evicted += other.evicted;
        self.ended += other.ended;
        self.wrong += other.wrong;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_harness_and_an_overloaded_store_are_flagged() {
        let p99 = |ns: u64| Percentiles::from([("p99".to_owned(), ns)]);
        let kept = |late, achieved_ops_per_s, latency| {
            let open = OpenLoop {
                intended_ops_per_s: 1000.0,
                achieved_ops_per_s,
                lateness_ns: p99(late),
                ..OpenLoop::default()
            };
            open.flags(&p99(latency))
        };
        assert_eq!(kept(199, 1000.0, 300), [], "the clock's own cost");
        assert_eq!(kept(1000, 990.0, 20_000), [], "a twentieth");
        assert_eq!(kept(3000, 1000.0, 20_000), [Flag::GeneratorLate]);
        let far_out = |ns: u64| Percentiles::from([("p99.9".to_owned(), ns)]);
        let open = OpenLoop { lateness_ns: far_out(3000), ..OpenLoop::default() };
        assert_eq!(open.flags(&far_out(20_000)), [Flag::GeneratorLate]);
        assert_eq!(kept(0, 900.0, 20_000), [Flag::Overloaded]);
    }

    #[test]
    fn each_defect_is_named_as_itself() {
        let sound = Verification { checked: 9, evicted: 2, ended: 3, ..Verification::default() };
        assert_eq!(sound.complaint(), None);
        let mut all = sound;
        all += Verification { checked: 1, lost: 1, torn: 2, ..Verification::default() };
        all += Verification { stale: 3, resurrected: 4, wrong: 5, ..Verification::default() };
        assert_eq!(
            all.complaint().unwrap(),
            "of 10 values checked: 1 lost, 3 stale, 2 torn, 4 resurrected, 5 wrong"
        );
    }
}
