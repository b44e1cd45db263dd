//! The table of settings, in the order in which ids, axes and options name them.

use std::fmt::Display;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::words::{in_bytes, rate, spaced, untold};
use super::{Dimension, Given};
use crate::{Driver, KeyValue, LiveSet, Replay, Source, Timing};

pub const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "workload",
        label: "workload",
        title: "workload",
        help: "Which kinds of requests, in which shares",
        given: Given::Otherwise,
        get: |work| unless_replayed(work, work.workload.name.clone()),
        set: |_, value| Err(format!("workload `{value}`: workloads are given by `workloads`")),
        id: |work| format!("-{}", work.workload.name),
        words: spaced,
    },
    Dimension {
        name: "distributions",
        label: "keys",
        title: "keys",
        help: "Key distribution in place of the workload's own: uniform, zipfian:0.99, \
               ycsb-scrambled, latest:0.99, hotspot:0.2:0.8, sequential",
        given: Given::InSuites,
        get: |work| unless_replayed(work, work.workload.keys.to_string()),
        set: |work, value| parse(value).map(|keys| work.workload.keys = keys),
        id: |work| format!("-{}", work.workload.keys),
        words: spaced,
    },
    Dimension {
        name: "value-bytes",
        label: "value-bytes",
        title: "value size",
        help: "Bytes of every value in place of the workload's own: 100, 1KiB, 50-150, \
               zipfian:10-1000:0.99",
        given: Given::Plainly,
        get: |work| unless_replayed(work, work.workload.value_bytes.to_string()),
        set: |work, value| parse(value).map(|sizes| work.workload.value_bytes = sizes),
        id: |work| format!("-value-{}", work.workload.value_bytes),
        words: |value| format!("values of {}", in_bytes(value)),
    },
    Dimension {
        name: "key-bytes",
        label: "key-bytes",
        title: "key size",
        help: "Bytes of every key, which is a byte string then: 16, 8..64, zipfian:16-256:0.99; words \
               without it",
        given: Given::Plainly,
        get: |work| unless_replayed(work, work.workload.key_bytes.as_ref()?.to_string()),
        set: |work, value| parse(value).map(|sizes| work.workload.key_bytes = Some(sizes)),
        id: |work| {
            let sizes = work.workload.key_bytes.as_ref();
            sizes.map_or_else(String::new, |sizes| format!("-key-{sizes}"))
        },
        words: |value| format!("keys of {}", in_bytes(value)),
    },
    Dimension {
        name: "lifetime-ms",
        label: "lifetime-ms",
        title: "lifetime, ms",
        help: "How long the values of write-expiring live, in milliseconds, in place of the workload's \
               own: whole seconds where the store counts in seconds",
        given: Given::InSuites,
        get: |work| work.workload.lifetime_ms.map(|milliseconds| milliseconds.to_string()),
        set: |work, value| {
            parse(value).map(|milliseconds| work.workload.lifetime_ms = Some(milliseconds))
        },
        id: |work| {
            let lifetime_ms = work.workload.lifetime_ms;
            lifetime_ms.map_or_else(String::new, |milliseconds| format!("-lifetime-{milliseconds}"))
        },
        words: |value| format!("lifetimes of {value} ms"),
    },
    Dimension {
        name: "fill-percent",
        label: "fill-percent",
        title: "fill, %",
        help: "Live object bytes ÷ object memory before the clock, in percent",
        given: Given::Plainly,
        get: |work| Some(work.fill_percent.to_string()),
        set: |work, value| parse(value).map(|percent| work.fill_percent = percent),
        id: |work| format!("-fill-{}", work.fill_percent),
        words: |value| format!("{value} % fill"),
    },
    Dimension {
        name: "cache-percent",
        label: "cache-percent",
        title: "memory for data, % of it",
        help: "Memory that may hold data of a store on a disk, the page cache included, in percent of the \
               live keys and values: 25 for four times as much data",
        given: Given::InSuites,
        get: |work| work.cache_percent.map(|percent| percent.to_string()),
        set: |work, value| parse(value).map(|percent| work.cache_percent = Some(percent)),
        id: |work| {
            work.cache_percent.map_or_else(String::new, |percent| format!("-cache-{percent}"))
        },
        words: |value| format!("memory for {value} % of the data"),
    },
    Dimension {
        name: "live-set",
        label: "live-set",
        title: "live set",
        help: "What stays the same where the fill varies: by-fill (the object memory does), fixed \
               (the live set does, larger than the caches)",
        given: Given::InSuites,
        get: |work| unless_replayed(work, word(work.live_set)),
        set: |work, value| named(value).map(|live_set| work.live_set = live_set),
        id: |work| match work.live_set {
            LiveSet::ByFill => String::new(),
            LiveSet::Fixed => "-live-set-fixed".to_owned(),
        },
        words: |value| match value {
            "by-fill" => String::new(),
            _ => format!("{value} live set"),
        },
    },
    Dimension {
        name: "threads",
        label: "threads",
        title: "threads",
        help: "Threads, pinned to cores in turn",
        given: Given::Otherwise,
        get: |work| Some(work.threads.to_string()),
        set: |work, value| parse(value).map(|threads| work.threads = threads),
        id: |work| format!("-threads-{}", work.threads),
        words: |value| {
            if value == "1" { "1 thread".to_owned() } else { format!("{value} threads") }
        },
    },
    Dimension {
        name: "batch",
        label: "batch",
        title: "operations per call",
        help: "Operations per call, 1 to 64",
        given: Given::Otherwise,
        get: |work| Some(work.batch().to_string()),
        set: |work, value| parse(value).map(|batch| work.driver = Driver::Closed { batch }),
        id: |work| match work.driver {
            Driver::Closed { batch } => format!("-batch-{batch}"),
            Driver::Open { rate_ops_per_s, arrivals } => {
                format!("-{}-{rate_ops_per_s}", arrivals.word())
            }
            Driver::Timed { speed } => format!("-speed-{speed}"),
            Driver::Bare => "-bare".to_owned(),
        },
        words: |value| match value {
            "1" => "single operations".to_owned(),
            _ => format!("batches of {value}"),
        },
    },
    Dimension {
        name: "loop",
        label: "loop",
        title: "loop",
        help: "When requests are sent: closed, open, timed, bare",
        given: Given::Otherwise,
        get: |work| {
            let word = match work.driver {
                Driver::Closed { .. } => "closed",
                Driver::Open { .. } => "open",
                Driver::Timed { .. } => "timed",
                Driver::Bare => "bare",
            };
            Some(word.to_owned())
        },
        set: |work, value| match value {
            "bare" => {
                work.driver = Driver::Bare;
                Ok(())
            }
            "closed" => {
                work.driver = Driver::Closed { batch: work.batch() };
                Ok(())
            }
            _ => Err(format!("loop `{value}`: a rate or a speed says which loop it is")),
        },
        id: |_| String::new(),
        words: untold,
    },
    Dimension {
        name: "rate-ops-per-s",
        label: "rate",
        title: "scheduled rate, requests/s",
        help: "Requests a second of all threads together, sent whether answered or not",
        given: Given::Otherwise,
        get: |work| match work.driver {
            Driver::Open { rate_ops_per_s, .. } => Some(rate_ops_per_s.to_string()),
            _ => None,
        },
        set: |work, value| {
            let arrivals = match work.driver {
                Driver::Open { arrivals, .. } => arrivals,
                _ => Default::default(),
            };
            parse(value)
                .map(|rate_ops_per_s| work.driver = Driver::Open { rate_ops_per_s, arrivals })
        },
        id: |_| String::new(),
        words: rate,
    },
    Dimension {
        name: "arrivals",
        label: "arrivals",
        title: "arrivals",
        help: "How scheduled requests follow one another: poisson, constant",
        given: Given::Otherwise,
        get: |work| match work.driver {
            Driver::Open { arrivals, .. } => Some(arrivals.word().to_owned()),
            _ => None,
        },
        set: |work, value| match &mut work.driver {
            Driver::Open { arrivals, .. } => named(value).map(|named| *arrivals = named),
            _ => Err(format!("arrivals `{value}`: only requests on a schedule have them")),
        },
        id: |_| String::new(),
        words: untold,
    },
    Dimension {
        name: "speed",
        label: "speed",
        title: "speed",
        help: "How many times as fast as the trace",
        given: Given::Otherwise,
        get: |work| match work.driver {
            Driver::Timed { speed } => Some(speed.to_string()),
            _ => None,
        },
        set: |work, value| parse(value).map(|speed| work.driver = Driver::Timed { speed }),
        id: |_| String::new(),
        words: |value| format!("the trace's times × {value}"),
    },
    Dimension {
        name: "ageing",
        label: "ageing",
        title: "ageing",
        help: "What stores go through before the clock: none, rewrites:1, churn:2, litter:10",
        given: Given::InSuites,
        get: |work| Some(work.ageing.to_string()),
        set: |work, value| parse(value).map(|ageing| work.ageing = ageing),
        id: |work| match work.ageing.is_none() {
            true => String::new(),
            false => format!("-{}", work.ageing),
        },
        words: |value| match value {
            "none" => "not aged".to_owned(),
            _ => format!("ageing {}", spaced(value)),
        },
    },
    Dimension {
        name: "source",
        label: "source",
        title: "source of requests",
        help: "Where requests come from: prepared before the clock, or made in-loop",
        given: Given::InSuites,
        get: |work| Some(word(work.source)),
        set: |work, value| named(value).map(|source| work.source = source),
        id: |work| if work.source == Source::InLoop { "-in-loop".into() } else { String::new() },
        words: |value| match value {
            "prepared" => String::new(),
            _ => "requests made within the clock".to_owned(),
        },
    },
    Dimension {
        name: "resident",
        label: "resident",
        title: "memory resident before the clock",
        help: "Whether memory is made resident before the clock",
        given: Given::InSuites,
        get: |work| Some(work.resident.to_string()),
        set: |work, value| parse(value).map(|resident| work.resident = resident),
        id: |work| if work.resident { String::new() } else { "-not-resident".to_owned() },
        words: |value| match value {
            "true" => "memory resident before the clock".to_owned(),
            _ => "memory touched within the clock".to_owned(),
        },
    },
    Dimension {
        name: "think-ns",
        label: "think-ns",
        title: "think time, ns",
        help: "Nanoseconds that a thread computes between an answer and its next request: single \
               operations of closed loops",
        given: Given::Plainly,
        get: |work| (work.think_ns > 0).then(|| work.think_ns.to_string()),
        set: |work, value| parse(value).map(|ns| work.think_ns = ns),
        id: |work| match work.think_ns {
            0 => String::new(),
            ns => format!("-think-{ns}"),
        },
        words: |value| format!("{value} ns of thought between requests"),
    },
    Dimension {
        name: "phases",
        label: "phases",
        title: "phases",
        help: "Shares of PUTs in percent that take turns, each for an equal part of the requests: 2-15-0",
        given: Given::InSuites,
        get: |work| work.phases.as_ref().map(ToString::to_string),
        set: |work, value| parse(value).map(|phases| work.set_phases(phases)),
        id: |work| {
            work.phases.as_ref().map_or_else(String::new, |phases| format!("-puts-{phases}"))
        },
        words: |value| format!("PUTs in phases of {value} %"),
    },
    Dimension {
        name: "sampled",
        label: "sampled",
        title: "sampled statistic",
        help: "A counter of the store that is read ten times a second while the clock runs; a \
               row's `statistics` name them",
        given: Given::InSuites,
        get: |work| work.sampled.clone(),
        set: |work, value| counter(value).map(|name| work.sampled = Some(name)),
        id: |work| {
            work.sampled.as_ref().map_or_else(String::new, |name| format!("-sampled-{name}"))
        },
        words: untold,
    },
    Dimension {
        name: "latency",
        label: "latency",
        title: "timed operations",
        help: "Which operations are timed: sampled (one in 64 or fewer), all, off",
        given: Given::InSuites,
        get: |work| Some(word(work.latency)),
        set: |work, value| named(value).map(|latency| work.latency = latency),
        id: |work| match (work.latency, work.driver) {
            (Timing::All, Driver::Closed { .. }) => "-all-timed".to_owned(),
            (Timing::Off, _) => "-untimed".to_owned(),
            _ => String::new(),
        },
        words: untold,
    },
    Dimension {
        name: "object-memory-bytes",
        label: "object-memory-bytes",
        title: "object memory, bytes",
        help: "Memory configured for objects",
        given: Given::Otherwise,
        // Where the live set is fixed, it says nothing that the fill does not.
        get: |work| match work.live_set {
            LiveSet::ByFill => unless_replayed(work, work.object_memory_bytes.to_string()),
            LiveSet::Fixed => None,
        },
        set: |work, value| parse(value).map(|bytes| work.object_memory_bytes = bytes),
        id: |_| String::new(),
        words: untold,
    },
    Dimension {
        name: "trace",
        label: "trace",
        title: "trace",
        help: "The trace that is replayed",
        given: Given::Otherwise,
        get: |work| of_replay(work, |replay| replay.trace.clone()),
        set: |_, value| Err(format!("trace `{value}`: traces are given by [[replay]] tables")),
        id: |_| String::new(),
        words: |value| format!("trace {value}"),
    },
    Dimension {
        name: "working-sets",
        label: "working-sets",
        title: "working sets",
        help: "Whether each thread has keys of its own: private, shared",
        given: Given::Otherwise,
        get: |work| of_replay(work, |replay| replay.working_sets.word().to_owned()),
        set: |_, value| Err(format!("working-sets `{value}`: [[replay]] tables have them")),
        id: |_| String::new(),
        words: |value| format!("{value} working sets"),
    },
    Dimension {
        name: "copies",
        label: "copies",
        title: "copies of the trace",
        help: "Copies of the trace in step, each with keys of its own",
        given: Given::Otherwise,
        get: |work| of_replay(work, |replay| replay.copies.to_string()),
        set: |_, value| Err(format!("copies `{value}`: [[replay]] tables have them")),
        id: |_| String::new(),
        words: untold,
    },
    Dimension {
        name: "miss",
        label: "miss",
        title: "after a miss",
        help: "What follows a GET that misses: nothing, set",
        given: Given::Otherwise,
        get: |work| of_replay(work, |replay| word(replay.miss)),
        set: |_, value| Err(format!("miss `{value}`: [[replay]] tables have it")),
        id: |_| String::new(),
        words: untold,
    },
];

/// `value`, for a cell that generates its own requests; those of a replay are the trace's.
fn unless_replayed(work: &KeyValue, value: String) -> Option<String> {
    work.replay.is_none().then_some(value)
}

fn of_replay(work: &KeyValue, of: impl Fn(&Replay) -> String) -> Option<String> {
    work.replay.as_deref().map(of)
}

/// The name of a counter.
fn counter(value: &str) -> Result<String, String> {
    let fits =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if !value.is_empty() && value.chars().all(fits) {
        return Ok(value.to_owned());
    }
    Err(format!("`{value}`: a counter's name has a-z, 0-9 and `_`, as in a row's `statistics`"))
}

fn parse<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

/// Name of a plain enum variant in files.
fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("plain data");
    value.as_str().unwrap_or_default().to_owned()
}

/// The plain enum variant with that name.
fn named<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    serde_json::from_value(word.into()).map_err(|error| error.to_string())
}
