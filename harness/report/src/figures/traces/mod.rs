//! The tables behind the figures of traces, from the accounts in a run's folder (`traces/`).

mod kinds;
mod lines;

use std::path::Path;

pub(super) use kinds::kinds;
pub(super) use lines::{accesses, live, reuse, sizes};

use super::data::Data;
use super::{Drawings, Drawn, Figure, by_name, draw};
use record::{TraceAccount, repetition::Source};

/// The figures of traces.
const NAMES: [&str; 5] = ["fig10a", "fig10b", "trace-live", "trace-sizes", "trace-reuse"];

/// Writes `accounts` into `folder`, below `traces/`, and draws the figures of traces there, below
/// `figures/`: data tables, scripts and drawings. Accounts that are there already stay and are drawn
/// too, but for those of the same names.
///
/// # Errors
/// The account's name or the file, or what gnuplot said.
pub fn draw_accounts(
    folder: &Path,
    accounts: &[TraceAccount],
    drawings: Drawings,
) -> Result<Vec<Drawn>, String> {
    for account in accounts {
        account.write(folder)?;
    }
    let wanted: Vec<&Figure> = NAMES.into_iter().filter_map(by_name).collect();
    draw(folder, &[], &wanted, drawings)
}

/// The accounts of the run in `folder`, as far as `fits` wants them; where there are none, why not.
fn accounts(
    folder: &Path,
    kind: &str,
    fits: fn(&TraceAccount) -> bool,
) -> Result<Vec<TraceAccount>, String> {
    let mut accounts = TraceAccount::read_all(folder)?;
    if accounts.is_empty() {
        return Err("This run replayed no trace, so there is no account of one in its folder \
                    `traces`: the suites postmark-scaling, malloc-traces and real-traces replay some, \
                    and `nibble-bench trace stat FILE --plots FOLDER` draws those of a file alone."
            .to_owned());
    }
    accounts.retain(fits);
    if accounts.is_empty() {
        return Err(format!("None of the traces of this run is {kind}."));
    }
    Ok(accounts)
}

/// Why a table of traces has no rows.
const NOTHING_IN_THEM: &str = "The traces of this run have nothing of it.";

/// Nothing to draw, and why.
fn nothing(reason: String) -> Data {
    let mut data = Data::default();
    data.nothing = Some(reason);
    data
}

/// What is told of an account comes from its file.
fn source(account: &TraceAccount) -> Vec<Source> {
    account.file().map(Source::File).into_iter().collect()
}

