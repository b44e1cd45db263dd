//! How the benchmarks of this crate measure, and how they draw their inputs.

#[path = "../../tests/all/common/mod.rs"]
mod common;

use std::time::Duration;

use criterion::{BatchSize, Criterion};

pub(crate) use common::Random;

/// Inputs are drawn outside the timed part, this many at a time: enough to hide the cost of the
/// clock, few enough to stay in the first-level cache, and never the same twice.
pub(crate) const DRAWN: BatchSize = BatchSize::NumIterations(1024);

/// A second per benchmark; command-line options override it.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
}

/// `full` if something is measured. In `cargo test --benches` and with `--test`, criterion calls
/// every benchmark once without measuring it; `little` is enough for that.
pub(crate) fn scaled(full: u64, little: u64) -> u64 {
    let given = |wanted| std::env::args().any(|option| option == wanted);
    if given("--bench") && !given("--test") { full } else { little }
}
