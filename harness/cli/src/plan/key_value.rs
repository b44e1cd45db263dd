//! From `[[key-value]]` grids to cells.

use std::ops::RangeInclusive;

use workloads::bytes::format_bytes;
use workloads::requests::{Mix, Workload};

use super::{Draft, MachineLimits, cache, capabilities, check_threads, finish, keys, phases};
use crate::suites::{Bytes, KeyValueGrid, Suite, on_cores};
use record::{Cell, Driver, KeyValue, LiveSet, Scale, Source, System, Timing, Work, unknown_name};
use worker::registry;

/// Keys and values of `get-N` where a grid names none.
const DEFAULT_WORKLOAD: &str = "get-50";

pub(super) fn cells(
    suite: &Suite,
    grid: &KeyValueGrid,
    (scale, limits): (&Scale, MachineLimits),
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| format!("{}: {message}", suite.name);
    let repetitions = draft.repetitions(suite, grid.repetitions, scale).map_err(fail)?;
    let mut systems = Vec::new();
    for store in grid.stores_with_knobs().map_err(fail)? {
        systems.push(registry::store(&store)?);
    }
    for mut work in works(suite, grid, (scale, limits)).map_err(fail)? {
        if work.live_set == LiveSet::Fixed {
            check_not_sized(grid).map_err(fail)?;
            let live_bytes = scale.live_set_bytes_for(limits.cache_bytes);
            work.object_memory_bytes = live_bytes * 100 / u64::from(work.fill_percent.max(1));
        }
        // What cannot be has no sizes.
        work.workload.validate().map_err(|error| fail(error.to_string()))?;
        let asked = work.operations_per_thread;
        work.size_records();
        check_key_value(&work).map_err(fail)?;
        if work.operations_per_thread < asked && names_operations(grid, scale) {
            draft.tell(suite, fewer_operations(&work, asked));
        }
        // Memory alone is asked by words, record by record, and says nothing of other keys, of groups or of
        // lifetimes.
        let asks_more = work.workload.is_of_moments() || work.workload.expires();
        let has_roofline = grid.roofline && work.workload.key_bytes.is_none() && !asks_more;
        let roofline = has_roofline.then(registry::roofline);
        for system in systems.iter().chain(&roofline) {
            check_store(system, &work).map_err(fail)?;
            let work =
                KeyValue { at_most_ms: at_most_ms(scale, grid, system, &work), ..work.clone() };
            for repetition in 0..repetitions {
                let cell = key_value_cell(suite, scale, system.clone(), repetition, work.clone());
                check_object_memory(grid.object_memory, &cell, limits).map_err(fail)?;
                draft.cells.push(cell);
            }
        }
    }
    Ok(())
}

/// A fixed live set leaves no object memory to be given.
fn check_not_sized(grid: &KeyValueGrid) -> Result<(), String> {
    let sized = [
        ("object-memory", grid.object_memory),
        ("object-memory-at-most", grid.object_memory_at_most),
    ];
    match sized.into_iter().find(|(_, bytes)| bytes.is_some()) {
        Some((key, _)) => Err(format!(
            "`{key}`: where the live set is fixed, the object memory follows from the fill: drop it, \
             or `live-set`"
        )),
        None => Ok(()),
    }
}

/// Whether somebody said how many operations there are to be.
fn names_operations(grid: &KeyValueGrid, scale: &Scale) -> bool {
    let usual = Scale::by_name(&scale.name).map(|usual| usual.operations_per_thread);
    grid.operations_factor.is_some() || usual != Some(scale.operations_per_thread)
}

/// Why `work` has fewer operations than the `asked`.
pub(crate) fn fewer_operations(work: &KeyValue, asked: u64) -> String {
    format!(
        "workload `{}` at {} % fill: {} of {asked} operations of each thread are made: there is no room \
         for more inserts",
        work.workload.name, work.fill_percent, work.operations_per_thread
    )
}

