//! The cells that measure a target.

use super::file::File;
use super::sizes::Sizes;
use super::target::{Kind, Side, Target, latency, missing};
use crate::compare;
use crate::plan::{check_cell, check_key_length, check_key_value, get_workload};
use record::{
    Ageing, Basis, Cell, Fragmentation, Frees, KeyValue, LiveSet, Observe, System, Timing, Work,
    dimensions::{DIMENSIONS, Dimension},
    unknown_name,
};
use worker::registry;

/// Cells in the order they run. Those of a yardstick belong to rounds: see [`round_of`].
///
/// # Errors
/// What is wrong with a side.
pub(crate) fn cells(file: &File, target: &Target, sizes: &Sizes) -> Result<Vec<Cell>, String> {
    let fail = |message: String| format!("target `{}`: {message}", target.name());
    let seed = file.seed;
    match &target.kind {
        Kind::Compare { a, b } => {
            let timing = match latency(&target.question().metric.name) {
                None => Timing::Sampled,
                Some(_) => Timing::All,
            };
            let b = key_value(b, sizes, timing, seed).map_err(fail)?;
            let mut cells = Vec::new();
            for (rival, a) in a.iter().enumerate() {
                let a = key_value(a, sizes, timing, seed).map_err(fail)?;
                cells.extend(compare::cells(&rival_name(target, rival), &a, &b, sizes.blocks));
            }
            Ok(cells)
        }
        Kind::Counters { side, .. } | Kind::Yardstick { side, .. } => {
            let cell = key_value(side, sizes, Timing::Sampled, seed).map_err(fail)?;
            let repeat = |repetition: u32| Cell {
                id: format!("{}/{repetition}/{}", target.name(), cell.system.label()),
                repetition,
                seed: seed + u64::from(repetition),
                ..cell.clone()
            };
            Ok((0..sizes.repetitions).map(repeat).collect())
        }
        Kind::Overhead { side } => overhead(side, sizes, seed).map_err(fail),
    }
}

/// The name of the comparison with side `rival` of `a`; ids of its cells begin with it.
pub(crate) fn rival_name(target: &Target, rival: usize) -> String {
    format!("{}/against-{rival}", target.name())
}

/// The calibration that a yardstick's cell is measured right after.
pub(crate) fn round_of(cell: &Cell) -> u32 {
    cell.repetition
}

fn key_value(side: &Side, sizes: &Sizes, latency: Timing, seed: u64) -> Result<Cell, String> {
    let workload = get_workload(side.get_percent()?)?;
    let operations = sizes.operations.min(side.sizes.operations.unwrap_or(u64::MAX)) as f64;
    let factor = side.sizes.operations_factor.unwrap_or(1.0);
    if !(factor > 0.0 && factor.is_finite()) {
        return Err(format!("`operations-factor` = {factor}: expected a number above 0"));
    }
    let mut work = KeyValue {
        operations_per_thread: (operations * factor) as u64,
        latency,
        ..KeyValue::plain(workload, sizes.object_memory_for(side.sizes.object_memory))
    };
    for name in ["value-bytes", "fill-percent", "threads"] {
        side.label(name).ok_or_else(|| missing(name))?;
    }
    for Dimension { label, set, .. } in DIMENSIONS.iter().filter(|row| row.name != "workload") {
        if let Some(value) = side.label(label) {
            set(&mut work, value).map_err(|error| format!("`{label}` = {value}: {error}"))?;
        }
    }
    if work.live_set == LiveSet::Fixed {
        if side.sizes.object_memory.is_some() {
            return Err(
                "`object-memory` follows from the fill where `live-set` is fixed".to_owned()
            );
        }
        let live =
            sizes.live_set.ok_or("`live-set` is missing: the scale has to say how large it is")?;
        work.object_memory_bytes = live.0 * 100 / u64::from(work.fill_percent.max(1));
    }
    check_key_value(&work)?;
    if let Some(rewrites) = side.sizes.rewrites {
        let put_share = 1.0 - work.get_percent() / 100.0;
        if put_share <= 0.0 {
            return Err("`rewrites` needs PUTs: workload is get-100".to_owned());
        }
        work.operations_per_thread = (work.writes_per_thread(rewrites) as f64 / put_share) as u64;
    }
    check_key_value(&work)?;
    work.size_records();
    let system = system(side, work.object_memory_bytes)?;
    let aged = match work.ageing {
        Ageing::Rewrites(times) => work.writes_per_thread(times),
        _ => 0,
    };
    let operations = work.operations_per_thread + aged;
    let timeout_ms =
        120_000 + (work.object_memory_bytes >> 30) * 60_000 + operations * work.threads as u64 / 50;
    let cell = finish(system, Work::KeyValue(work), seed, timeout_ms);
    check_cell(&cell).map(|_| cell)
}

