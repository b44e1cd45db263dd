//! The engine's races, each as a small program of two threads. Loom runs it in every order (with a
//! bounded number of preemptions) and with every value that a weakly ordered load may see.
//!
//! The threads call what clients and workers call; the tables are tiny (`raw/buckets.rs`,
//! `raw/bytes.rs`). A model fails if a byte of object memory is accessed without synchronisation,
//! or if it never saw the race it is about. `scripts/loom` runs all models, and then weakens the
//! edges one by one: a model must notice.

mod compaction;
mod epochs;
mod growth;
mod holes;
mod in_place;
mod index;
mod world;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use world::World;

/// What happened, over all runs of a model.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeMap<&'static str, usize>>>);

impl Seen {
    fn note(&self, what: &'static str) {
        *self.0.lock().unwrap().entry(what).or_default() += 1;
    }
}

/// Runs `model` in every order with at most two preemptions. Fails unless each of `expected` was
/// noted in some of them.
fn explore(expected: &[&'static str], model: impl Fn(&Seen) + Send + Sync + 'static) {
    explore_within(2, expected, model);
}

/// Like [`explore`], with another bound on preemptions.
fn explore_within(
    preemptions: usize,
    expected: &[&'static str],
    model: impl Fn(&Seen) + Send + Sync + 'static,
) {
    let seen = Seen::default();
    let inside = seen.clone();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(preemptions);
    builder.max_branches = 20_000;
    builder.check(move || {
        inside.note("runs");
        model(&inside);
    });
    let seen = seen.0.lock().unwrap();
    println!("{seen:?}");
    for what in expected {
        assert!(seen.contains_key(what), "no run came to: {what}; {seen:?}");
    }
}