/// Refuses an object memory that is asked for and that this machine does not have.
fn check_object_memory(
    asked: Option<Bytes>,
    cell: &Cell,
    limits: MachineLimits,
) -> Result<(), String> {
    let (Some(Bytes(asked)), allowed) = (asked, limits.allowed_bytes()) else { return Ok(()) };
    let needed = cell.expected_bytes();
    if needed <= allowed {
        return Ok(());
    }
    let nearest = match object_memory_that_fits(cell, allowed) {
        Some(bytes) => format!("the nearest is {}", format_bytes(bytes as usize)),
        None => "free memory".to_owned(),
    };
    Err(format!(
        "object-memory = {}: cell `{}` may need {} MiB, and a cell may need {} MiB here: {nearest}",
        format_bytes(asked as usize),
        cell.id,
        needed >> 20,
        allowed >> 20
    ))
}

/// The most object memory, in whole MiB, with which `cell` needs no more than `allowed`.
fn object_memory_that_fits(cell: &Cell, allowed: u64) -> Option<u64> {
    let mut smaller = cell.clone();
    // What a cell needs grows nearly as its object memory does: a few steps lead there.
    for _ in 0..16 {
        let needed = smaller.expected_bytes();
        let Work::KeyValue(work) = &mut smaller.work else { return None };
        if needed <= allowed {
            return Some(work.object_memory_bytes);
        }
        let share = u128::from(work.object_memory_bytes) * u128::from(allowed) / u128::from(needed);
        work.object_memory_bytes = (share as u64 >> 20).checked_sub(1)? << 20;
        if work.object_memory_bytes < OBJECT_MEMORY_BYTES_MIN {
            return None;
        }
        work.size_records();
    }
    None
}

/// The time after which a cell ends. None where its operations are counted: where requests were dealt to
/// workers, the busiest decides when all are done; and inserts are as many as the memory has room for.
fn at_most_ms(scale: &Scale, grid: &KeyValueGrid, system: &System, work: &KeyValue) -> Option<u64> {
    let partitioned =
        registry::traits_of(system).is_some_and(|traits| traits.sharing.is_partitioned());
    let timed = grid.operations_factor.is_none()
        && matches!(work.driver, Driver::Closed { .. })
        && work.phases.is_none()
        && !work.workload.inserts()
        && !partitioned;
    Some(scale.step_ms).filter(|&ms| ms > 0 && timed).map(|ms| ms.max(lifetimes_ms(work)))
}

/// The time in which values with a lifetime are written, end and are written again, if that is short.
fn lifetimes_ms(work: &KeyValue) -> u64 {
    const LIFETIMES: u64 = 3;
    const AT_MOST_MS: u64 = 10_000;
    let lifetime_ms = work.workload.lifetime_ms.unwrap_or(0);
    lifetime_ms.saturating_mul(LIFETIMES).min(AT_MOST_MS)
}

/// Every combination of the grid but its stores.
pub(crate) fn works(
    suite: &Suite,
    grid: &KeyValueGrid,
    (scale, limits): (&Scale, MachineLimits),
) -> Result<Vec<KeyValue>, String> {
    let threads = on_cores(&grid.threads, limits.cores);
    threads.iter().try_for_each(|&threads| check_threads(threads))?;
    let factor = grid.operations_factor.unwrap_or(1.0);
    if !(factor > 0.0 && factor.is_finite()) {
        return Err(format!("operations-factor = {factor}: must be above 0; 0.5 is half as many"));
    }
    let operations = scale.operations_per_thread as f64 * factor;
    let object_memory = object_memory(grid, scale)?;
    let mut all = vec![KeyValue {
        operations_per_thread: operations as u64,
        ..KeyValue::plain(workload(suite, DEFAULT_WORKLOAD)?, object_memory)
    }];
    let asked = grid.workloads.iter().map(|name| workload(suite, name));
    let asked = asked.collect::<Result<Vec<Workload>, String>>()?;
    let shares = grid.get_percent.iter().map(|&percent| get_workload(percent));
    let shares = shares.collect::<Result<Vec<Workload>, String>>()?;
    let has_phases = phases::take_the_place_of_workloads(grid)?;
    if asked.is_empty() && shares.is_empty() && !has_phases {
        return Err("a [[key-value]] table names none of `workloads`, `get-percent` and `phases`"
            .to_owned());
    }
    let workloads: Vec<Workload> = asked.into_iter().chain(shares).collect();
    vary(&mut all, &workloads, |work, workload| work.workload = workload.clone());
    vary(&mut all, &threads, |work, threads| work.threads = *threads);
    for (dimension, values) in grid.settings() {
        vary(&mut all, values, |work, value| {
            (dimension.set)(work, value).expect("it was read before");
        });
    }
    if grid.rate_ops_per_s.is_empty() {
        if grid.arrivals.is_some() {
            return Err(
                "`arrivals` are of an open loop: drop it, or add `rate-ops-per-s`".to_owned()
            );
        }
        vary(&mut all, &grid.batch, |work, batch| work.driver = Driver::Closed { batch: *batch });
    } else {
        check_schedule(grid)?;
        vary(&mut all, &grid.rate_ops_per_s, |work, rate| {
            let arrivals = grid.arrivals.unwrap_or_default();
            work.driver = Driver::Open { rate_ops_per_s: *rate, arrivals };
            // Every request of an open loop is timed, and a run lasts as long at every rate.
            work.latency = Timing::All;
            let operations = rate * scale.open_loop_s / work.threads as f64;
            work.operations_per_thread = (operations * factor).ceil() as u64;
        });
    }
    Ok(all)
}

