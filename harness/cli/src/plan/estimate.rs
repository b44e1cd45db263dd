//! How long a plan will take, roughly, before anything is measured.
//!
//! Prices are means over the systems of the committed reference run (`results/reference`), on two cores
//! of a present-day server; other machines take a multiple of it. A test holds them against that run.

use engine::Transport;

use crate::memory::touched_bytes;
use crate::runner::{IN_FLIGHT_MAX, processes};
use record::{Ageing, Basis, Cell, Driver, Fragmentation, KeyValue, System, Work};
use worker::registry;

/// Starting a worker, describing it, ending it.
const PROCESS_S: f64 = 0.11;
/// Warming, mapping and giving back a GiB.
const GIB_S: f64 = 1.0;
/// An operation on a store: by a call, with what each byte of the value adds; over a socket.
const CALL_NS: f64 = 600.0;
const CALL_BYTE_NS: f64 = 0.3;
const SOCKET_NS: f64 = 40_000.0;
/// The same of a request that goes out with others.
const PIPELINED_NS: f64 = 3_500.0;
/// Cells that ask about memory run side by side, on the two cores that prices are of.
const SIDE_BY_SIDE: f64 = 2.0;
/// The pseudo-store that prices memory, as a share of a store.
const ROOFLINE_SHARE: f64 = 0.15;
/// A request to an allocator, with what each byte that is written adds.
const HEAP_NS: f64 = 120.0;
const HEAP_BYTE_NS: f64 = 0.35;

/// Wall time of all `cells`, in seconds: what they do one after the other, and idle waits as far as they
/// do not overlap.
#[must_use]
pub fn estimate_s(cells: &[Cell]) -> f64 {
    let all: Vec<&Cell> = cells.iter().collect();
    let busy: f64 = processes(&all).iter().map(|process| busy_s(process)).sum();
    let waits: Vec<f64> = cells.iter().map(waits_s).collect();
    let overlapped = waits.iter().sum::<f64>() / IN_FLIGHT_MAX as f64;
    // The sum of nothing is a negative zero.
    (busy + waits.into_iter().fold(overlapped, f64::max)).abs()
}

