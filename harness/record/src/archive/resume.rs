//! Resumes a run: loads the finished rows and determines the missing cells.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::path::Path;

use super::lock::Lock;
use super::planned::{PlannedCell, Suites};
use super::run::now;
use super::write::{Archive, Names, ROWS, write_whole};
use super::{planned, read, rows};
use crate::Cell;
use crate::Row;
use crate::identity::Provenance;

/// Which finished cells are measured again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Again<'a> {
    /// Those with an unexpected outcome.
    pub failed: bool,
    /// The node that resumes the run. Of a shard, it measures every round as a whole that another node left
    /// unfinished: cells of one round are compared with one another.
    pub node: &'a str,
}

impl Again<'_> {
    /// The ids of those cells.
    fn cells<'a>(
        &self,
        plan: &[PlannedCell],
        rows: &'a [Row],
        is_shard: bool,
    ) -> BTreeSet<&'a str> {
        let there: BTreeSet<&str> = rows.iter().map(|row| row.cell.id.as_str()).collect();
        let unfinished: BTreeSet<u32> = plan
            .iter()
            .filter(|planned| is_shard && !there.contains(planned.cell.id.as_str()))
            .map(|planned| planned.cell.repetition)
            .collect();
        let is_again = |row: &&Row| {
            let elsewhere = row.node != self.node && unfinished.contains(&row.cell.repetition);
            elsewhere || (self.failed && !row.expected)
        };
        rows.iter().filter(is_again).map(|row| row.cell.id.as_str()).collect()
    }
}

/// A run that is being resumed.
#[derive(Debug)]
pub struct Resumed {
    pub archive: Archive,
    /// Finished rows.
    pub rows: Vec<Row>,
    /// Cells without rows, in the order of the plan.
    pub missing: Vec<Cell>,
    pub planned: usize,
    /// Missing cells whose rows were removed, to be measured again.
    pub again: usize,
}

impl Archive {
    /// Opens the run in `folder` to complete it. `provenance` describes the program and machine that
    /// would measure now. A half-written cell at the end of the rows is cut off, and so are all rows of
    /// cells that are to be measured `again`.
    ///
    /// # Errors
    /// A file is missing or invalid, another process writes to the folder, or the program or the class of
    /// machine differs from the one that began the run. Then nothing is changed.
    pub fn resume(
        folder: &Path,
        provenance: impl FnOnce(&[Cell]) -> Provenance,
        again: Again<'_>,
    ) -> Result<Resumed, String> {
        let mut record = read::record(folder)?;
        if record.suites.is_empty() {
            return Err(format!(
                "{}: run.json names no suite: only what `run` and `reproduce` measure can be \
                 resumed; comparisons and targets are measured in one go",
                folder.display()
            ));
        }
        let lock = Lock::take(folder)?;
        let plan = planned::plan(folder)?;
        let cells: Vec<Cell> = plan.iter().map(|planned| planned.cell.clone()).collect();
        let suites: Suites =
            plan.iter().map(|planned| (planned.cell.id.clone(), planned.suites.clone())).collect();
        check_provenance(folder, &record.provenance, &provenance(&cells))?;
        let path = folder.join(ROWS);
        let kept = rows::read(&path)?;
        let identities = plan.iter().map(|cell| (cell.cell.id.as_str(), cell.identity.as_str()));
        check_identities(&path, &kept.rows, &identities.collect())?;

        let removed = again.cells(&plan, &kept.rows, record.split.is_some());
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        let again = removed.len();
        if again > 0 {
            let lines = kept.rows.iter().zip(&kept.lines);
            let stay = lines.filter(|(row, _)| !removed.contains(row.cell.id.as_str()));
            let text: Vec<&[u8]> = stay.map(|(_, line)| &kept.text[line.clone()]).collect();
            write_whole(&path, &text.concat()).map_err(fail)?;
            for id in &removed {
                // A cell that failed early has no such files; a new one replaces existing files.
                let Names { curve, histograms, timeline, flame } = Names::of(id);
                for name in [curve, histograms, timeline, flame] {
                    let _ = fs::remove_file(folder.join(name));
                }
            }
        }
        let rows = OpenOptions::new().append(true).open(&path).map_err(fail)?;
        let rows_bytes = if again > 0 {
            rows.metadata().map_err(fail)?.len()
        } else {
            let end = kept.end() as u64;
            rows.set_len(end).and_then(|()| rows.sync_data()).map_err(fail)?;
            end
        };
        let removed: BTreeSet<String> = removed.into_iter().map(str::to_owned).collect();
        let mut kept_rows = kept.rows;
        kept_rows.retain(|row| !removed.contains(&row.cell.id));
        let there: BTreeSet<&str> = kept_rows.iter().map(|row| row.cell.id.as_str()).collect();
        let missing: Vec<Cell> =
            cells.into_iter().filter(|cell| !there.contains(cell.id.as_str())).collect();
        if !missing.is_empty() {
            record.resumed.push(now());
            (record.finished, record.interrupted) = (None, false);
        }
        let folder = folder.to_owned();
        let archive = Self { folder, rows, rows_bytes, record, suites, _lock: lock };
        if !missing.is_empty() {
            archive.write_record()?;
        }
        Ok(Resumed { archive, rows: kept_rows, missing, planned: plan.len(), again })
    }
}