/// A share in percent.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::fixture::{self, Folder};
    use super::super::gnuplot_available;
    use super::super::table::Table;
    use super::*;

    fn build(folder: &Path, name: &str) -> Data {
        by_name(name).unwrap().build(folder, &[])
    }

    /// The numbers `x` and `value` of a series, role by role.
    fn line(table: &Table, series: &str, role: &str) -> Vec<(f64, f64)> {
        let rows = (0..table.rows.len())
            .filter(|&row| table.text(row, "series") == series && table.text(row, "role") == role);
        rows.map(|row| (table.number(row, "x"), table.number(row, "value"))).collect()
    }

    #[test]
    fn lines_rise_from_nothing_to_all_or_to_what_is_reused() {
        let folder = Folder::new("trace-lines");
        fixture::write_accounts(&folder.0);
        let accounts = fixture::accounts();
        for (figure, traces) in [("fig10a", 2), ("trace-sizes", 3), ("trace-reuse", 2)] {
            let data = build(&folder.0, figure);
            assert_eq!(data.nothing, None);
            let mut drawn = 0;
            for account in &accounts {
                let line = line(&data.table, &account.name, "main");
                if line.is_empty() {
                    continue;
                }
                drawn += 1;
                assert!(line.is_sorted_by(|one, next| one.0 <= next.0 && one.1 <= next.1));
                let end = match (figure, account.requests()) {
                    ("trace-reuse", Some(whole)) => {
                        100.0 * (1.0 - whole.reuse.cold_share().unwrap())
                    }
                    _ => 100.0,
                };
                assert_eq!(line[0].1, 0.0, "{figure}: {}", account.name);
                assert!((line[line.len() - 1].1 - end).abs() < 1e-9, "{figure}: {line:?}");
                assert!(line.iter().all(|(x, _)| *x > 0.0), "the axis is logarithmic");
            }
            assert_eq!(drawn, traces, "{figure}");
            assert_eq!(data.shown.unwrap().rows.len(), traces);
        }
        let accesses = build(&folder.0, "fig10a").table;
        let whole = accounts[0].requests().unwrap();
        let at_80 = line(&accesses, &accounts[0].name, "main")
            .into_iter()
            .find(|(_, share)| *share >= 80.0);
        assert_eq!(at_80.unwrap().0, whole.accesses.by_operations.p80 as f64);
        assert_eq!(line(&accesses, "paper", "reference")[1], (18.0, 80.0));
        assert!(!line(&accesses, &accounts[0].name, "thin").is_empty());
    }

    #[test]
    fn shares_of_effects_stand_on_one_another_up_to_all() {
        let folder = Folder::new("trace-kinds");
        fixture::write_accounts(&folder.0);
        let table = build(&folder.0, "fig10b").table;
        let mut top = 0.0;
        for row in 0..table.rows.len() {
            let (low, high) = (table.number(row, "low"), table.number(row, "high"));
            let first = table.number(row, "order") == 0.0;
            assert!((if first { low } else { low - top }).abs() < 1e-9 && high >= low);
            top = high;
            if table.text(row, "series") == "delete-miss" {
                assert!((top - 100.0).abs() < 1e-9);
            }
        }
        assert_eq!(table.text(0, "panel"), "postmark-made-up");
    }

    #[test]
    fn live_bytes_reach_their_highest_value() {
        let folder = Folder::new("trace-live");
        fixture::write_accounts(&folder.0);
        let data = build(&folder.0, "trace-live");
        let panels: std::collections::BTreeSet<&str> =
            (0..data.table.rows.len()).map(|row| data.table.text(row, "panel")).collect();
        assert_eq!(panels.len(), 2, "nothing is put into the cache: {panels:?}");
        assert_eq!(data.notes, ["Nothing is ever live in: cache."]);
        let shown = data.shown.unwrap();
        let highest = (0..data.table.rows.len()).map(|row| data.table.number(row, "value"));
        let highest = highest.fold(0.0, f64::max);
        let most = (0..shown.rows.len()).map(|row| shown.number(row, "max")).fold(0.0, f64::max);
        assert!(shown.rows.len() == 2 && highest <= most && highest > 0.95 * most);
    }

    #[test]
    fn what_is_missing_is_told() {
        let folder = Folder::new("trace-none");
        for name in NAMES {
            assert!(build(&folder.0, name).nothing.unwrap().contains("trace stat FILE"), "{name}");
        }
        let allocations = &fixture::accounts()[1];
        let path = allocations.write(&folder.0).unwrap();
        assert!(build(&folder.0, "fig10a").nothing.unwrap().contains("key-value trace"));
        assert_eq!(build(&folder.0, "trace-live").nothing, None);
        // A trace of nothing, and one in which nothing comes again.
        for (name, operations) in [("empty", 0), ("once", 3)] {
            let folder = Folder::new(&format!("trace-{name}"));
            fixture::account_of_gets(name, operations).write(&folder.0).unwrap();
            assert!(build(&folder.0, "trace-reuse").nothing.is_some());
            assert_eq!(build(&folder.0, "fig10b").nothing.is_some(), operations == 0);
            if gnuplot_available().is_ok() {
                draw_accounts(&folder.0, &[], Drawings::ByGnuplot).unwrap();
            }
        }
        fs::write(path, "{").unwrap();
        for name in NAMES {
            assert!(build(&folder.0, name).nothing.unwrap().contains("allocator.json"), "{name}");
        }
    }

    #[test]
    fn accounts_alone_are_drawn_beside_those_that_are_there() {
        let folder = Folder::new("trace-draw");
        let accounts = fixture::accounts();
        let drawings =
            if gnuplot_available().is_ok() { Drawings::ByGnuplot } else { Drawings::LeftOut };
        draw_accounts(&folder.0, &accounts[1..2], drawings).unwrap();
        let drawn = draw_accounts(&folder.0, &accounts[..1], drawings).unwrap();
        assert_eq!(drawn.len(), 5);
        for drawn in drawn {
            assert!(drawn.svg.with_extension("tsv").is_file());
            assert_eq!(
                drawn.empty.is_none(),
                drawings == Drawings::ByGnuplot && drawn.svg.is_file()
            );
        }
        assert_eq!(TraceAccount::read_all(&folder.0).unwrap(), accounts[..2]);
        let mut nameless = accounts[0].clone();
        nameless.name.clear();
        draw_accounts(&folder.0, &[nameless], drawings).unwrap_err();
    }
}
