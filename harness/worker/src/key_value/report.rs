//! Turns the threads' results into the report for the parent.

use super::OnStore;
use super::bare::LoopTimes;
use super::lane::Done;
use super::latency::Latencies;
use super::open::Pacing;
use super::sampled;
use super::seconds::Seconds;
use crate::histogram::{empty, percentiles, with_mean};
use hdrhistogram::Histogram;
use record::Timing;
use record::{Flag, OpenLoop, Outcome, Verification};
use record::{LatencyReport, StepReport};

/// Fill above which a refusal is an expected result.
const REFUSAL_EXPECTED_ABOVE_PERCENT: u32 = 90;

/// Notes what an operation took in a bare and in a closed loop, as means of the threads.
pub(super) fn note_loops(done: &[Done], report: &mut StepReport) {
    let times: Vec<LoopTimes> = done.iter().filter_map(|one| one.loops).collect();
    if times.is_empty() {
        return;
    }
    let mut note = |name: &str, of: fn(&LoopTimes) -> f64| {
        let sum: f64 = times.iter().map(of).sum();
        report.statistics.insert(name.to_owned(), sum / times.len() as f64);
    };
    note("bare_loop_ns", |times| times.bare_ns);
    note("burst_loop_ns", |times| times.burst_ns);
    note("closed_loop_ns", |times| times.closed_ns);
}

impl OnStore<'_> {
    pub(super) fn report(&self, name: &str, done: &[Done]) -> StepReport {
        let (operations, elapsed_ns) = span(done);
        let mut report = StepReport::measured(name, operations, elapsed_ns);
        if name == "run" {
            report.driver_ns = Some(self.price);
            report.flags.extend(self.populated.then_some(Flag::Populated));
        }
        let mut checked = Verification::default();
        for one in done {
            checked += one.verification;
        }
        let refused: usize = done.iter().map(|one| one.refused.len()).sum();
        if let Some(reason) = done.iter().find_map(|one| one.broken.clone()) {
            report.outcome = Outcome::Failed;
            report.reason = Some(reason);
        } else if let Some(complaint) = checked.complaint() {
            report.outcome = Outcome::WrongValues;
            report.reason = Some(complaint);
        } else if refused > 0 {
            let fill = self.work.fill_percent;
            report.outcome = if self.may_refuse() { Outcome::Full } else { Outcome::EarlyRefusal };
            report.reason =
                Some(format!("a PUT was refused after {operations} operations at {fill} % fill"));
        }
        report.verification = Some(checked).filter(|checked| *checked != Verification::default());
        report.expected = matches!(report.outcome, Outcome::Measured | Outcome::Full);
        report
    }

    /// Whether a refusal at the cell's fill is an expected result.
    fn may_refuse(&self) -> bool {
        let fill = self.work.fill_percent;
        match self.work.replay {
            // A trace's fill refers to its fullest moment, with objects of many sizes.
            Some(_) => fill >= REFUSAL_EXPECTED_ABOVE_PERCENT,
            None => fill > REFUSAL_EXPECTED_ABOVE_PERCENT,
        }
    }

    /// Timings of all threads together.
    pub(super) fn latency_report(&self, done: &[Done]) -> LatencyReport {
        let open = self.work.rate_ops_per_s();
        let mut report = LatencyReport {
            open_loop: open.map(|rate| self.open_loop(rate, done)),
            ..LatencyReport::default()
        };
        if self.work.latency != Timing::Off {
            let latencies = Latencies::merged(self.crew.iter().map(|kit| &kit.latency));
            let told = if self.work.latency == Timing::All { with_mean } else { percentiles };
            report.latency_ns = latencies.all().map_or_else(Default::default, |all| told(&all));
            report.latency_by_kind_ns = latencies.by_kind(told);
            report.histograms = latencies.encoded();
            report.seconds = Seconds::merged(self.crew.iter().map(|kit| &kit.seconds));
            sampled::note(&mut report.seconds, &self.samples);
        }
        report
    }

    fn open_loop(&self, intended_ops_per_s: f64, done: &[Done]) -> OpenLoop {
        let merged = |of: fn(&Pacing) -> &Histogram<u64>| {
            let mut all = empty().expect("bounds that were good before");
            for pacing in self.crew.iter().filter_map(|kit| kit.pacing.as_ref()) {
                all.add(of(pacing)).expect("histograms of equal bounds");
            }
            percentiles(&all)
        };
        let (operations, elapsed_ns) = span(done);
        OpenLoop {
            intended_ops_per_s,
            achieved_ops_per_s: operations as f64 * 1e9 / elapsed_ns as f64,
            lateness_ns: merged(|pacing| &pacing.lateness),
            service_ns: merged(|pacing| &pacing.service),
        }
    }
}

/// Operations of all threads, and the time from the first start to the last end. Each thread's clock
/// stops while it checks.
fn span(done: &[Done]) -> (u64, u64) {
    let started = done.iter().map(|one| one.started_ns).min().unwrap_or(0);
    let ended = done.iter().map(|one| one.ended_ns - one.off_clock_ns).max().unwrap_or(0);
    (done.iter().map(|one| one.operations).sum(), ended - started)
}
