//! Facts about a trace of requests, by name; claims and comparisons with the paper use them.

use workloads::trace::statistics::{Effect, Effects, Phases, TraceStatistics};

use super::TraceAccount;

/// Number of accesses for which the Nibble paper states: 80 % of Postmark's operations are on objects
/// with at most this many.
const TOUCHED: u64 = 18;

/// Numbers of a trace by name. Unknown ones are absent, as is everything for traces of allocations.
/// Shares are in percent; of the steady phase, if the trace has phases.
#[must_use]
pub fn facts(account: &TraceAccount) -> Vec<(&'static str, f64)> {
    let Some(statistics) = account.requests() else { return Vec::new() };
    let phases = statistics.phases.as_ref();
    let share = |phase: fn(&Phases) -> &Effects, effect| {
        phases.and_then(|phases| phase(phases).share(effect)).map(|share| 100.0 * share)
    };
    let steady = |effect| share(|phases| &phases.steady.effects, effect);
    let all = [
        ("inserts-percent", steady(Effect::Insert)),
        ("deletes-percent", steady(Effect::Delete)),
        ("overwrites-percent", steady(Effect::Overwrite)),
        ("gets-percent", steady(Effect::GetHit)),
        ("deletes-at-end-percent", share(|phases| &phases.deletion.effects, Effect::Delete)),
        ("touched-18-percent", touched_percent(statistics)),
        ("operations-per-object", statistics.operations_per_object()),
        ("live-kib-per-file", live_bytes_per_file(account).map(|bytes| bytes / 1024.0)),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Share of the operations on objects with at most [`TOUCHED`] accesses.
fn touched_percent(statistics: &TraceStatistics) -> Option<f64> {
    let buckets = &statistics.accesses.buckets;
    let sum: u64 = buckets.iter().map(|bucket| bucket.operations).sum();
    let few = buckets.iter().filter(|bucket| bucket.up_to <= TOUCHED);
    let few: u64 = few.map(|bucket| bucket.operations).sum();
    (sum > 0).then(|| 100.0 * few as f64 / sum as f64)
}

/// Mean live bytes of the steady phase, per file of the recording.
fn live_bytes_per_file(account: &TraceAccount) -> Option<f64> {
    let phases = account.requests()?.phases.as_ref()?;
    let files = *account.parameters.get("files").filter(|files| **files > 0)?;
    Some(phases.steady.live_bytes_mean as f64 / files as f64)
}