/// The object memory of a grid, where its live set is not fixed.
fn object_memory(grid: &KeyValueGrid, scale: &Scale) -> Result<u64, String> {
    match (grid.object_memory, grid.object_memory_at_most) {
        (Some(_), Some(_)) => {
            Err("`object-memory` and `object-memory-at-most` exclude each other: drop \
                                   one"
            .to_owned())
        }
        (Some(Bytes(bytes)), None) => Ok(bytes),
        (None, Some(Bytes(most))) => Ok(scale.store_bytes.min(most)),
        (None, None) => Ok(scale.store_bytes),
    }
}

/// A schedule sends single requests, and each is timed.
fn check_schedule(grid: &KeyValueGrid) -> Result<(), String> {
    if grid.batch != [1] {
        return Err("`rate-ops-per-s` schedules single requests: drop `batch`".to_owned());
    }
    let mut timed = grid.settings().filter(|(dimension, _)| dimension.name == "latency");
    if timed.any(|(_, values)| values != ["all"]) {
        return Err("`latency`: every request of an open loop is timed: drop it".to_owned());
    }
    Ok(())
}

/// Every work with every value; as they are where there are no values.
fn vary<T>(all: &mut Vec<KeyValue>, values: &[T], set: impl Fn(&mut KeyValue, &T)) {
    if values.is_empty() {
        return;
    }
    let varied = all.iter().flat_map(|work| {
        values.iter().map(|value| {
            let mut work = work.clone();
            set(&mut work, value);
            work
        })
    });
    *all = varied.collect();
}

/// A share of GETs, the rest updates.
pub(crate) fn get_workload(percent: u32) -> Result<Workload, String> {
    if percent > 100 {
        return Err(format!("get-percent = {percent}: must be 0 to 100; the nearest is 100"));
    }
    let base = Workload::by_name(DEFAULT_WORKLOAD).expect("it is built in");
    let mix = Mix::gets(f64::from(percent)).map_err(|error| error.to_string())?;
    let name = format!("get-{percent}");
    Ok(Workload { name, mix, ..base })
}

/// The suite's own workload of that name, or a built-in one.
fn workload(suite: &Suite, name: &str) -> Result<Workload, String> {
    if let Some(own) = suite.workloads.iter().find(|workload| workload.name == name) {
        own.validate().map_err(|error| format!("workload `{name}`: {error}"))?;
        return Ok(own.clone());
    }
    Workload::by_name(name).ok_or_else(|| {
        let built_in = Workload::names();
        let own = suite.workloads.iter().map(|workload| workload.name.as_str());
        unknown_name("workload", name, own.chain(built_in.iter().map(String::as_str)))
    })
}