fn overhead(side: &Side, sizes: &Sizes, seed: u64) -> Result<Vec<Cell>, String> {
    let name = side.label("pattern").ok_or_else(|| missing("pattern"))?;
    let pattern = workloads::fragmentation::Pattern::by_name(name).ok_or_else(|| {
        let known = workloads::fragmentation::all();
        unknown_name("pattern", name, known.iter().map(|pattern| pattern.name.as_str()))
    })?;
    let key_bytes = side.label("key-bytes").map(|_| side.number("key-bytes", None)).transpose()?;
    let mut cells = Vec::new();
    for repetition in 0..sizes.overhead_repetitions {
        for bytes in sizes.spanning(sizes.object_memory_for(side.sizes.object_memory)) {
            let work = Fragmentation {
                sized: false,
                key_bytes,
                pattern: pattern.clone(),
                live_bytes: bytes,
                basis: Basis::Bounded,
                threads: side.number("threads", Some(1))?,
                frees: Frees::Own,
                observe: Observe::End,
                idle_ms: 0,
            };
            let system = system(side, bytes)?;
            if let Some(bytes) = key_bytes {
                check_key_length(&system, bytes)?;
            }
            let timeout_ms = 120_000 + (bytes >> 30) * 60_000;
            let cell = finish(system, Work::Fragmentation(work), seed, timeout_ms);
            check_cell(&cell)?;
            // Without the target's name: targets that ask the same of the same cells share them.
            let keys = key_bytes.map_or_else(String::new, |bytes| format!("/key-{bytes}"));
            let label = cell.system.label();
            let id = format!("overhead/{name}/{label}{keys}/{bytes}/{repetition}");
            cells.push(Cell { id, repetition, seed: seed + u64::from(repetition), ..cell });
        }
    }
    Ok(cells)
}

/// The side's store, with `segments` as its setting `segment-bytes`.
fn system(side: &Side, object_memory_bytes: u64) -> Result<System, String> {
    let name = side.label("system").ok_or_else(|| missing("system"))?;
    let mut system = registry::store(name)?;
    if let (Some(segments), System::Store { options, .. }) = (side.sizes.segments, &mut system) {
        let bytes =
            object_memory_bytes.checked_div(segments).ok_or("segments = 0: must be 1 or more")?;
        options.insert("segment-bytes".to_owned(), bytes.to_string());
    }
    Ok(system)
}

fn finish(system: System, work: Work, seed: u64, timeout_ms: u64) -> Cell {
    let mut cell = Cell {
        id: String::new(),
        system,
        work,
        seed,
        repetition: 0,
        sampling: true,
        timeout_ms,
        memory_limit_bytes: 0,
        counters: false,
    };
    cell.memory_limit_bytes = cell.expected_bytes() * 3 + (512 << 20);
    cell
}

#[cfg(test)]
mod tests {
    use super::super::sizes::tests::sizes;
    use super::super::tests::{file, throughput};
    use super::*;

    fn cells_of(keys: &str, question: &str) -> Result<Vec<Cell>, String> {
        let file = file(keys, question);
        cells(&file, &file.targets[0], &sizes())
    }

    fn work(cell: &Cell) -> &KeyValue {
        let Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
        work
    }

