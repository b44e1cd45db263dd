//! From `[[replay]]` grids to cells.

use super::key_value::{check_key_value, check_store};
use super::too_large::by;
use super::{Draft, check_threads, finish};
use crate::suites::{ReplayGrid, Suite, on_cores};
use crate::traces::{TraceContent, TraceFile, Traces};
use record::{Driver, KeyValue, Replay, Scale, System, Timing, Work};
use worker::registry;

/// Most copies of a trace in step.
pub(super) const COPIES_MAX: u64 = 64;
/// Stores need some blocks, however small the trace.
const OBJECT_MEMORY_BYTES_MIN: u64 = 8 << 20;

/// Cells of the traces that are there.
pub(super) fn cells(
    suite: &Suite,
    grid: &ReplayGrid,
    (scale, cores): (&Scale, usize),
    traces: &Traces,
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| format!("{}: {message}", suite.name);
    let threads = on_cores(&grid.threads, cores);
    check(grid, &threads).map_err(fail)?;
    let repetitions = draft.repetitions(suite, grid.repetitions, scale).map_err(fail)?;
    let stores = grid.stores.iter().map(|store| registry::store(store));
    let systems = stores.collect::<Result<Vec<_>, String>>()?;
    let named = grid
        .traces
        .iter()
        .flat_map(|pattern| traces.matching(pattern).map(move |trace| (pattern, trace)));
    let by_bytes = |system: &System| {
        registry::traits_of(system).is_some_and(|traits| traits.keys.bytes_max().is_some())
    };
    let (of_bytes, of_words): (Vec<System>, Vec<System>) = systems.into_iter().partition(by_bytes);
    let named: Vec<(&String, &TraceFile)> = named.collect();
    let with_texts = named.iter().filter(|(_, trace)| !trace.replays_with_keys.is_empty());
    for (_, trace) in with_texts {
        draft.tell(suite, keys_told(trace, &of_bytes, &of_words));
    }
    let asked = [(&of_bytes, true), (&of_words, false)];
    let asked = named.iter().flat_map(|&(pattern, trace)| {
        // Without texts, all stores are asked alike.
        asked.map(move |(systems, by_bytes)| (pattern, trace, systems, by_bytes))
    });
    for (pattern, trace, systems, by_bytes) in asked {
        if systems.is_empty() {
            continue;
        }
        for work in works(grid, (trace, by_bytes), &threads).map_err(fail)? {
            if let Err(message) = check_fill(&work) {
                // A trace by its name was meant; one of many was not.
                if !pattern.ends_with('*') {
                    return Err(fail(message));
                }
                draft.tell(suite, format!("{message}: left out"));
                continue;
            }
            check_key_value(&work).map_err(fail)?;
            for system in systems {
                check_store(system, &work).map_err(fail)?;
                check_keys(system, &work).map_err(fail)?;
                for repetition in 0..repetitions {
                    let id = format!("replay/{}/{}", replay_name(&work), system.label());
                    let work = Work::KeyValue(work.clone());
                    draft.cells.push(finish(suite, scale, system.clone(), repetition, id, work));
                }
            }
        }
    }
    Ok(())
}

/// Which stores are asked with the texts of a trace's keys, and which by words.
fn keys_told(trace: &TraceFile, of_bytes: &[System], of_words: &[System]) -> String {
    let names =
        |systems: &[System]| systems.iter().map(System::label).collect::<Vec<_>>().join(", ");
    let mut told = format!("trace `{}` has the texts of its keys:", trace.name);
    let by_bytes = format!(" {} asked with them", names(of_bytes));
    let by_words =
        format!(" {} asked by 8-byte words, values with the bytes of keys", names(of_words));
    let parts = [(of_bytes, by_bytes), (of_words, by_words)];
    let parts = parts.into_iter().filter(|(systems, _)| !systems.is_empty());
    told.push_str(&parts.map(|(_, part)| part).collect::<Vec<_>>().join(";"));
    told
}

