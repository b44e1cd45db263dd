//! The races of cLSM, each as a small program of threads that call what sessions call. Loom runs it
//! in every order, with a bounded number of preemptions, and with every value that a weakly ordered
//! load may see. As printed, each fault is found; as they are here, none is:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p baseline-lsm --lib models::
//! ```

mod snapshots;
mod updates;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `model` in every order with at most `preemptions`.
fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 50_000;
    builder.check(model);
}

/// Runs `model`, in which some order must fail with these words.
fn expect_fault(words: &str, preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let run = AssertUnwindSafe(|| explore(preemptions, model));
    let failed = catch_unwind(run).expect_err("the fault is found");
    let text = failed.downcast_ref::<String>().cloned();
    let text = text.or_else(|| failed.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    let text = text.unwrap_or_default();
    assert!(text.contains(words), "another fault: {text}");
}