/// Rows of another program or machine would not be comparable with the existing ones.
fn check_provenance(folder: &Path, then: &Provenance, now: &Provenance) -> Result<(), String> {
    let differences = then.differences(now);
    if differences.is_empty() {
        return Ok(());
    }
    let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
    Err(format!(
        "{}: cannot be resumed: its rows would not be comparable; recorded then and found now: {}. \
         Build and boot what the run was begun with, or begin a new run",
        folder.display(),
        differences.join("; ")
    ))
}

fn check_identities(
    path: &Path,
    rows: &[Row],
    planned: &BTreeMap<&str, &str>,
) -> Result<(), String> {
    for row in rows {
        let id = &row.cell.id;
        let identity = planned.get(id.as_str()).ok_or_else(|| {
            format!("{}: cell {id} is not in plan.json: begin a new run", path.display())
        })?;
        if row.identity != *identity {
            return Err(format!(
                "{}: cell {id} has identity {}, and plan.json says {identity}: begin a new run",
                path.display(),
                row.identity
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use super::*;
    use crate::CellRecord;
    use crate::MachineRecord;
    use crate::archive::{RunRecord, Standing, load, standing};
    use crate::made_up::run;
    use crate::made_up::sample_cells;
    use crate::made_up::{self, Folder};
    use crate::{CurvePoint, Outcome, Split};

    const PLANNED: usize = 4;

    fn cells() -> Vec<Cell> {
        sample_cells().into_iter().take(PLANNED).collect()
    }

    fn provenance(machine: &MachineRecord, cells: &[Cell]) -> Provenance {
        Provenance::of(machine, cells, |_| None)
    }

    /// Every cell belongs to one suite, the first cell to two.
    fn suites() -> Suites {
        let mut suites: Suites =
            cells().into_iter().map(|cell| (cell.id, vec!["first".to_owned()])).collect();
        suites.entry(cells().remove(0).id).or_default().push("second".to_owned());
        suites
    }

    fn record() -> RunRecord {
        let record = run("smoke");
        RunRecord { provenance: provenance(&record.machine, &cells()), ..record }
    }

    /// Two rows and a curve; the second row has the given outcome.
    fn measured(cell: &Cell, outcome: Outcome) -> CellRecord {
        let expected = outcome == Outcome::Measured;
        let mut last = made_up::row(cell, "refill");
        (last.outcome, last.expected) = (outcome, expected);
        let rows = vec![made_up::row(cell, "fill"), last];
        CellRecord { rows, curve: vec![CurvePoint::default()], ..CellRecord::default() }
    }

    /// A run whose first cell failed and whose second was measured, interrupted then.
    fn begun(root: &Folder) -> PathBuf {
        let mut archive = Archive::create(&root.0, record(), &cells(), suites()).unwrap();
        let cells = cells();
        archive.keep(&cells[0], &measured(&cells[0], Outcome::Crashed)).unwrap();
        archive.keep(&cells[1], &measured(&cells[1], Outcome::Measured)).unwrap();
        archive.folder().to_owned()
    }

    fn resume(folder: &Path, failed: bool) -> Result<Resumed, String> {
        let again = Again { failed, node: "made-up" };
        Archive::resume(folder, |cells| provenance(&record().machine, cells), again)
    }

    fn ids(cells: &[Cell]) -> Vec<&str> {
        cells.iter().map(|cell| cell.id.as_str()).collect()
    }

    #[test]
    fn a_run_is_completed_after_a_half_written_cell() {
        let root = Folder::new("resume-half");
        let folder = begun(&root);
        let rows = folder.join(ROWS);
        let whole = fs::read(&rows).unwrap();
        let cells = cells();
        // The third cell's first row is complete, its second is not.
        let lines = String::from_utf8_lossy(&whole).replace(&cells[1].id, &cells[2].id);
        let half = lines.lines().nth(2).unwrap().to_owned() + "\n{\"schema\":2,";
        fs::OpenOptions::new()
            .append(true)
            .open(&rows)
            .unwrap()
            .write_all(half.as_bytes())
            .unwrap();
        assert_eq!(load(&folder).unwrap().1.len(), 4, "readers leave it out");
        assert_eq!(standing(&folder).unwrap().cells, 2);

        let resumed = resume(&folder, false).unwrap();
        assert_eq!(fs::read(&rows).unwrap(), whole, "it is cut off");
        assert_eq!(ids(&resumed.missing), ids(&cells[2..]));
        assert_eq!((resumed.rows.len(), resumed.planned, resumed.again), (4, PLANNED, 0));
        let mut archive = resumed.archive;
        for cell in &resumed.missing {
            archive.keep(cell, &measured(cell, Outcome::Measured)).unwrap();
        }
        archive.finish(false).unwrap();
        drop(archive);

        let (record, rows) = load(&folder).unwrap();
        assert_eq!((record.resumed.len(), record.finished.is_some()), (1, true));
        let last: Vec<&str> =
            rows.iter().filter(|row| row.last).map(|row| row.cell.id.as_str()).collect();
        assert_eq!(last, ids(&cells), "each cell once");
        for row in &rows {
            assert_eq!(row.suites, suites()[&row.cell.id], "resumed or not");
        }
        let plan = planned::plan(&folder).unwrap();
        for row in &rows {
            let planned = plan.iter().find(|planned| planned.cell == row.cell).unwrap();
            assert_eq!(row.identity, planned.identity);
        }
        let resumed = resume(&folder, false).unwrap();
        assert!(resumed.missing.is_empty());
        assert_eq!(load(&folder).unwrap().0, record, "a finished run stays as it is");
        let whole = Standing { cells: PLANNED, planned: record.cells_planned, is_finished: true };
        assert_eq!(standing(&folder), Ok(whole));
    }

    #[test]
    fn failed_cells_are_taken_out_where_asked_and_others_stay_as_they_are() {
        let root = Folder::new("resume-retry");
        let folder = begun(&root);
        let rows = folder.join(ROWS);
        let before = fs::read_to_string(&rows).unwrap();
        let cells = cells();
        let curve = |cell: &Cell| folder.join(Names::of(&cell.id).curve);
        assert!(curve(&cells[0]).exists() && curve(&cells[1]).exists());
        let resumed = resume(&folder, true).unwrap();
        assert_eq!(resumed.again, 1);
        assert_eq!(ids(&resumed.missing), [&cells[0].id, &cells[2].id, &cells[3].id]);
        assert_eq!(resumed.rows.len(), 2);
        let after: Vec<&str> = before.lines().skip(2).collect();
        assert_eq!(fs::read_to_string(&rows).unwrap().lines().collect::<Vec<_>>(), after);
        assert!(!curve(&cells[0]).exists() && curve(&cells[1]).exists());
        let mut archive = resumed.archive;
        archive.keep(&cells[0], &measured(&cells[0], Outcome::Measured)).unwrap();
        assert_eq!(load(&folder).unwrap().1.len(), 4);
    }

    #[test]
    fn a_round_that_another_node_left_unfinished_is_measured_as_a_whole() {
        let root = Folder::new("resume-elsewhere");
        let mut second = cells();
        for cell in &mut second {
            (cell.id, cell.repetition) = (format!("{}-again", cell.id), 1);
        }
        let planned = [cells(), second].concat();
        let split = Some(Split::new("1/1".parse().unwrap(), &planned));
        let record = RunRecord { split, ..record() };
        let mut archive = Archive::create(&root.0, record, &planned, Suites::new()).unwrap();
        // The first round is whole; of the second one cell is there.
        for cell in &planned[..PLANNED + 1] {
            archive.keep(cell, &measured(cell, Outcome::Measured)).unwrap();
        }
        let folder = archive.folder().to_owned();
        drop(archive);
        assert_eq!(ids(&resume(&folder, false).unwrap().missing), ids(&planned[PLANNED + 1..]));
        let again = Again { failed: false, node: "another" };
        let resumed =
            Archive::resume(&folder, |_| self::record().provenance, again).expect("alike nodes");
        assert_eq!(ids(&resumed.missing), ids(&planned[PLANNED..]));
        assert_eq!((resumed.again, resumed.rows.len()), (1, 2 * PLANNED), "the first stays");
    }

    #[test]
    fn another_program_or_machine_is_refused_and_nothing_is_changed() {
        let root = Folder::new("resume-other");
        let folder = begun(&root);
        fs::OpenOptions::new()
            .append(true)
            .open(folder.join(ROWS))
            .unwrap()
            .write_all(b"{\"sche")
            .unwrap();
        let before = fs::read(folder.join(ROWS)).unwrap();
        let mut machine = record().machine;
        machine.facts.insert("cores".to_owned(), "64".to_owned());
        machine.facts.insert("revision".to_owned(), "another".to_owned());
        let error = Archive::resume(&folder, |cells| provenance(&machine, cells), Again::default())
            .unwrap_err();
        for text in ["cores: `2` and `64`", "revision: `unknown` and `another`", "begin a new run"]
        {
            assert!(error.contains(text), "`{text}` is not in: {error}");
        }
        assert_eq!(fs::read(folder.join(ROWS)).unwrap(), before);
    }

    #[test]
    fn rows_of_another_identity_are_refused() {
        let root = Folder::new("resume-identity");
        let folder = begun(&root);
        let rows = folder.join(ROWS);
        let identity = planned::plan(&folder).unwrap()[1].identity.clone();
        let text = fs::read_to_string(&rows).unwrap();
        fs::write(&rows, text.replace(&identity, "0000000000000000")).unwrap();
        let error = resume(&folder, false).unwrap_err();
        assert!(error.contains("identity 0000000000000000, and plan.json says"), "{error}");
    }

    #[test]
    fn a_run_that_is_being_written_and_one_without_suites_are_refused() {
        let root = Folder::new("resume-locked");
        let folder = begun(&root);
        let first = resume(&folder, false).unwrap();
        let error = resume(&folder, false).unwrap_err();
        assert!(error.contains("is writing this run"), "{error}");
        drop(first);
        let compare = RunRecord { suites: Vec::new(), name: "compare".to_owned(), ..record() };
        let archive = Archive::create(&root.0, compare, &cells(), Suites::new()).unwrap();
        let error = resume(archive.folder(), false).unwrap_err();
        assert!(error.contains("only what `run` and `reproduce` measure"), "{error}");
    }
}
