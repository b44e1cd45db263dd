//! Filled, emptied and filled again, a store takes the memory that it took at first; one that does not
//! is caught, and the report says which it is.

use std::path::Path;

use crate::common::run_suite;
use record::{Outcome, Row};
use report::figures::memory_return::{Fate, MemoryReturn, RATIO_MAX, returns_memory};
use report::figures::{Drawings, by_name, draw};

/// A suite that fills `systems` with objects of `sizes` in so many cycles.
fn suite(systems: &str, sizes: &str, cycles: u32) -> String {
    format!(
        r#"
        question = "Do deletes return memory?"
        [[pattern]]
        name = "again"
        first = "{sizes}"
        delete-percent = 100
        volume = "fill"
        cycles = {cycles}
        [[fragmentation]]
        patterns = ["again"]
        {systems}
        "#
    )
}

/// What became of `system`, all of whose steps ended as planned and lost nothing.
fn judged(rows: &[Row], system: &str) -> MemoryReturn {
    let own: Vec<&Row> = rows.iter().filter(|row| row.system == system).collect();
    for row in &own {
        let told = format!("{system} {}: {:?}", row.step, row.reason);
        assert!(matches!(row.outcome, Outcome::Measured | Outcome::Full) && row.expected, "{told}");
        let checked = row.verification.expect("values are checked");
        assert_eq!((checked.lost, checked.wrong), (0, 0), "{told}");
    }
    returns_memory(own).unwrap_or_else(|| panic!("{system} has cycles"))
}

/// The sentences below the figure.
fn notes(run: &Path, rows: &[Row]) -> String {
    let figure = by_name("refill").expect("a figure of the list");
    draw(run, rows, &[figure], Drawings::LeftOut).expect("a table")[0].notes.join(" ")
}

/// Without papaya, whose own entries take a little more in every cycle.
const STORES: [&str; 9] = [
    "hashmap",
    "btree",
    "heapstore:jemalloc",
    "heapstore:glibc",
    "masstree:glibc",
    "dashmap:glibc",
    "scc:glibc",
    "striped:glibc",
    "skiplist:glibc",
];

#[test]
fn stores_that_take_what_they_need_take_it_once() {
    let systems = format!("stores = {STORES:?}");
    let (code, run, rows) =
        run_suite("refill-ample", &suite(&systems, "100-1000", 10), &["--live-bytes", "16MiB"]);
    assert_eq!(code, 0);
    let notes = notes(&run, &rows);
    for system in STORES {
        let found = judged(&rows, system);
        assert!(found.first_fill_bytes > 16 << 20, "{system}: {found:?}");
        assert_eq!((found.fillings.len(), found.remainders.len()), (10, 10));
        // An allocator may be left with holes for a while, and then the report has to say so.
        if found.fate == Fate::Returned {
            assert!(found.worst_ratio <= RATIO_MAX && !notes.contains(system), "{notes}");
        } else {
            assert_eq!(found.fate, Fate::Fragmented, "{system}: {found:?}");
            assert!(notes.contains(&format!("{system} on again: 100–1000 B: fragmentation")));
        }
    }
    // Each value was read back after each filling: keys differ from one to the next.
    for row in rows.iter().filter(|row| row.step == "delete-10") {
        let filled = rows.iter().filter(|other| other.cell.id == row.cell.id);
        let filled = filled.filter(|other| other.step.starts_with("fill-"));
        let objects: u64 =
            filled.map(|row| row.memory.as_ref().unwrap().at_once.unwrap().live_objects).sum();
        assert!(row.verification.unwrap().checked >= objects, "{}", row.system);
    }
}

#[test]
fn stores_of_bounded_memory_hold_as_much_in_every_filling() {
    let stores = [
        "nibble",
        "nibble@update=append",
        "mica",
        "mica@preset=nibble-paper",
        "mica-erew",
        "ramcloud",
    ];
    let systems = format!("stores = {stores:?}\nbasis = [\"bounded\"]");
    let (code, run, rows) =
        run_suite("refill-bounded", &suite(&systems, "100-1000", 10), &["--live-bytes", "16MiB"]);
    assert_eq!(code, 0);
    for system in stores {
        let found = judged(&rows, system);
        assert_eq!(found.fate, Fate::Returned, "{system}: {found:?}");
        assert!(found.worst_ratio <= RATIO_MAX, "{system}: {found:?}");
    }
    assert!(notes(&run, &rows).contains("No filling took more than 5 % over the first."));
}

#[test]
fn a_planted_leak_is_called_one() {
    let leaking = "faulty@after-puts=100@fault=leak@leak-kib=1";
    let systems = format!("stores = [\"{leaking}\", \"faulty\"]");
    let (code, run, rows) =
        run_suite("refill-leak", &suite(&systems, "16KiB", 6), &["--live-bytes", "16MiB"]);
    assert_eq!(code, 0);
    assert_eq!(judged(&rows, "faulty").fate, Fate::Returned, "the control");
    let found = judged(&rows, leaking);
    assert_eq!(found.fate, Fate::Leaking, "{found:?}");
    // A sixteenth of each filling is lost.
    let expected = 1.0 + 5.0 / 16.0;
    assert!((found.worst_ratio - expected).abs() < 0.05, "{found:?}");
    let notes = notes(&run, &rows);
    assert!(notes.contains(&format!("{leaking} on again: 16 KiB: leak (")), "{notes}");
}

#[test]
fn a_leak_of_an_allocator_is_called_one_however_late_it_begins() {
    let systems = "heaps = [\"faulty\"]\nvariants = [\"default\", \"leak\"]";
    let (code, _, rows) =
        run_suite("refill-heap", &suite(systems, "64KiB", 10), &["--live-bytes", "8MiB"]);
    assert_eq!(code, 0);
    assert_eq!(judged(&rows, "faulty").fate, Fate::Returned, "the control");
    let found = judged(&rows, "faulty-leak");
    assert_eq!(found.fate, Fate::Leaking, "{found:?}");
    assert!(found.fillings[..7].iter().all(|&ratio| ratio <= RATIO_MAX), "{found:?}");
}
