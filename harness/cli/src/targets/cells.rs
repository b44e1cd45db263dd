//! The cells that measure a target.

use super::file::{File, Part};
use super::sizes::Sizes;
use super::target::{Kind, Quantity, Target};
use crate::compare;
use crate::plan::{check_key_value, check_store, get_workload};
use record::unknown_name;
use record::{
    Ageing, Basis, Cell, Driver, Fragmentation, Frees, KeyValue, Observe, System, Timing, Work,
};
use worker::registry;
use workloads::SizeDistribution;

/// Cells in the order they run. Those of a yardstick belong to rounds: see [`round_of`].
///
/// # Errors
/// What is wrong with a side.
pub(crate) fn cells(file: &File, target: &Target, sizes: &Sizes) -> Result<Vec<Cell>, String> {
    let fail = |message: String| format!("target `{}`: {message}", target.name);
    let seed = file.seed;
    match &target.kind {
        Kind::Compare { a, b, quantity } => {
            let latency = match quantity {
                Quantity::Throughput => Timing::Sampled,
                Quantity::Latency { .. } => Timing::All,
            };
            let b = key_value(b, sizes, latency, seed).map_err(fail)?;
            let mut cells = Vec::new();
            for (rival, a) in a.iter().enumerate() {
                let a = key_value(a, sizes, latency, seed).map_err(fail)?;
                cells.extend(compare::cells(&rival_name(target, rival), &a, &b, sizes.blocks));
            }
            Ok(cells)
        }
        Kind::Statistic { side, .. } | Kind::Yardstick { side, .. } => {
            let cell = key_value(side, sizes, Timing::Sampled, seed).map_err(fail)?;
            let repeat = |repetition: u32| Cell {
                id: format!("{}/{repetition}/{}", target.name, cell.system.label()),
                repetition,
                seed: seed + u64::from(repetition),
                ..cell.clone()
            };
            Ok((0..sizes.repetitions).map(repeat).collect())
        }
        Kind::Overhead { side, .. } => overhead(side, sizes, seed).map_err(fail),
    }
}

/// The name of the comparison with side `rival` of `a`; ids of its cells begin with it.
pub(crate) fn rival_name(target: &Target, rival: usize) -> String {
    format!("{}/against-{rival}", target.name)
}

/// The calibration that a yardstick's cell is measured right after.
pub(crate) fn round_of(cell: &Cell) -> u32 {
    cell.repetition
}

fn key_value(side: &Part, sizes: &Sizes, latency: Timing, seed: u64) -> Result<Cell, String> {
    let mut workload = get_workload(side.get_percent.ok_or("`get-percent` is missing")?)?;
    let distribution = side.distribution.as_deref().unwrap_or("uniform");
    workload.keys =
        distribution.parse().map_err(|error| format!("distribution `{distribution}`: {error}"))?;
    let value_bytes = side.value_bytes.ok_or("`value-bytes` is missing")?;
    workload.value_bytes = SizeDistribution::Constant(value_bytes);
    let mut work = KeyValue {
        fill_percent: side.fill_percent.ok_or("`fill-percent` is missing")?,
        threads: side.threads.ok_or("`threads` is missing")?,
        driver: Driver::Closed { batch: side.batch.unwrap_or(1) },
        operations_per_thread: sizes.operations.min(side.operations.unwrap_or(u64::MAX)),
        latency,
        ageing: side.warm_up_rewrites.map_or(Ageing::None, Ageing::Rewrites),
        ..KeyValue::plain(workload, sizes.object_memory_for(side.object_memory))
    };
    check_key_value(&work)?;
    if let Some(rewrites) = side.rewrites {
        let put_share = 1.0 - work.get_percent() / 100.0;
        if put_share <= 0.0 {
            return Err("`rewrites` needs PUTs: get-percent is 100".to_owned());
        }
        work.operations_per_thread = (work.writes_per_thread(rewrites) as f64 / put_share) as u64;
    }
    check_key_value(&work)?;
    work.size_records();
    let system = system(side, work.object_memory_bytes)?;
    check_store(&system, &work)?;
    let aged = side.warm_up_rewrites.map_or(0, |rewrites| work.writes_per_thread(rewrites));
    let operations = work.operations_per_thread + aged;
    let timeout_ms =
        120_000 + (work.object_memory_bytes >> 30) * 60_000 + operations * work.threads as u64 / 50;
    Ok(finish(system, Work::KeyValue(work), seed, timeout_ms))
}