/// Checks that a store takes the longest key of a trace.
fn check_keys(system: &System, work: &KeyValue) -> Result<(), String> {
    let Some(replay) = work.replay.as_deref() else { return Ok(()) };
    let Some(keys) = &replay.keys else { return Ok(()) };
    let most = registry::traits_of(system).and_then(|traits| traits.keys.bytes_max());
    let (set_bytes, most) = (replay.set_bytes(work.threads), most.unwrap_or(0) as u64);
    let longest = keys.bytes_max + set_bytes;
    if longest <= most {
        return Ok(());
    }
    Err(format!(
        "trace `{}` has a key of {longest} bytes{}, and `{}` takes at most {most}: drop it, or convert the \
         trace with `--keys numbers`",
        replay.trace,
        if set_bytes > 0 { " (with those that tell the copy)" } else { "" },
        system.label()
    ))
}

fn works(
    grid: &ReplayGrid,
    (trace, by_bytes): (&TraceFile, bool),
    threads: &[usize],
) -> Result<Vec<KeyValue>, String> {
    if trace.content != TraceContent::Operations {
        return Err(format!(
            "trace `{}` records a program's allocations, not requests to a store: replay it in an \
             [[allocations]] table",
            trace.name
        ));
    }
    let closed = grid.batch.iter().map(|&batch| Driver::Closed { batch });
    let timed = grid.speed.iter().map(|&speed| Driver::Timed { speed });
    let drivers: Vec<Driver> =
        if grid.speed.is_empty() { closed.collect() } else { timed.collect() };
    let mut works = Vec::new();
    for &miss in &grid.miss {
        let with_keys = trace.replays_with_keys.get(&miss).filter(|_| by_bytes);
        let replay = with_keys.or_else(|| trace.replays.get(&miss)).ok_or_else(|| {
            format!("trace `{}` was not precompiled with miss = `{miss}`", trace.name)
        })?;
        for &working_sets in &grid.working_sets {
            let replay = Replay {
                trace: trace.name.clone(),
                digest: format!("{:016x}", trace.digest),
                precompiled: replay.precompiled.clone(),
                working_sets,
                copies: grid.copies.unwrap_or(trace.copies),
                miss,
                keys: replay.keys.clone(),
                totals: replay.totals,
            };
            for (&threads, &fill_percent) in threads
                .iter()
                .flat_map(|threads| grid.fill_percent.iter().map(move |fill| (threads, fill)))
            {
                for &driver in &drivers {
                    let work = KeyValue {
                        driver,
                        latency: match driver {
                            Driver::Closed { .. } => grid.latency.unwrap_or_default(),
                            _ => Timing::All,
                        },
                        ..KeyValue::replaying(replay.clone(), threads, fill_percent)
                    };
                    works.push(work);
                }
            }
        }
    }
    Ok(works)
}

/// Refuses a fill that a trace cannot reach: it holds too little to fill the least memory so far.
fn check_fill(work: &KeyValue) -> Result<(), String> {
    let Some(replay) = work.replay.as_deref() else { unreachable!("works are replays") };
    if work.object_memory_bytes >= OBJECT_MEMORY_BYTES_MIN {
        return Ok(());
    }
    let live_bytes = replay.object_bytes_max(work.threads);
    let reached = live_bytes * 100 / OBJECT_MEMORY_BYTES_MIN;
    let wanted_bytes = OBJECT_MEMORY_BYTES_MIN * u64::from(work.fill_percent) / 100;
    let copy_bytes = (live_bytes / replay.copies.max(1)).max(1);
    let remedies = [
        (reached > 0).then(|| format!("the nearest is {reached}")),
        Some(format!(
            "copies = {} reach {} %",
            wanted_bytes.div_ceil(copy_bytes),
            work.fill_percent
        ))
        .filter(|_| wanted_bytes.div_ceil(copy_bytes) <= COPIES_MAX),
    ];
    let remedies: Vec<String> = remedies.into_iter().flatten().collect();
    Err(format!(
        "fill-percent = {}: trace `{}` by {} has {} KiB live at most, {reached} % of the least \
         object memory, {} MiB: {}",
        work.fill_percent,
        replay.trace,
        by(work.threads),
        live_bytes >> 10,
        OBJECT_MEMORY_BYTES_MIN >> 20,
        match remedies.is_empty() {
            true => "take a larger trace".to_owned(),
            false => remedies.join("; "),
        }
    ))
}

