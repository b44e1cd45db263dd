//! The tables behind the figure of memory over time.
//!
//! A curve goes on through the idle wait, which is longer than the phases. The figure shows the
//! active part, which ends when the live bytes have changed for the last time; what follows are
//! two marks beside the time axis.

use std::collections::BTreeMap;
use std::path::Path;

use super::data::Data;
use super::table::{Column, Table};
use super::variants::is_plain;
use record::{Basis, CurvePoint, Observe, Repetition, Row, System, Work, archive, repetitions};

/// Patterns shown, the best first: one whose phases are long enough to be sampled, or the paper's.
const PATTERNS: [&str; 2] = ["timeline", "P4"];
/// Below so many samples a curve shows little of its shape.
const SAMPLES_FEW: usize = 20;
const MIB: f64 = (1 << 20) as f64;

/// `kind` is `sample`, `idle` or `purge`; the latter two have no time.
const SAMPLES: [Column; 7] = [
    Column::new("place", "", 0),
    Column::new("series", "", 0),
    Column::new("kind", "", 0),
    Column::new("elapsed-s", "", 3),
    Column::new("resident-mib", "", 3),
    Column::new("live-mib", "", 3),
    Column::new("end-s", "", 3),
];

const SHOWN: [Column; 8] = [
    Column::new("series", "system", 0),
    Column::new("repetition", "repetition", 0),
    Column::new("active", "active part, s", 2),
    Column::new("highest", "highest sample of resident memory, MiB", 1),
    Column::new("live", "live bytes at the end, MiB", 1),
    Column::new("resident", "resident at the end, MiB", 1),
    Column::new("idle", "after idle, MiB", 1),
    Column::new("purge", "after purge, MiB", 1),
];

/// The samples, and a table of what they come to.
pub(super) fn memory_over_time(folder: &Path, rows: &[Row]) -> Data {
    let all = repetitions(rows);
    let measured = |name: &&str| all.iter().any(|repetition| is_wanted(repetition, name));
    let pattern = PATTERNS.into_iter().find(measured).unwrap_or(PATTERNS[0]);
    let mut systems: BTreeMap<(bool, &str), Vec<&Repetition<'_>>> = BTreeMap::new();
    for repetition in all.iter().filter(|repetition| is_wanted(repetition, pattern)) {
        let place = (!repetition.cell.system.is_heap(), repetition.system);
        systems.entry(place).or_default().push(repetition);
    }
    let mut data = Data::new(&SAMPLES);
    let mut shown = Table::new(&SHOWN);
    let (mut drawn, mut coarse) = (0, Vec::new());
    for ((_, name), repetitions) in systems {
        let sound = repetitions.iter().filter(|one| one.counts());
        let Some(first) = sound.min_by_key(|one| one.cell.repetition) else {
            data.note_absence(name, pattern, &repetitions);
            continue;
        };
        let curve = match curve_of(folder, first) {
            Ok(curve) => curve,
            Err(reason) => {
                data.note_reason(name, pattern, reason);
                continue;
            }
        };
        add(drawn, name, first, &curve, &mut data.table, &mut shown);
        drawn += 1;
        if curve.len() < SAMPLES_FEW {
            coarse.push(format!("{name} {}", curve.len()));
        }
    }
    if let Some(Work::Fragmentation(work)) =
        all.iter().find(|one| is_wanted(one, pattern)).map(|one| &one.cell.work)
    {
        data.notes.push(format!(
            "One repetition of each system, the first that counts; pattern {pattern}: {}, live \
             bytes capped at {} MiB.",
            work.pattern.label,
            work.live_bytes >> 20
        ));
        data.notes.push(format!("The idle wait was {} s.", work.idle_ms as f64 / 1e3));
    }
    if !coarse.is_empty() {
        data.notes.push(format!(
            "Too short for more than a few samples, so corners and peaks are missing: {}.",
            coarse.join(", ")
        ));
    }
    data.shown = Some(shown);
    data
}

/// Allocators, on the paper's pattern as they come, and the suite's stores.
fn is_wanted(repetition: &Repetition<'_>, pattern: &str) -> bool {
    let Work::Fragmentation(work) = &repetition.cell.work else { return false };
    let system = match &repetition.cell.system {
        System::Heap { .. } => is_plain(&repetition.cell.system) || pattern == PATTERNS[0],
        System::Store { .. } => work.basis == Basis::Bounded || pattern == PATTERNS[0],
        System::Kernel | System::Way { .. } => false,
    };
    system && work.pattern.name == pattern && work.threads == 1 && work.observe == Observe::End
}