fn overhead(side: &Part, sizes: &Sizes, seed: u64) -> Result<Vec<Cell>, String> {
    let name = side.pattern.as_deref().ok_or("`pattern` is missing")?;
    let pattern = workloads::fragmentation::Pattern::by_name(name).ok_or_else(|| {
        let known = workloads::fragmentation::all();
        unknown_name("pattern", name, known.iter().map(|pattern| pattern.name.as_str()))
    })?;
    let mut cells = Vec::new();
    for repetition in 0..sizes.overhead_repetitions {
        for bytes in sizes.spanning(sizes.object_memory_for(side.object_memory)) {
            let work = Fragmentation {
                pattern: pattern.clone(),
                live_bytes: bytes,
                basis: Basis::Bounded,
                threads: side.threads.unwrap_or(1),
                frees: Frees::Own,
                observe: Observe::End,
                idle_ms: 0,
            };
            let system = system(side, bytes)?;
            let timeout_ms = 120_000 + (bytes >> 30) * 60_000;
            let cell = finish(system, Work::Fragmentation(work), seed, timeout_ms);
            // Without the target's name: targets that ask the same of the same cells share them.
            let id = format!("overhead/{name}/{}/{bytes}/{repetition}", cell.system.label());
            cells.push(Cell { id, repetition, seed: seed + u64::from(repetition), ..cell });
        }
    }
    Ok(cells)
}

/// The side's store, with `segments` as its setting `segment-bytes`.
fn system(side: &Part, object_memory_bytes: u64) -> Result<System, String> {
    let name = side.system.as_deref().ok_or("`system` is missing")?;
    let mut system = registry::store(name)?;
    if let (Some(segments), System::Store { options, .. }) = (side.segments, &mut system) {
        let bytes = object_memory_bytes / segments.max(1);
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
    use super::super::tests::{HEAD, file, file_with};
    use super::*;

    fn cells_of(entry: &str) -> Result<Vec<Cell>, String> {
        let targets = file_with(entry);
        cells(&file(HEAD), &targets[0], &sizes())
    }

    fn work(cell: &Cell) -> &KeyValue {
        let Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
        work
    }

    #[test]
    fn sides_differ_in_what_they_name() {
        let all = cells_of(
            "kind = \"throughput-ratio\"\n\
             workload = { get-percent = 0, value-bytes = 52, fill-percent = 20, threads = 1 }\n\
             a = [{ system = \"nibble\" }, { system = \"hashmap\" }]\n\
             b = { system = \"nibble\", threads = 2, segments = 512, warm-up-rewrites = 2 }\n",
        )
        .unwrap();
        assert_eq!(all.len(), 2 * 4 * 3);
        assert!(all[0].id.starts_with("t/against-0/0/0-A/nibble"), "{}", all[0].id);
        assert!(all[12].id.starts_with("t/against-1/0/0-A/hashmap"), "{}", all[12].id);
        let (a, b) = (work(&all[0]), work(&all[1]));
        assert_eq!((a.threads, b.threads, all[0].seed), (1, 2, 7));
        assert_eq!(b.ageing, Ageing::Rewrites(2.0));
        assert_eq!(b.writes_per_thread(2.0), 1 << 20, "64 MiB of 64-byte objects, twice, by two");
        assert_eq!(all[1].system.label(), "nibble@segment-bytes=131072");
        assert_eq!(all[0].seed, all[1].seed, "both sides execute the same operations");
    }

    #[test]
    fn latencies_are_timed_one_by_one() {
        let all = cells_of(
            "kind = \"latency-ratio\"\noperation = \"put\"\npercentile = \"p99.9\"\n\
             workload = { system = \"nibble\", get-percent = 50, value-bytes = 52, threads = 1 }\n\
             a = [{ fill-percent = 20 }]\nb = { fill-percent = 90, rewrites = 1 }\n",
        )
        .unwrap();
        assert!(all.iter().all(|cell| work(cell).latency == Timing::All));
        assert_eq!(work(&all[1]).operations_per_thread, 2 << 20, "half of them are PUTs");
        assert_eq!(work(&all[0]).operations_per_thread, 1000);
    }

    #[test]
    fn overheads_of_equal_sides_share_their_cells() {
        let all = cells_of(
            "kind = \"overhead\"\noverhead = \"all-in\"\nworkload = { system = \"nibble\", pattern = \"P1\" }\n",
        )
        .unwrap();
        assert_eq!(all.len(), 5);
        assert_eq!(all[0].id, "overhead/P1/nibble/67108864/0");
        let error = cells_of(
            "kind = \"overhead\"\noverhead = \"all-in\"\nworkload = { system = \"nibble\", pattern = \"P9\" }\n",
        );
        assert!(error.unwrap_err().contains("unknown pattern `P9`"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = cells_of(
            "kind = \"throughput-ratio\"\na = [{ system = \"nibble\" }]\nb = { system = \"nible\" }\n",
        )
        .unwrap_err();
        assert_eq!(error, "target `t`: `get-percent` is missing");
        let error = cells_of(
            "kind = \"throughput-ratio\"\na = [{ system = \"nibble\" }]\nb = { system = \"nible\" }\n\
             workload = { get-percent = 0, value-bytes = 52, fill-percent = 20, threads = 1 }\n",
        )
        .unwrap_err();
        assert!(error.contains("did you mean nibble"), "{error}");
    }
}