fn check(grid: &ReplayGrid, threads: &[usize]) -> Result<(), String> {
    for &threads in threads {
        check_threads(threads)?;
    }
    if let Some(copies) = grid.copies
        && !(1..=COPIES_MAX).contains(&copies)
    {
        return Err(format!("copies = {copies}: must be 1 to {COPIES_MAX}"));
    }
    if let Some(speed) = grid.speed.iter().find(|speed| !(**speed > 0.0 && speed.is_finite())) {
        return Err(format!("speed = {speed}: must be above 0; 2 is twice as fast as recorded"));
    }
    if !grid.speed.is_empty() && grid.batch != [1] {
        return Err("`speed` schedules single requests: drop `batch`".to_owned());
    }
    if !grid.speed.is_empty() && grid.latency.is_some_and(|latency| latency != Timing::All) {
        return Err("`latency`: every request on a schedule is timed: drop it".to_owned());
    }
    if let Some(fill) = grid.fill_percent.iter().find(|fill| !(1..=98).contains(*fill)) {
        let nearest = (*fill).clamp(1, 98);
        return Err(format!("fill-percent = {fill}: must be 1 to 98; the nearest is {nearest}"));
    }
    Ok(())
}

/// All that distinguishes two replays, but for the store.
fn replay_name(work: &KeyValue) -> String {
    let Some(replay) = &work.replay else { unreachable!("works are replays") };
    let mut name = format!(
        "{}-{}-copies-{}-fill-{}-threads-{}",
        replay.trace.replace('/', "-"),
        replay.working_sets.word(),
        replay.copies,
        work.fill_percent,
        work.threads
    );
    match work.driver {
        Driver::Timed { speed } => name.push_str(&format!("-speed-{speed}")),
        _ => name.push_str(&format!("-batch-{}", work.batch())),
    }
    if replay.miss != workloads::requests::Miss::Nothing {
        name.push_str(&format!("-miss-{}", replay.miss));
    }
    if replay.keys.is_some() {
        name.push_str("-own-keys");
    }
    name
}

#[cfg(test)]
mod tests {
    use workloads::requests::{Miss, ReplayTotals};

    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::PrecompiledReplay;
    use record::{Cell, PrecompiledRequests, TraceKeys};

    fn traces() -> Traces {
        traces_of(10 << 20)
    }

    /// Traces of so many object bytes, each in two copies.
    fn traces_of(object_bytes_max: u64) -> Traces {
        let totals = ReplayTotals {
            requests: 1000,
            records: 100,
            gets: 500,
            inserts: 300,
            deletes: 200,
            live_records_max: 100,
            live_bytes_max: 9 << 20,
            object_bytes_max,
            value_bytes_max: 4096,
            duration_ns: 1_000_000,
            ..ReplayTotals::default()
        };
        let precompiled =
            PrecompiledRequests { file: "t.requests".to_owned(), checksum: "0".to_owned() };
        let file = |name: &str| TraceFile {
            name: name.to_owned(),
            path: "t".into(),
            digest: 1,
            content: TraceContent::Operations,
            events: 1000,
            threads: 1,
            objects: 100,
            live_bytes_max: 9 << 20,
            live_objects_max: 100,
            copies: 2,
            replays: [(
                Miss::Nothing,
                PrecompiledReplay { precompiled: precompiled.clone(), keys: None, totals },
            )]
            .into(),
            replays_with_keys: [].into(),
        };
        Traces::from_iter([file("imported/a"), file("imported/b"), file("postmark")])
    }

