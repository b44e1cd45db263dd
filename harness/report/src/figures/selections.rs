//! Which fragmentation cells each figure shows, and where.

use std::collections::BTreeSet;

use workloads::fragmentation::{Pattern, Volume};

use super::data::Data;
use super::fragmentation::{BESIDE, Bar, Base, Selection, build};
use super::variants::{apart, is_plain};
use record::{Basis, Cell, Fragmentation, Frees, Observe, Row, System, Work, metrics};

/// `allocator-bloat`: as many panels as it takes for all allocators, and one for each variant.
pub(super) fn allocators_in_panels(rows: &[Row]) -> Data {
    allocators_in(rows, 2)
}

/// `allocator-throughput`: variants are marks beside the allocators, so one panel holds all that are drawn.
pub(super) fn allocators(rows: &[Row]) -> Data {
    allocators_in(rows, 1)
}

fn allocators_in(rows: &[Row], room: usize) -> Data {
    let pick = |cell: &Cell, work: &Fragmentation| match &cell.system {
        System::Heap { variant, .. }
            if is_paper_protocol(work) && work.pattern.volume == Volume::Fill =>
        {
            // In runs of older revisions: it changes nothing but what idleness gives back.
            let panel = if variant == "background" { "default" } else { variant.as_str() };
            vec![bar(cell, &work.pattern, panel)]
        }
        _ => Vec::new(),
    };
    build(rows, Selection { pick: &pick, sparse_beside: false, room })
}

/// How often RAMCloud's protocol allocates the live set.
const RAMCLOUD_VOLUME: Volume = Volume::Multiple(5.0);

/// `ramcloud-patterns`: a panel for each variant.
pub(super) fn ramcloud(rows: &[Row]) -> Data {
    let pick = |cell: &Cell, work: &Fragmentation| match &cell.system {
        System::Heap { variant, .. }
            if is_paper_protocol(work) && work.pattern.volume == RAMCLOUD_VOLUME =>
        {
            vec![bar(cell, &work.pattern, variant)]
        }
        _ => Vec::new(),
    };
    build(rows, Selection { pick: &pick, sparse_beside: false, room: 1 })
}

/// `store-bloat`: a bounded store is two bars, one for each base of its overhead. What it holds with memory
/// to spare stands in `memory-protocols`. Variants of the heaps below have panels of their own.
pub(super) fn stores(rows: &[Row]) -> Data {
    let bounded: BTreeSet<&System> = rows
        .iter()
        .filter(|row| matches!(&row.cell.work, Work::Fragmentation(work) if work.basis == Basis::Bounded))
        .map(|row| &row.cell.system)
        .collect();
    let pick = |cell: &Cell, work: &Fragmentation| {
        if cell.system.is_heap() || !is_paper_protocol(work) {
            return Vec::new();
        }
        let (panel, series) = apart("stores", &cell.system);
        let plain = Bar { series, ..bar(cell, &work.pattern, &panel) };
        let name = plain.series.clone();
        match work.basis {
            Basis::Bounded => [(Base::AllIn, "all-in"), (Base::LogOnly, "log-only")]
                .map(|(base, word)| Bar { base, series: format!("{name} {word}"), ..plain.clone() })
                .to_vec(),
            Basis::Ample if bounded.contains(&cell.system) => {
                vec![Bar { panel: BESIDE.to_owned(), ..plain }]
            }
            Basis::Ample => vec![plain],
        }
    };
    let mut data = build(rows, Selection { pick: &pick, sparse_beside: true, room: 3 });
    data.notes.extend(held_more(rows));
    data
}

/// Stores of which all-in is resident memory: it is more than they say that they may hold.
fn held_more(rows: &[Row]) -> Option<String> {
    let more = rows.iter().filter(|row| metrics::exceeds_capacity(row) && row.step == "refill");
    let named: BTreeSet<String> = more
        .filter_map(|row| match &row.cell.work {
            Work::Fragmentation(work) => Some(format!("{} on {}", row.system, work.pattern.name)),
            _ => None,
        })
        .collect();
    let named: Vec<String> = named.into_iter().collect();
    (!named.is_empty()).then(|| {
        format!(
            "All-in is the capacity, but where more was resident it is that: {}.",
            named.join(", ")
        )
    })
}

/// `threads`: one panel for each pattern, and for each variant, grouped by threads and who frees.
pub(super) fn threads(rows: &[Row]) -> Data {
    // Variants of one thread are measured for other figures, too: alone they say nothing here.
    let two_threads = |row: &Row| match &row.cell.work {
        Work::Fragmentation(work) => work.threads > 1 && !is_plain(&row.cell.system),
        _ => false,
    };
    let with_variants = rows.iter().any(two_threads);
    let pick = |cell: &Cell, work: &Fragmentation| {
        let wanted = match &cell.system {
            System::Heap { .. } => with_variants || is_plain(&cell.system),
            System::Store { .. } => work.basis == Basis::Bounded,
            System::Kernel | System::Way { .. } => false,
        };
        let asked = ["P1", "P4"].contains(&work.pattern.name.as_str());
        let plain = !work.sized && work.key_bytes.is_none() && work.observe == Observe::End;
        if !wanted || !asked || !plain {
            return Vec::new();
        }
        let (group, below) = match (work.threads, work.frees) {
            (1, _) => ("1 thread".to_owned(), ""),
            (threads, Frees::Own) => (format!("{threads} threads"), "own frees"),
            (threads, Frees::Other) => (format!("{threads} threads"), "other frees"),
        };
        let panel = format!("{}: {}", work.pattern.name, work.pattern.label);
        let bar = bar(cell, &work.pattern, &apart(&panel, &cell.system).0);
        let base = if cell.system.is_heap() { Base::Resident } else { Base::AllIn };
        vec![Bar {
            group_key: (String::new(), work.threads, u8::from(work.frees == Frees::Other)),
            group,
            below: below.to_owned(),
            base,
            ..bar
        }]
    };
    let mut data = build(rows, Selection { pick: &pick, sparse_beside: false, room: 2 });
    one_thread_in_all(&mut data);
    data
}

/// Says so where only some groups were measured: a figure about threads needs several.
fn one_thread_in_all(data: &mut Data) {
    let rows = 0..data.table.rows.len();
    if !data.table.rows.is_empty()
        && rows.clone().all(|row| data.table.text(row, "group") == "1 thread")
    {
        data.table.rows.clear();
    }
}

/// One thread, each phase once and one after another, idleness and purge observed at the end only.
pub(super) fn is_paper_protocol(work: &Fragmentation) -> bool {
    !work.sized
        && work.key_bytes.is_none()
        && work.threads == 1
        && work.observe == Observe::End
        && work.pattern.cycles.is_none()
}

fn bar(cell: &Cell, pattern: &Pattern, panel: &str) -> Bar {
    Bar {
        panel: panel.to_owned(),
        group_key: (pattern.name.clone(), 0, 0),
        group: pattern.name.clone(),
        below: pattern.label.clone(),
        series: match &cell.system {
            // A variant is a panel of its own, so the allocator keeps its name and style.
            System::Heap { name, .. } => name.clone(),
            system => system.label(),
        },
        base: Base::Resident,
    }
}