    #[test]
    fn sides_differ_in_what_they_name() {
        let all = cells_of(
            "",
            &throughput(
                "workload = \"get-0\", value-bytes = 52, fill-percent = 20",
                "system = \"nibble\", threads = 2, ageing = \"rewrites:2\"",
                "system = [\"nibble@update=in-place\", \"hashmap\"], threads = 1",
            ),
        )
        .unwrap();
        assert_eq!(all.len(), 2 * 4 * 3);
        assert!(all[0].id.starts_with("t/against-0/0/0-A/nibble"), "{}", all[0].id);
        assert!(all[12].id.starts_with("t/against-1/0/0-A/hashmap"), "{}", all[12].id);
        let (a, b) = (work(&all[0]), work(&all[1]));
        assert_eq!((a.threads, b.threads, all[0].seed), (1, 2, 7));
        assert_eq!((a.ageing, b.ageing), (Ageing::None, Ageing::Rewrites(2.0)));
        assert_eq!(b.writes_per_thread(2.0), 1 << 20, "64 MiB of 64-byte objects, twice, by two");
        assert_eq!(all[0].seed, all[1].seed, "both sides execute the same operations");
    }

    #[test]
    fn segments_divide_the_object_memory() {
        let all = cells_of(
            "cells = { segments = 512, object-memory = \"64MiB\" }",
            &throughput(
                "system = \"nibble\", workload = \"get-0\", value-bytes = 52, fill-percent = 20",
                "threads = 2",
                "threads = 1",
            ),
        )
        .unwrap();
        assert_eq!(all[1].system.label(), "nibble@segment-bytes=131072");
    }

    #[test]
    fn a_factor_multiplies_the_operations_of_the_scale() {
        let question = throughput(
            "system = \"nibble\", workload = \"get-0\", value-bytes = 52, fill-percent = 20",
            "threads = 2",
            "threads = 1",
        );
        let all = cells_of("cells = { operations-factor = 2.5 }", &question).unwrap();
        assert_eq!(work(&all[0]).operations_per_thread, 2500);
        let error = cells_of("cells = { operations-factor = -1 }", &question).unwrap_err();
        assert!(error.contains("`operations-factor` = -1"), "{error}");
    }

    #[test]
    fn a_fixed_live_set_decides_the_object_memory() {
        let place = "system = \"nibble\", workload = \"get-0\", value-bytes = 52, live-set = \"fixed\", \
                     threads = 1";
        let question = throughput(place, "fill-percent = 80", "fill-percent = 20");
        let all = cells_of("", &question).unwrap();
        let (a, b) = (work(&all[0]), work(&all[1]));
        assert_eq!((a.object_memory_bytes, b.object_memory_bytes), (80 << 20, 20 << 20));
        assert_eq!(a.records, b.records, "the same objects");
        let error = cells_of("cells = { object-memory = \"64MiB\" }", &question).unwrap_err();
        assert!(error.contains("follows from the fill"), "{error}");
    }

    #[test]
    fn latencies_are_timed_one_by_one() {
        let all = cells_of(
            "cells = { rewrites = 1 }",
            "metric = \"update-p99.9-ns\"\n\
             where = { system = \"nibble\", workload = \"get-50\", value-bytes = 52, threads = 1 }\n\
             ratio = { of = { fill-percent = 90 }, to = { fill-percent = 20 }, at-most = 4 }",
        )
        .unwrap();
        assert!(all.iter().all(|cell| work(cell).latency == Timing::All));
        assert_eq!(work(&all[1]).operations_per_thread, 2 << 20, "half of them are PUTs");
    }

    #[test]
    fn overheads_of_equal_sides_share_their_cells() {
        let question = |pattern: &str| {
            format!(
                "metric = \"overhead-all-in-key-value\"\nwhere = {{ pattern = \"{pattern}\" }}\n\
                 select = {{ of = {{ system = \"nibble\" }}, worst = true, at-most = 1.1 }}"
            )
        };
        let all = cells_of("", &question("P1")).unwrap();
        assert_eq!(all.len(), 5);
        assert_eq!(all[0].id, "overhead/P1/nibble/67108864/0");
        assert!(cells_of("", &question("P9")).unwrap_err().contains("unknown pattern `P9`"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let (of, to) = ("system = \"nible\"", "system = \"nibble\"");
        let error = cells_of("", &throughput("", of, to)).unwrap_err();
        assert_eq!(error, "target `t`: `workload` is missing: add it to `where`");
        let place = "workload = \"get-0\", value-bytes = 52, fill-percent = 20, threads = 1";
        let error = cells_of("", &throughput(place, of, to)).unwrap_err();
        assert!(error.contains("did you mean nibble"), "{error}");
    }
}