    fn planned(more: &str) -> Result<Plan, String> {
        planned_of(&traces(), more)
    }

    fn planned_of(traces: &Traces, more: &str) -> Result<Plan, String> {
        let text = format!(
            "question = \"?\"\n[[replay]]\nstores = [\"nibble\", \"mica-erew\"]\n\
             fill-percent = [50]\nthreads = [1, 2]\n{more}\n"
        );
        let suite = Suite::parse("mine.toml", &text).map_err(|error| error.to_string())?;
        let scale = Scale { repetitions: 1, ..Scale::by_name("smoke").unwrap() };
        plan(
            &[suite],
            &scale,
            traces,
            MachineLimits { memory_bytes: 8 << 30, cores: 2, cache_bytes: 0 },
        )
    }

    #[test]
    fn a_fill_that_a_small_trace_does_not_reach_is_refused_or_left_out() {
        let small = traces_of(600 << 10);
        let message = planned_of(&small, "traces = [\"postmark\"]").unwrap_err();
        assert_eq!(
            message,
            "mine: fill-percent = 50: trace `postmark` by 1 thread has 1200 KiB live at most, 14 % of \
             the least object memory, 8 MiB: the nearest is 14; copies = 7 reach 50 %"
        );
        assert!(planned_of(&small, "traces = [\"postmark\"]\ncopies = 7").is_ok());
        let plan = planned_of(&small, "traces = [\"imported/*\"]").unwrap();
        assert!(plan.cells.is_empty());
        assert!(
            plan.notices.iter().any(|notice| notice.ends_with("reach 50 %: left out")),
            "{plan:?}"
        );
    }

    #[test]
    fn memory_is_what_the_fill_asks_for_where_most_is_live() {
        let plan = planned("traces = [\"postmark\"]").unwrap();
        assert_eq!(plan.cells.len(), 4);
        let id = "replay/postmark-private-copies-2-fill-50-threads-2-batch-1/nibble/0";
        let cell = plan.cells.iter().find(|cell| cell.id == id).unwrap();
        let Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
        assert_eq!(work.object_memory_bytes, 2 * 2 * 2 * (10 << 20));
        assert_eq!((work.operations_per_thread, work.records_max()), (2000, 400));
        let shared = planned("traces = [\"postmark\"]\nworking-sets = [\"shared\"]\ncopies = 1");
        let largest = shared.unwrap().cells.iter().map(Cell::expected_bytes).max().unwrap();
        assert!(largest < plan.cells.iter().map(Cell::expected_bytes).max().unwrap());
    }

    /// The traces, the first of which has kept keys of up to so many bytes.
    fn traces_with_texts(bytes_max: u64) -> Traces {
        let all = traces();
        let mut first = all.get("imported/a").unwrap().clone();
        let mut replay = first.replays[&Miss::Nothing].clone();
        replay.precompiled.file = "t.with-keys.requests".to_owned();
        replay.totals.object_bytes_max = 11 << 20;
        let (file, checksum) = ("t.keys".to_owned(), "0".to_owned());
        replay.keys = Some(TraceKeys { file, checksum, bytes: 2400, bytes_max });
        first.replays_with_keys.insert(Miss::Nothing, replay);
        Traces::from_iter([first, all.get("postmark").unwrap().clone()])
    }