/// The estimate for people: `42 s`, `31 min`, `2 h 10 min`.
#[must_use]
pub fn in_words(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0 | 1 => format!("{seconds:.0} s"),
        2..=119 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Time of a process, for which nothing else runs: the load that its cells share, and each on the clock.
fn busy_s(process: &[&Cell]) -> f64 {
    let gib = touched_bytes(process[0]) as f64 / (1_u64 << 30) as f64;
    let on_clock: f64 = process.iter().map(|cell| clock_ns(cell)).sum();
    let alone = PROCESS_S + gib * GIB_S + (around_ns(process[0]) + on_clock) / 1e9;
    if process[0].needs_one_core() { alone / SIDE_BY_SIDE } else { alone }
}

/// Time before and behind the clock: a store is loaded, aged, and read again at the end.
fn around_ns(cell: &Cell) -> f64 {
    let Work::KeyValue(work) = &cell.work else { return 0.0 };
    let aged = match work.ageing {
        Ageing::None => 0.0,
        Ageing::Rewrites(times) | Ageing::Churn(times) => times,
        Ageing::Litter(percent) => f64::from(percent) / 100.0,
    };
    // A store is rewritten as a whole, of which only a part is live.
    let aged = aged * 100.0 / f64::from(work.fill_percent.max(1));
    let records = if work.replay.is_some() { 0.0 } else { work.records_max() as f64 };
    let price = price_ns(&cell.system, work.workload.mean_value_bytes());
    records * (2.0 + aged) * price / work.threads as f64
}

fn clock_ns(cell: &Cell) -> f64 {
    match &cell.work {
        Work::KeyValue(work) => key_value_ns(&cell.system, work),
        Work::Fragmentation(work) => fragmentation_ns(&cell.system, work),
        Work::Allocations(work) => work.events as f64 * HEAP_NS,
        other => other.family().estimated_ns(),
    }
}

fn key_value_ns(system: &System, work: &KeyValue) -> f64 {
    let threads = work.threads as f64;
    let timed = work.operations_per_thread as f64 * threads;
    let price = price_ns(system, work.workload.mean_value_bytes());
    let at_most_ns = work.at_most_ms.map_or(f64::INFINITY, |ms| ms as f64 * 1e6);
    match (&work.replay, work.driver) {
        (Some(replay), Driver::Timed { speed }) => replay.totals.duration_ns as f64 / speed,
        (Some(_), _) => {
            // Stores over allocators rehearse.
            let rehearses = matches!(system, System::Store { heap: Some(_), .. });
            let times = if rehearses { 2.0 } else { 1.0 };
            times * timed * price / threads
        }
        (None, Driver::Open { rate_ops_per_s, .. }) => timed / rate_ops_per_s * 1e9,
        (None, Driver::Closed { .. } | Driver::Timed { .. } | Driver::Bare) => {
            (timed * price / threads).min(at_most_ns)
        }
    }
}

fn price_ns(system: &System, value_bytes: f64) -> f64 {
    let Some(traits) = registry::traits_of(system) else {
        return HEAP_NS + HEAP_BYTE_NS * value_bytes;
    };
    let call_ns = CALL_NS + CALL_BYTE_NS * value_bytes;
    if traits.transport == Transport::UnixSocket {
        SOCKET_NS
    } else if registry::is_roofline(system) {
        call_ns * ROOFLINE_SHARE
    } else {
        call_ns
    }
}

fn fragmentation_ns(system: &System, work: &Fragmentation) -> f64 {
    let first = work.pattern.first.mean();
    let volume = match work.pattern.volume {
        workloads::fragmentation::Volume::Fill => 1.0,
        workloads::fragmentation::Volume::Multiple(multiple) => multiple,
    };
    // Fill, delete, fill again; or the same in cycles.
    let fills = work.pattern.cycles.map_or(2.0, f64::from) * volume;
    let objects = work.live_bytes as f64 / first.max(1.0) * fills * 1.9;
    let pages = match work.basis {
        // Memory is touched within the clock, for as much as is live.
        Basis::Ample => work.live_bytes as f64 / 4096.0 * 1500.0,
        Basis::Bounded => 0.0,
    };
    let price_ns = price_ns(system, first);
    let price_ns = if work.basis == Basis::Ample { price_ns.min(PIPELINED_NS) } else { price_ns };
    objects * price_ns + pages
}

/// Time in which the cell sleeps and others run.
fn waits_s(cell: &Cell) -> f64 {
    let Work::Fragmentation(work) = &cell.work else { return 0.0 };
    let observations = match work.observe {
        record::Observe::End => 1.0,
        record::Observe::Each => 3.0,
    };
    observations * work.idle_ms as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use record::{Row, archive};

    /// Of the run that the prices were taken from, not of this machine: nothing is timed here.
    #[test]
    fn the_estimate_for_the_reference_run_is_near_what_it_took() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference");
        let (run, rows) = archive::load(&folder).unwrap();
        let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
        let (started, finished) = (at(&run.started), at(&run.finished.unwrap()));
        // Cells that come from runs of their own began at other times.
        let within = |row: &Row| {
            let began_ms = row.began.map_or(0, |began| began.unix_ms as i64);
            (started.as_millisecond()..=finished.as_millisecond()).contains(&began_ms)
        };
        let last: Vec<Row> = rows.into_iter().filter(|row| row.last && within(row)).collect();
        // A run that was stopped and resumed did nothing meanwhile.
        let mut began_ms: Vec<u64> =
            last.iter().filter_map(|row| Some(row.began?.unix_ms)).collect();
        began_ms.sort_unstable();
        let gaps_ms = began_ms.windows(2).map(|pair| pair[1] - pair[0]);
        let paused_ms: u64 = gaps_ms.filter(|gap_ms| *gap_ms > 300_000).sum();
        let cells: Vec<Cell> = last.into_iter().map(|row| row.cell).collect();
        assert!(cells.len() > 500, "{} cells of the run itself", cells.len());
        let took = finished.duration_since(started);
        let ratio = estimate_s(&cells) / (took.as_secs_f64() - paused_ms as f64 / 1e3);
        assert!((0.75..1.33).contains(&ratio), "{ratio:.2} of what it took");
    }

    #[test]
    fn words_for_people() {
        let words = [42.0, 95.0, 1800.0, 7800.0].map(in_words);
        assert_eq!(words, ["42 s", "2 min", "30 min", "2 h 10 min"]);
    }
}
