//! The columns, in their order. New ones go to the end, so that what reads by place goes on to work.

use std::fmt;

use super::step::{Step, text, word};

/// A column of the table.
pub struct Column {
    name: &'static str,
    meaning: &'static str,
    value: fn(&Step<'_>) -> String,
}

impl Column {
    const fn new(
        name: &'static str,
        meaning: &'static str,
        value: fn(&Step<'_>) -> String,
    ) -> Self {
        Self { name, meaning, value }
    }

    /// In snake case, its unit last.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it holds, as Markdown.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    pub(super) fn of(&self, step: &Step<'_>) -> String {
        (self.value)(step)
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// All of them.
pub const COLUMNS: &[Column] = &[
    Column::new("identity", "what the row is a result of", |step| step.row.identity.clone()),
    Column::new("cell", "id of the cell: one measured process", |step| step.row.cell.id.clone()),
    Column::new("repetition", "which repetition of the cell, from 0", |step| {
        step.row.cell.repetition.to_string()
    }),
    Column::new("suites", "suites that ask for the cell, a space between two", |step| {
        step.row.suites.join(" ")
    }),
    Column::new("role", "`store`, `allocator`, `kernel`, `roofline`, `price`", |step| {
        word(&step.row.role)
    }),
    Column::new("node", "name of the machine; format 4", |step| step.row.node.clone()),
    Column::new("counters", "whether hardware events were counted, which disturbs times", |step| {
        step.row.cell.counters.to_string()
    }),
    Column::new("system", "name in figures", |step| step.row.system.clone()),
    Column::new("engine", "the system without settings", |step| step.label("engine")),
    Column::new("settings", "settings of the system, `NAME=VALUE`, a space between two", |step| {
        step.settings()
    }),
    Column::new("family", "what kind of work", |step| step.label("family")),
    Column::new("threads", "threads that ask", |step| step.label("threads")),
    Column::new("pattern", "fragmentation: sizes and volume", |step| step.label("pattern")),
    Column::new("basis", "fragmentation: `ample` or `bounded` memory", |step| step.label("basis")),
    Column::new("frees", "fragmentation: which thread frees", |step| step.label("frees")),
    Column::new("observe", "fragmentation: when it idles and trims", |step| step.label("observe")),
    Column::new("workload", "requests: mix", |step| step.label("workload")),
    Column::new("keys", "requests: how popular keys are", |step| step.label("keys")),
    Column::new("value_bytes", "requests: sizes of values, as text", |step| {
        step.label("value-bytes")
    }),
    Column::new(
        "key_bytes",
        "requests: lengths of keys, as text; empty where they are words",
        |step| step.label("key-bytes"),
    ),
    Column::new("object_memory_bytes", "requests: memory configured for objects", |step| {
        step.label("object-memory-bytes")
    }),
    Column::new("fill_percent", "requests: live objects ÷ object memory", |step| {
        step.label("fill-percent")
    }),
    Column::new("ageing", "requests: what the store went through before", |step| {
        step.label("ageing")
    }),
    Column::new("resident", "requests: whether memory was made resident before", |step| {
        step.label("resident")
    }),
    Column::new("batch", "requests: operations per call", |step| step.label("batch")),
    Column::new("latency", "requests: which operations were timed", |step| step.label("latency")),
    Column::new("source", "requests: where operations came from", |step| step.label("source")),
    Column::new("loop", "requests: `closed`, `open`, `timed`", |step| step.label("loop")),
    Column::new("rate_ops_per_s", "open loops: requests scheduled", |step| step.label("rate")),
    Column::new("arrivals", "open loops: how requests follow", |step| step.label("arrivals")),
    Column::new("speed", "timed replays: how many times as fast", |step| step.label("speed")),
    Column::new("trace", "replays: name of the trace", |step| step.label("trace")),
    Column::new("working_sets", "replays: `private` or `shared` keys", |step| {
        step.label("working-sets")
    }),
    Column::new("copies", "replays: copies in step", |step| step.label("copies")),
    Column::new("miss", "replays: what follows a miss", |step| step.label("miss")),
    Column::new("copy_bytes", "copies: size of each", |step| step.label("copy-bytes")),
    Column::new("region_bytes", "mapping: size of a region", |step| step.label("region-bytes")),
    Column::new("page_bytes", "mapping: size of a page", |step| step.label("page-bytes")),
    Column::new("step", "step within the cell", |step| step.row.step.clone()),
    Column::new("outcome", "what came of it", |step| word(&step.row.outcome)),
    Column::new("expected", "whether the plan allows the outcome", |step| {
        step.row.expected.to_string()
    }),
    Column::new("reason", "why, where it was not measured", |step| {
        step.row.reason.clone().unwrap_or_default()
    }),
    Column::new("operations", "operations in the step", |step| step.row.operations.to_string()),
    Column::new("elapsed_ns", "wall time", |step| step.row.elapsed_ns.to_string()),
    Column::new("throughput_ops_per_s", "operations per second of wall time", |step| {
        step.row.throughput_ops_per_s.to_string()
    }),
    Column::new("cpu_user_ns", "user time of all threads and processes", |step| {
        step.row.cpu.user_ns.to_string()
    }),
    Column::new("cpu_system_ns", "system time of the same", |step| {
        step.row.cpu.system_ns.to_string()
    }),
    Column::new("efficiency", "time of the roofline ÷ time of the store", |step| {
        step.metric("efficiency")
    }),
    Column::new("resident_at_once_bytes", "memory right after the step", |step| {
        step.at(|memory| memory.at_once, |point| point.resident_bytes)
    }),
    Column::new("live_at_once_bytes", "live bytes at that moment", |step| {
        step.at(|memory| memory.at_once, |point| point.live_bytes)
    }),
    Column::new("overhead_at_once", "resident ÷ live bytes at that moment", |step| {
        step.metric("overhead")
    }),
    Column::new("resident_after_idle_bytes", "memory after an idle wait", |step| {
        step.at(|memory| memory.after_idle, |point| point.resident_bytes)
    }),
    Column::new("live_after_idle_bytes", "live bytes at that moment", |step| {
        step.at(|memory| memory.after_idle, |point| point.live_bytes)
    }),
    Column::new("overhead_after_idle", "resident ÷ live bytes at that moment", |step| {
        step.metric("overhead-after-idle")
    }),
    Column::new("resident_after_trim_bytes", "memory after memory was asked back", |step| {
        step.at(|memory| memory.after_trim, |point| point.resident_bytes)
    }),
    Column::new("live_after_trim_bytes", "live bytes at that moment", |step| {
        step.at(|memory| memory.after_trim, |point| point.live_bytes)
    }),
    Column::new("overhead_after_trim", "resident ÷ live bytes at that moment", |step| {
        step.metric("overhead-after-trim")
    }),
    Column::new(
        "overhead_all_in",
        "the larger of configured memory, index included, and resident memory ÷ live bytes",
        |step| step.metric("overhead-all-in"),
    ),
    Column::new("overhead_log_only", "configured object memory ÷ live bytes", |step| {
        step.metric("overhead-log-only")
    }),
    Column::new("overhead_peak", "replays: highest memory ÷ most live bytes", |step| {
        step.metric("overhead-peak")
    }),
    Column::new("sampled_max_bytes", "highest sample of memory in the step", |step| {
        text(step.row.memory.as_ref().and_then(|memory| memory.sampled_max_bytes))
    }),
    Column::new("latency_samples", "timed operations", |step| step.latency("samples")),
    Column::new("latency_p50_ns", "median latency", |step| step.latency("p50")),
    Column::new("latency_p90_ns", "percentile 90", |step| step.latency("p90")),
    Column::new("latency_p95_ns", "percentile 95", |step| step.latency("p95")),
    Column::new("latency_p99_ns", "percentile 99", |step| step.latency("p99")),
    Column::new("latency_p99_9_ns", "percentile 99.9", |step| step.latency("p99.9")),
    Column::new("latency_p99_99_ns", "percentile 99.99", |step| step.latency("p99.99")),
    Column::new("latency_max_ns", "highest latency", |step| step.latency("max")),
    Column::new("flags", "what to know before quoting it, a space between two", |step| {
        step.row.flags.iter().map(|flag| flag.word()).collect::<Vec<_>>().join(" ")
    }),
    Column::new("think_ns", "requests: nanoseconds between an answer and the next", |step| {
        step.label("think-ns")
    }),
    // A label that is new needs no column: it is found here.
    Column::new("labels", "all labels, `NAME=VALUE`, a space between two", |step| {
        step.all_labels()
    }),
];