    #[test]
    fn stores_of_byte_strings_are_asked_with_the_texts_of_keys() {
        let traces = traces_with_texts(40);
        let plan = planned_of(&traces, "traces = [\"imported/*\", \"postmark\"]").unwrap();
        let told: Vec<&String> =
            plan.notices.iter().filter(|notice| notice.contains("texts")).collect();
        assert_eq!(
            told,
            [
                "mine: trace `imported/a` has the texts of its keys: nibble asked with them; mica-erew \
              asked by 8-byte words, values with the bytes of keys"
            ]
        );
        let work = |id: &str| match &plan.cells.iter().find(|cell| cell.id == id).unwrap().work {
            Work::KeyValue(work) => work.clone(),
            other => panic!("{other:?}"),
        };
        let front = "replay/imported-a-private-copies-2-fill-50-threads-1-batch-1";
        let bytes = work(&format!("{front}-own-keys/nibble/0"));
        // Two copies, each of whose 100 live keys has two bytes more.
        assert_eq!(bytes.object_memory_bytes, 2 * 2 * ((11 << 20) + 200));
        assert_eq!(bytes.mean_key_bytes(), 24.0 + 2.0);
        let words = work(&format!("{front}/mica-erew/0"));
        assert_eq!((words.object_memory_bytes, words.mean_key_bytes()), (2 * 2 * (10 << 20), 8.0));
        let plain = work("replay/postmark-private-copies-2-fill-50-threads-1-batch-1/nibble/0");
        assert!(plain.replay.unwrap().keys.is_none());
    }

    #[test]
    fn a_store_that_does_not_take_the_longest_key_is_refused() {
        let traces = traces_with_texts(200);
        let text = "question = \"?\"\n[[replay]]\nstores = [\"memcached\"]\nfill-percent = [50]\n\
                    threads = [1]\ntraces = [\"imported/a\"]\ncopies = 1\n";
        let suite = Suite::parse("mine.toml", text).unwrap();
        let scale = Scale { repetitions: 1, ..Scale::by_name("smoke").unwrap() };
        let limits = MachineLimits { memory_bytes: 8 << 30, cores: 2, cache_bytes: 0 };
        let error = plan(&[suite], &scale, &traces, limits).unwrap_err();
        assert!(
            error.contains(
                "has a key of 200 bytes, and `memcached` takes at most 185: drop it, or convert the trace \
                 with `--keys numbers`"
            ),
            "{error}"
        );
    }

    #[test]
    fn names_may_stand_for_several_traces_and_for_none() {
        let plan = planned("traces = [\"imported/*\", \"other/*\", \"gone\"]").unwrap();
        assert_eq!(plan.cells.len(), 8);
        assert_eq!(plan.notices.len(), 2, "{:?}", plan.notices);
    }

    #[test]
    fn what_does_not_fit_the_machine_is_left_out_with_a_notice() {
        let text = "question = \"?\"\n[[replay]]\nstores = [\"nibble\"]\nfill-percent = [10, 80]\n\
                    threads = [2]\ntraces = [\"postmark\"]\n";
        let suite = Suite::parse("mine.toml", text).unwrap();
        let scale = Scale { repetitions: 1, ..Scale::by_name("smoke").unwrap() };
        let limits = MachineLimits { memory_bytes: 400 << 20, cores: 2, cache_bytes: 0 };
        let plan = plan(&[suite], &scale, &traces(), limits).unwrap();
        assert_eq!(plan.cells.len(), 1);
        assert!(plan.cells[0].id.contains("fill-80"));
        let notice = &plan.notices[0];
        assert!(
            notice.starts_with("trace `postmark` at 10 % fill by 2 threads is left out"),
            "{notice}"
        );
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        for (more, expected) in [
            ("traces = [\"postmark\"]\ncopies = 65", "copies = 65: must be 1 to 64"),
            ("traces = [\"postmark\"]\nspeed = [-1.0]", "speed = -1: must be above 0"),
            ("traces = [\"postmark\"]\nspeed = [1.0]\nbatch = [8]", "drop `batch`"),
            ("traces = [\"postmark\"]\nspeed = [1.0]\nlatency = \"off\"", "on a schedule is timed"),
            ("traces = [\"postmark\"]\nspeed = [1.0]", "`mica-erew` are dealt"),
            ("traces = [\"postmark\"]\nmiss = [\"fill\"]", "unknown variant `fill`"),
        ] {
            let error = planned(more).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
