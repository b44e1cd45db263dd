//! How the benches of this crate measure, and how they draw what they ask for.

#[path = "../../tests/all/common/mod.rs"]
mod common;

use std::time::Duration;

use criterion::{BatchSize, Criterion};

pub(crate) use common::Random;

/// Inputs are drawn outside the timed part, for so many calls at a time: many enough to hide the
/// clock, few enough to stay in the first cache, and never the same twice.
pub(crate) const DRAWN: BatchSize = BatchSize::NumIterations(1024);

/// A second for each bench; options of the command line override it.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
}

/// `full` where something is measured. Criterion calls every bench once without measuring it in
/// `cargo test --benches` and with `--test`; `little` is enough for that.
pub(crate) fn scaled(full: u64, little: u64) -> u64 {
    let given = |wanted| std::env::args().any(|option| option == wanted);
    if given("--bench") && !given("--test") { full } else { little }
}