/// A store of words takes no byte strings; one that is not ordered cannot scan, and some have no snapshots;
/// where keys belong to workers, requests are dealt before the clock and must be there.
pub(crate) fn check_store(system: &System, work: &KeyValue) -> Result<(), String> {
    let workload = &work.workload;
    if let Some(sizes) = &workload.key_bytes {
        keys::check(system, sizes)?;
    }
    let partitioned =
        registry::traits_of(system).is_some_and(|traits| traits.sharing.is_partitioned());
    if partitioned && work.source == Source::InLoop {
        return Err(format!(
            "requests to `{}` are dealt to the workers of their keys before the clock: drop \
             `source = \"in-loop\"`",
            system.label()
        ));
    }
    if partitioned && work.phases.is_some() {
        return Err(phases::dealt(system));
    }
    if partitioned && matches!(work.driver, Driver::Timed { .. }) {
        return Err(format!(
            "requests to `{}` are dealt to the workers of their keys, and their times are not: drop \
             `speed`",
            system.label()
        ));
    }
    capabilities::check(system, workload)?;
    cache::check(system, work)
}

/// One key-value cell; also what `compare` and `search` are made of.
#[must_use]
pub fn key_value_cell(
    suite: &Suite,
    scale: &Scale,
    system: System,
    repetition: u32,
    work: KeyValue,
) -> Cell {
    let id = format!("key-value/{}/{}", work.name(), system.label());
    finish(suite, scale, system, repetition, id, Work::KeyValue(work))
}

/// Least object memory of a cell: stores need some blocks.
const OBJECT_MEMORY_BYTES_MIN: u64 = 8 << 20;
/// Most object memory, beyond any machine's.
const OBJECT_MEMORY_BYTES_MAX: u64 = 1 << 46;
/// Rates of open loops, in requests a second.
const RATES: RangeInclusive<f64> = 1.0..=1e9;
/// Longest open loop and longest closed loop that a cell may be asked for, in operations.
const OPERATIONS_MAX: u64 = 1 << 32;

