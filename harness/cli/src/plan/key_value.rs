//! From `[[key-value]]` grids to cells.

use workloads::requests::{Mix, Workload};

use super::{MachineLimits, check_threads, finish};
use crate::suites::{KeyValueGrid, Suite, on_cores};
use record::{Cell, Driver, KeyValue, LiveSet, Scale, Source, System, Timing, Work, unknown_name};
use worker::registry;

/// Keys and values of `get-N` where a grid names none.
const DEFAULT_WORKLOAD: &str = "get-50";

pub(super) fn cells(
    suite: &Suite,
    grid: &KeyValueGrid,
    (scale, limits): (&Scale, MachineLimits),
    cells: &mut Vec<Cell>,
) -> Result<(), String> {
    let fail = |message: String| format!("{}: {message}", suite.name);
    let repetitions = grid.repetitions.unwrap_or(u32::MAX).min(scale.repetitions);
    let mut systems = Vec::new();
    for store in grid.stores_with_knobs().map_err(fail)? {
        systems.push(registry::store(&store)?);
    }
    for mut work in works(suite, grid, (scale, limits)).map_err(fail)? {
        if work.live_set == LiveSet::Fixed {
            let live_bytes = scale.live_set_bytes_for(limits.cache_bytes);
            work.object_memory_bytes = live_bytes * 100 / u64::from(work.fill_percent.max(1));
        }
        work.size_records();
        check_key_value(&work).map_err(fail)?;
        let roofline = grid.roofline.then(registry::roofline);
        for system in systems.iter().chain(&roofline) {
            check_store(system, &work).map_err(fail)?;
            let work =
                KeyValue { at_most_ms: at_most_ms(scale, grid, system, &work), ..work.clone() };
            for repetition in 0..repetitions {
                cells.push(key_value_cell(suite, scale, system.clone(), repetition, work.clone()));
            }
        }
    }
    Ok(())
}

/// The time after which a cell ends. None where its operations are counted: where requests were dealt to
/// workers, the busiest decides when all are done; and inserts are as many as the memory has room for.
fn at_most_ms(scale: &Scale, grid: &KeyValueGrid, system: &System, work: &KeyValue) -> Option<u64> {
    let partitioned =
        registry::traits_of(system).is_some_and(|traits| traits.sharing.is_partitioned());
    let timed = grid.operations_factor.is_none()
        && matches!(work.driver, Driver::Closed { .. })
        && !work.workload.inserts()
        && !partitioned;
    Some(scale.step_ms).filter(|&ms| ms > 0 && timed)
}