fn curve_of(folder: &Path, repetition: &Repetition<'_>) -> Result<Vec<CurvePoint>, String> {
    let name = repetition.rows.iter().find_map(|row| row.curve.as_deref());
    let name = name.ok_or("its memory was not sampled")?;
    if !folder.join(name).exists() {
        return Err("its samples are not kept with this run".to_owned());
    }
    let curve = active(archive::curve(folder, name)?);
    if curve.len() < 2 {
        return Err("fewer than two samples while it worked: the scale is too small".to_owned());
    }
    Ok(curve)
}

/// From the last sample before anything was live to the first with the final live bytes.
fn active(curve: Vec<CurvePoint>) -> Vec<CurvePoint> {
    let Some(last) = curve.last() else { return curve };
    let first = curve.iter().position(|point| point.live_bytes > 0).unwrap_or(0).saturating_sub(1);
    let unchanged =
        curve.iter().rev().take_while(|point| point.live_bytes == last.live_bytes).count();
    let end = (curve.len() - unchanged + 1).min(curve.len());
    curve.get(first..end).map(<[_]>::to_vec).unwrap_or_default()
}

fn add(
    place: usize,
    name: &str,
    repetition: &Repetition<'_>,
    curve: &[CurvePoint],
    samples: &mut Table,
    shown: &mut Table,
) {
    let (first, last) = (curve[0], curve[curve.len() - 1]);
    let seconds = |point: &CurvePoint| (point.elapsed_ns - first.elapsed_ns) as f64 / 1e9;
    let end_s = seconds(&last);
    for point in curve {
        samples.rows.push(vec![
            place.into(),
            name.into(),
            "sample".into(),
            seconds(point).into(),
            (point.resident_bytes as f64 / MIB).into(),
            (point.live_bytes as f64 / MIB).into(),
            end_s.into(),
        ]);
    }
    let memory = repetition.step("refill").and_then(|row| row.memory.as_ref());
    let mib = |bytes: u64| bytes as f64 / MIB;
    let [at_once, idle, purge] = [
        memory.and_then(|memory| memory.at_once),
        memory.and_then(|memory| memory.after_idle),
        memory.and_then(|memory| memory.after_trim),
    ]
    .map(|point| point.map(|point| mib(point.resident_bytes)));
    for (kind, resident) in [("idle", idle), ("purge", purge)] {
        samples.rows.push(vec![
            place.into(),
            name.into(),
            kind.into(),
            None.into(),
            resident.into(),
            mib(last.live_bytes).into(),
            end_s.into(),
        ]);
    }
    let highest = curve.iter().map(|point| point.resident_bytes).max().unwrap_or(0);
    let row = vec![
        name.into(),
        (repetition.cell.repetition as usize).into(),
        end_s.into(),
        mib(highest).into(),
        mib(last.live_bytes).into(),
        at_once.into(),
        idle.into(),
        purge.into(),
    ];
    shown.push(row, vec![repetition.source()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::{self, Folder};

    #[test]
    fn variants_are_drawn_where_the_pattern_is_long_enough_to_be_sampled() {
        let folder = Folder::new("variants-over-time");
        let drawn = |pattern: &str| -> Vec<String> {
            let mut work = fixture::work("P4");
            pattern.clone_into(&mut work.pattern.name);
            let mut rows = Vec::new();
            for variant in ["default", "fast"] {
                let system = fixture::heap("jemalloc", variant);
                let mut steps = fixture::fragmentation(system, work.clone(), 0, 1.2);
                for row in &mut steps {
                    row.curve = Some(format!("curves/{pattern}-{variant}.csv"));
                }
                rows.extend(steps);
            }
            fixture::write_curves(&folder.0, &rows);
            let table = memory_over_time(&folder.0, &rows).table;
            let series = (0..table.rows.len()).map(|row| table.text(row, "series").to_owned());
            let mut series: Vec<String> = series.collect();
            series.dedup();
            series
        };
        assert_eq!(drawn("timeline"), ["jemalloc", "jemalloc-fast"]);
        assert_eq!(drawn("P4"), ["jemalloc"], "the suite of allocators' settings measures it, too");
    }

    #[test]
    fn the_active_part_ends_where_the_live_bytes_stop_changing() {
        let curve: Vec<CurvePoint> = [0, 0, 0, 5, 9, 2, 9, 9, 9, 9]
            .iter()
            .enumerate()
            .map(|(at, &live_bytes)| CurvePoint {
                elapsed_ns: at as u64,
                live_bytes,
                ..CurvePoint::default()
            })
            .collect();
        let kept: Vec<u64> = active(curve).iter().map(|point| point.elapsed_ns).collect();
        assert_eq!(kept, [2, 3, 4, 5, 6]);
        assert!(active(Vec::new()).is_empty());
    }
}
