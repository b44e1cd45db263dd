//! What makes the table of a figure. A declaration names its builder, so a figure that is like one
//! there already needs no code.

use std::path::Path;

use record::Row;

use crate::figures::data::Data;
use crate::figures::key_value::{
    capabilities, compaction, components, grid, latency, mapping, phases, price, replay, scaling,
    stores, timeline, windows,
};
use crate::figures::{
    allocations, closed_loop, convergence, curves, engine, memory_and_time, model, over_label,
    per_object, protocols, refill, selections, traces,
};

pub(super) use stores::SHOWN;

/// What a builder is given.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    /// The run's folder.
    pub(super) folder: &'a Path,
    /// All rows of the run.
    pub(super) rows: &'a [Row],
    /// The figure's own suite.
    pub(super) suite: &'a str,
    /// What is to be shown, from above.
    pub(super) show: &'a [String],
    /// The label on the horizontal axis; empty where the builder knows it.
    pub(super) x: &'a str,
}

pub(super) type Make = fn(&Asked<'_>) -> Data;

/// The builder that shows what the declaration asks for.
const SIDE_BY_SIDE: &str = "side-by-side";
/// The same, over a label that the declaration names.
const OVER_LABEL: &str = "over-label";

const BUILDERS: [(&str, Make); 53] = [
    // Allocators, and stores whose object sizes change: what the cells do decides, not their suite.
    ("allocators", |asked| selections::allocators(asked.rows)),
    ("allocators-in-panels", |asked| selections::allocators_in_panels(asked.rows)),
    ("ramcloud-patterns", |asked| selections::ramcloud(asked.rows)),
    ("threads", |asked| selections::threads(asked.rows)),
    ("memory-over-time", |asked| curves::memory_over_time(asked.folder, asked.rows)),
    ("store-bloat", |asked| selections::stores(asked.rows)),
    ("memory-convergence", |asked| convergence::memory_convergence(asked.suite, asked.rows)),
    ("memory-protocols", |asked| protocols::memory_protocols(asked.rows)),
    ("refill", |asked| refill::refill(asked.rows)),
    ("malloc-traces", |asked| allocations::malloc_traces(asked.rows)),
    ("malloc-memory", |asked| allocations::malloc_memory(asked.rows)),
    // The cells of the figure's own suite.
    ("memory-and-time", |asked| memory_and_time::memory_and_time(asked.suite, asked.rows)),
    ("memory-per-object", |asked| per_object::memory_per_object(asked.suite, asked.rows)),
    ("throughput-memory", |asked| closed_loop::throughput_memory(asked.suite, asked.rows)),
    ("index-layouts", |asked| engine::index_layouts(asked.suite, asked.rows)),
    ("engine-knobs", |asked| engine::engine_knobs(asked.suite, asked.rows)),
    ("over-threads", |asked| scaling::over_threads(asked.suite, asked.rows)),
    ("in-place-ratio", |asked| scaling::in_place_ratio(asked.suite, asked.rows)),
    ("price-of-memory", |asked| price::price_of_memory(asked.suite, asked.rows)),
    ("over-fill", |asked| scaling::utilisation(asked.suite, asked.rows)),
    (SIDE_BY_SIDE, |asked| stores::side_by_side(asked.suite, asked.show, asked.rows)),
    (OVER_LABEL, |asked| over_label::over_label(asked.suite, (asked.x, asked.show), asked.rows)),
    ("by-workload", |asked| stores::ycsb_core(asked.suite, asked.rows)),
    ("first-touch", |asked| stores::first_touch(asked.suite, asked.rows)),
    ("components", |asked| components::components(asked.suite, asked.rows)),
    ("segment-block", |asked| compaction::segment_block(asked.suite, asked.rows)),
    ("compaction-workers", |asked| compaction::workers(asked.suite, asked.rows)),
    ("copy-routine", |asked| compaction::copy_routine(asked.suite, asked.rows)),
    ("latency-percentiles", |asked| latency::put_latency(asked.suite, asked.rows)),
    ("latency-over-throughput", |asked| latency::over_throughput(asked.suite, asked.rows)),
    ("latency-over-rate", |asked| latency::open_loop(asked.suite, asked.rows)),
    ("phases", |asked| phases::phases(asked.folder, asked.suite, asked.rows)),
    ("mapping-cost", |asked| mapping::mapping_cost(asked.suite, asked.rows)),
    ("parallel-mapping", |asked| mapping::parallel_mapping(asked.suite, asked.rows)),
    ("windows", |asked| windows::windows(asked.suite, asked.rows)),
    ("window-switches", |asked| windows::window_switches(asked.suite, asked.rows)),
    ("window-size", |asked| windows::window_size(asked.suite, asked.rows)),
    ("switch-cost", |asked| windows::switch_cost(asked.suite, asked.rows)),
    ("real-traces", |asked| replay::real_traces(asked.suite, asked.rows)),
    // Cells of several suites.
    ("weak-scaling", |asked| replay::weak_scaling(asked.rows)),
    ("over-utilisation", |asked| replay::over_utilisation(asked.rows)),
    ("capabilities", |asked| capabilities::capabilities(asked.rows)),
    ("timeline", |asked| timeline::timeline(asked.folder, asked.rows)),
    ("grid", |asked| grid::grid(asked.rows)),
    // Accounts of traces.
    ("trace-accesses", |asked| traces::accesses(asked.folder)),
    ("trace-operations", |asked| traces::kinds(asked.folder)),
    ("trace-live", |asked| traces::live(asked.folder)),
    ("trace-sizes", |asked| traces::sizes(asked.folder)),
    ("trace-reuse", |asked| traces::reuse(asked.folder)),
    // Predictions.
    ("predicted-components", |asked| model::breakdown(asked.rows)),
    ("predicted-postmark", |asked| model::completion(asked.rows)),
    ("predicted-rivals", |asked| model::throughput(asked.rows)),
    ("predicted-lsm", |asked| model::merge_trees(asked.rows)),
];

/// The builder called `name`.
pub(super) fn by_name(name: &str) -> Option<Make> {
    BUILDERS.iter().find(|(known, _)| *known == name).map(|(_, make)| *make)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILDERS.iter().map(|(name, _)| *name)
}

/// Whether the builder of that name shows what its declaration lists.
pub(super) fn leaves_a_choice(name: &str) -> bool {
    name == SIDE_BY_SIDE || takes_any_axis(name)
}

/// Whether the declaration names the horizontal axis.
pub(super) fn takes_any_axis(name: &str) -> bool {
    name == OVER_LABEL
}