/// Every combination of the grid but its stores.
fn works(
    suite: &Suite,
    grid: &KeyValueGrid,
    (scale, limits): (&Scale, MachineLimits),
) -> Result<Vec<KeyValue>, String> {
    let factor = grid.operations_factor.unwrap_or(1.0);
    let operations = scale.operations_per_thread as f64 * factor;
    let object_memory =
        grid.object_memory.map_or(scale.store_bytes, |bytes| bytes.0.min(scale.store_bytes));
    let mut all = vec![KeyValue {
        operations_per_thread: operations as u64,
        ..KeyValue::plain(workload(suite, DEFAULT_WORKLOAD)?, object_memory)
    }];
    let asked = grid.workloads.iter().map(|name| workload(suite, name));
    let asked = asked.collect::<Result<Vec<Workload>, String>>()?;
    let shares = grid.get_percent.iter().map(|&percent| get_workload(percent));
    let shares = shares.collect::<Result<Vec<Workload>, String>>()?;
    if asked.is_empty() && shares.is_empty() {
        return Err("a [[key-value]] table names neither `workloads` nor `get-percent`".to_owned());
    }
    let workloads: Vec<Workload> = asked.into_iter().chain(shares).collect();
    vary(&mut all, &workloads, |work, workload| work.workload = workload.clone());
    vary(&mut all, &on_cores(&grid.threads, limits.cores), |work, threads| work.threads = *threads);
    for (dimension, values) in grid.settings() {
        vary(&mut all, values, |work, value| {
            (dimension.set)(work, value).expect("it was read before");
        });
    }
    if grid.rate_ops_per_s.is_empty() {
        vary(&mut all, &grid.batch, |work, batch| work.driver = Driver::Closed { batch: *batch });
    } else {
        if grid.batch != [1] {
            return Err("`rate-ops-per-s` schedules single requests: drop `batch`".to_owned());
        }
        vary(&mut all, &grid.rate_ops_per_s, |work, rate| {
            work.driver = Driver::Open { rate_ops_per_s: *rate, arrivals: grid.arrivals };
            // Every request of an open loop is timed, and a run lasts as long at every rate.
            work.latency = Timing::All;
            let operations = rate * scale.open_loop_s / work.threads as f64;
            work.operations_per_thread = (operations * factor).ceil() as u64;
        });
    }
    Ok(all)
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
        return Err(format!("get-percent = {percent}: must be 0 to 100"));
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

/// A store that is not ordered cannot scan; where keys belong to workers, requests are dealt before the
/// clock and must be there.
pub(crate) fn check_store(system: &System, work: &KeyValue) -> Result<(), String> {
    let workload = &work.workload;
    let partitioned =
        registry::traits_of(system).is_some_and(|traits| traits.sharing.is_partitioned());
    if partitioned && work.source == Source::InLoop {
        return Err(format!(
            "requests to `{}` are dealt to the workers of their keys before the clock: drop \
             `source = \"in-loop\"`",
            system.label()
        ));
    }
    if partitioned && matches!(work.driver, Driver::Timed { .. }) {
        return Err(format!(
            "requests to `{}` are dealt to the workers of their keys, and their times are not: drop \
             `speed`",
            system.label()
        ));
    }
    let can =
        registry::traits_of(system).is_none_or(|traits| traits.ordered || !traits.keeps_values);
    if can || !workload.scans() {
        return Ok(());
    }
    let ordered =
        registry::store_traits().iter().filter(|traits| traits.ordered && !traits.test_only);
    let ordered: Vec<&str> = ordered.map(|traits| traits.name).collect();
    Err(format!(
        "workload `{}` scans, and `{}` is not ordered; ordered stores are: {}",
        workload.name,
        system.label(),
        ordered.join(", ")
    ))
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

/// Longest open loop and longest closed loop that a cell may be asked for, in operations.
const OPERATIONS_MAX: u64 = 1 << 32;

/// Checks a key-value workload's numbers.
///
/// # Errors
/// The value and what is allowed.
pub fn check_key_value(work: &KeyValue) -> Result<(), String> {
    work.workload.validate().map_err(|error| error.to_string())?;
    check_threads(work.threads)?;
    let within = |name: &str, value: u64, from: u64, to: u64| {
        if (from..=to).contains(&value) {
            Ok(())
        } else {
            Err(format!("{name} = {value}: must be {from} to {to}"))
        }
    };
    within("value-bytes", work.workload.value_bytes_max() as u64, 0, (16 << 20) - 1)?;
    within("fill-percent", work.fill_percent.into(), 1, 98)?;
    within("batch", work.batch() as u64, 1, 64)?;
    within("operations", work.operations_per_thread, 1, OPERATIONS_MAX)?;
    within("object-memory-bytes", work.object_memory_bytes, 8 << 20, 1 << 46)?;
    if let Some(rate) = work.rate_ops_per_s()
        && !(1.0..=1e9).contains(&rate)
    {
        return Err(format!("rate-ops-per-s = {rate}: must be 1 to 1e9"));
    }
    if work.driver == Driver::Bare && !work.workload.only_gets_and_updates() {
        return Err(format!(
            "workload `{}` with loop `bare`: a bare loop does nothing but GETs and updates: use \
             get-PERCENT",
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
    let mix = &work.workload.mix;
    if work.batch() > 1 && mix.scan + mix.read_modify_write > 0.0 {
        return Err(format!(
            "workload `{}` scans, or writes what it has just read: it cannot be sent in batches",
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
        let mut planned = Vec::new();
        let scale = Scale::by_name(scale).unwrap();
        cells(&suite, &suite.key_value[0], (&scale, HERE), &mut planned).unwrap();
        let work = planned.iter().map(|cell| match &cell.work {
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
    fn a_grid_may_ask_for_less_object_memory_than_the_scale() {
        assert_eq!(memories("", "quick"), [256 << 20; 2]);
        assert_eq!(memories("object-memory = \"32MiB\"", "quick"), [32 << 20; 2]);
        assert_eq!(memories("object-memory = \"1GiB\"", "smoke"), [48 << 20; 2]);
    }

    #[test]
    fn too_little_object_memory_is_refused() {
        let text = "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
                    fill-percent = [50]\nthreads = [1]\nobject-memory = \"1MiB\"";
        let suite = Suite::parse("my.toml", text).unwrap();
        let scale = Scale::by_name("quick").unwrap();
        let error =
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut Vec::new()).unwrap_err();
        assert!(error.contains("object-memory-bytes = 1048576: must be 8388608"), "{error}");
    }

    #[test]
    fn time_ends_what_is_neither_counted_nor_dealt_nor_inserted() {
        let limits = |store: &str, rest: &str, scale: &str| {
            let text = format!(
                "question = \"?\"\n[[key-value]]\nstores = [\"{store}\"]\nroofline = false\n\
                 fill-percent = [50]\nthreads = [2]\nrepetitions = 1\n{rest}"
            );
            let suite = Suite::parse("my.toml", &text).unwrap();
            let mut planned = Vec::new();
            let scale = Scale::by_name(scale).unwrap();
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut planned).unwrap();
            let Work::KeyValue(work) = &planned[0].work else { panic!("{planned:?}") };
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
            let mut planned = Vec::new();
            cells(&suite, &suite.key_value[0], (&scale, limits), &mut planned).unwrap();
            for (cell, fill) in planned.iter().zip([20, 80]) {
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
            cells(&suite, &suite.key_value[0], (&scale, HERE), &mut Vec::new()).unwrap_err()
        };
        for grid in ["think-ns = [500]\nbatch = [8]", "think-ns = [500]\nrate-ops-per-s = [1000]"] {
            let error = refused(grid);
            assert!(error.contains("think-ns = 500: only single operations"), "{error}");
        }
        let error = refused("think-ns = [2000000000]");
        assert!(error.contains("think-ns = 2000000000: must be 0 to 1000000000"), "{error}");
    }
}