/// Checks a key-value workload's numbers.
///
/// # Errors
/// The value and what is allowed.
pub fn check_key_value(work: &KeyValue) -> Result<(), String> {
    work.workload.validate().map_err(|error| error.to_string())?;
    keys::check_enough(work)?;
    check_threads(work.threads)?;
    let within = |name: &str, value: u64, from: u64, to: u64| {
        if (from..=to).contains(&value) {
            Ok(())
        } else {
            let nearest = value.clamp(from, to);
            Err(format!("{name} = {value}: must be {from} to {to}; the nearest is {nearest}"))
        }
    };
    within("value-bytes", work.workload.value_bytes_max() as u64, 0, (16 << 20) - 1)?;
    within("fill-percent", work.fill_percent.into(), 1, 98)?;
    let cache_percent = work.cache_percent.unwrap_or(1);
    within("cache-percent", cache_percent.into(), 1, 1000)?;
    within("batch", work.batch() as u64, 1, 64)?;
    if let Some(rate) = work.rate_ops_per_s()
        && !RATES.contains(&rate)
    {
        let nearest = rate.clamp(*RATES.start(), *RATES.end());
        return Err(format!("rate-ops-per-s = {rate}: must be 1 to 1e9; the nearest is {nearest}"));
    }
    within("operations", work.operations_per_thread, 1, OPERATIONS_MAX)?;
    within(
        "object-memory-bytes",
        work.object_memory_bytes,
        OBJECT_MEMORY_BYTES_MIN,
        OBJECT_MEMORY_BYTES_MAX,
    )?;
    if work.driver == Driver::Bare && !work.workload.only_gets_and_updates() {
        return Err(format!(
            "workload `{}` with loop `bare`: a bare loop is written for GETs and updates alone: use \
             get-100, get-50 or get-0",
            work.workload.name
        ));
    }
    within("think-ns", work.think_ns, 0, 1_000_000_000)?;
    if work.think_ns > 0 && (work.batch() > 1 || !matches!(work.driver, Driver::Closed { .. })) {
        return Err(format!(
            "think-ns = {}: only single operations of a closed loop wait for their answers: drop \
             `batch` or `rate-ops-per-s`",
            work.think_ns
        ));
    }
    phases::check(work)?;
    let workload = &work.workload;
    let is_single = workload.is_of_moments() || workload.expires();
    if work.batch() > 1 && (workload.scans() || workload.modifies() || is_single) {
        return Err(format!(
            "workload `{}` scans, asks for groups, writes values with lifetimes, or writes what it has just \
             read: it cannot be sent in batches",
            work.workload.name
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: MachineLimits =
        MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 32 << 20 };

    fn memories(object_memory: &str, scale: &str) -> Vec<u64> {
        let text = format!(
            "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
             value-bytes = [100]\nfill-percent = [50]\nthreads = [1]\nrepetitions = 1\n{object_memory}"
        );
        let suite = Suite::parse("my.toml", &text).unwrap();
        let mut planned = Draft::default();
        let scale = Scale::by_name(scale).unwrap();
        cells(&suite, &suite.key_value[0], (&scale, HERE), &mut planned).unwrap();
        let work = planned.cells.iter().map(|cell| match &cell.work {
            Work::KeyValue(work) => work,
            other => panic!("{other:?}"),
        });
        work.map(|work| {
            let half = work.object_memory_bytes / 2;
            assert!((half - 112..=half).contains(&(work.records * 112)), "{work:?}");
            work.object_memory_bytes
        })
        .collect()
    }

    #[test]
    fn a_grid_gets_the_object_memory_that_it_asks_for() {
        assert_eq!(memories("", "quick"), [256 << 20; 2]);
        assert_eq!(memories("object-memory = \"32MiB\"", "quick"), [32 << 20; 2]);
        assert_eq!(memories("object-memory = \"1GiB\"", "smoke"), [1 << 30; 2]);
        assert_eq!(memories("object-memory-at-most = \"1GiB\"", "smoke"), [48 << 20; 2]);
        assert_eq!(memories("object-memory-at-most = \"32MiB\"", "smoke"), [32 << 20; 2]);
    }

    /// What a grid of a store is refused with, or told.
    fn answered(grid: &str) -> Result<Vec<String>, String> {
        let text = format!(
            "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nfill-percent = [50]\n\
             threads = [1]\n{grid}"
        );
        let suite = Suite::parse("my.toml", &text).map_err(|error| error.to_string())?;
        let (scale, mut draft) = (Scale::by_name("smoke").unwrap(), Draft::default());
        cells(&suite, &suite.key_value[0], (&scale, HERE), &mut draft)?;
        Ok(draft.notices.into_iter().collect())
    }

    #[test]
    fn object_memory_that_is_not_there_is_refused_with_what_is() {
        let asked = |memory: &str| format!("get-percent = [50]\nobject-memory = \"{memory}\"");
        let message = answered(&asked("10000GiB")).unwrap_err();
        assert!(
            message.starts_with("my: object-memory = 10000GiB: cell `key-value/get-50-"),
            "{message}"
        );
        let nearest = message.rsplit("the nearest is ").next().unwrap();
        assert!(answered(&asked(nearest)).is_ok(), "{message}");
        let message = answered(&asked("100TiB")).unwrap_err();
        assert!(
            message.ends_with("must be 8388608 to 70368744177664; the nearest is 70368744177664")
        );
    }

    #[test]
    fn keys_that_would_have_no_effect_are_refused() {
        for (grid, expected) in [
            (
                "live-set = [\"fixed\"]\nobject-memory = \"1GiB\"",
                "`object-memory`: where the live set",
            ),
            (
                "object-memory = \"1GiB\"\nobject-memory-at-most = \"2GiB\"",
                "`object-memory` and `object-memory-at-most` exclude each other",
            ),
            ("arrivals = \"constant\"", "`arrivals` are of an open loop"),
            ("rate-ops-per-s = [0.5]", "rate-ops-per-s = 0.5: must be 1 to 1e9; the nearest is 1"),
            ("operations-factor = -1.0", "operations-factor = -1: must be above 0"),
            (
                "rate-ops-per-s = [1000]\nlatency = [\"off\"]",
                "every request of an open loop is timed",
            ),
        ] {
            let message = answered(&format!("get-percent = [50]\n{grid}")).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn operations_that_have_no_room_are_told_where_somebody_named_them() {
        let inserts = "workloads = [\"insert-only\"]\nvalue-bytes = [1024]\n";
        assert_eq!(answered(inserts), Ok(Vec::new()));
        let told = answered(&format!("{inserts}operations-factor = 2.0")).unwrap();
        assert!(told[0].contains("of 100000 operations of each thread are made"), "{told:?}");
    }

    #[test]
    fn too_little_object_memory_is_refused() {
        let text = "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
                    fill-percent = [50]\nthreads = [1]\nobject-memory = \"1MiB\"";
        let suite = Suite::parse("my.toml", text).unwrap();
        let scale = Scale::by_name("quick").unwrap();
        let error =
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut Draft::default()).unwrap_err();
        assert!(error.contains("object-memory-bytes = 1048576: must be 8388608"), "{error}");
        assert!(error.ends_with("the nearest is 8388608"), "{error}");
    }

    #[test]
    fn time_ends_what_is_neither_counted_nor_dealt_nor_inserted() {
        let limits = |store: &str, rest: &str, scale: &str| {
            let text = format!(
                "question = \"?\"\n[[key-value]]\nstores = [\"{store}\"]\nroofline = false\n\
                 fill-percent = [50]\nthreads = [2]\nrepetitions = 1\n{rest}"
            );
            let suite = Suite::parse("my.toml", &text).unwrap();
            let mut planned = Draft::default();
            let scale = Scale::by_name(scale).unwrap();
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut planned).unwrap();
            let Work::KeyValue(work) = &planned.cells[0].work else { panic!("{planned:?}") };
            work.at_most_ms
        };
        assert_eq!(limits("nibble", "get-percent = [50]", "quick"), Some(1000));
        assert_eq!(limits("nibble", "get-percent = [50]", "smoke"), None);
        assert_eq!(limits("mica-erew", "get-percent = [50]", "quick"), None);
        assert_eq!(limits("nibble", "workloads = [\"insert-only\"]", "quick"), None);
        let counted = "get-percent = [50]\noperations-factor = 0.5";
        assert_eq!(limits("nibble", counted, "quick"), None);
    }

    #[test]
    fn a_fixed_live_set_exceeds_the_caches_and_the_capacity_follows_the_fill() {
        let text = "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
                    value-bytes = [1024]\nfill-percent = [20, 80]\nthreads = [1]\nrepetitions = 1\n\
                    live-set = [\"fixed\"]\nroofline = false";
        let suite = Suite::parse("my.toml", text).unwrap();
        let scale = Scale::by_name("quick").unwrap();
        for (cache_mib, live_mib) in [(32, 1024), (260, 1040)] {
            let limits = MachineLimits { cache_bytes: cache_mib << 20, ..HERE };
            let mut planned = Draft::default();
            cells(&suite, &suite.key_value[0], (&scale, limits), &mut planned).unwrap();
            for (cell, fill) in planned.cells.iter().zip([20, 80]) {
                let Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
                assert_eq!(work.object_memory_bytes, (live_mib << 20) * 100 / fill);
                let live = work.records * 1036;
                assert!(live.abs_diff(live_mib << 20) < 4096, "{live} of {live_mib} MiB");
            }
        }
    }

    #[test]
    fn a_think_time_that_nobody_would_wait_is_refused() {
        let refused = |grid: &str| {
            let text = format!(
                "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
                 fill-percent = [50]\nthreads = [1]\n{grid}"
            );
            let suite = Suite::parse("my.toml", &text).unwrap();
            let scale = Scale::by_name("smoke").unwrap();
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut Draft::default()).unwrap_err()
        };
        for grid in ["think-ns = [500]\nbatch = [8]", "think-ns = [500]\nrate-ops-per-s = [1000]"] {
            let error = refused(grid);
            assert!(error.contains("think-ns = 500: only single operations"), "{error}");
        }
        let error = refused("think-ns = [2000000000]");
        assert!(error.contains("think-ns = 2000000000: must be 0 to 1000000000"), "{error}");
    }
}
