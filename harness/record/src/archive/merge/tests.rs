//! Runs of shards are merged, each cell once, or it is said why not.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::archive::{Archive, RunRecord, Suites, load};
use crate::made_up::{self, Folder, sample_cells};
use crate::{Cell, CellRecord, CurvePoint, MachineRecord, Shard, Split};

const ROUNDS: u32 = 5;

/// A few cells in five rounds, and those with counters once.
fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for repetition in 0..ROUNDS {
        cells.extend(sample_cells().into_iter().map(|cell| Cell {
            id: cell.id.replace("/0", &format!("/{repetition}")),
            repetition,
            ..cell
        }));
    }
    let counted: Vec<Cell> = cells.iter().take(2).cloned().collect();
    cells.extend(counted.into_iter().map(|cell| Cell {
        id: format!("{}/counters", cell.id),
        counters: true,
        ..cell
    }));
    cells
}

fn row(cell: &Cell, node: &str) -> CellRecord {
    let row = crate::Row { node: node.to_owned(), ..made_up::row(cell, "run") };
    CellRecord { rows: vec![row], curve: vec![CurvePoint::default()], ..CellRecord::default() }
}

fn record(shard: Shard, cells: &[Cell]) -> RunRecord {
    RunRecord {
        name: shard.name("sweep"),
        command: format!("nibble-bench run sweep.toml --scale smoke --shard {shard}"),
        suites: vec![("sweep".to_owned(), "How much?".to_owned())],
        split: Some(Split::new(shard, cells)),
        ..made_up::run("smoke")
    }
}

/// A run of that shard on a node of that name, without the last `left` of its cells.
fn run_of(root: &Path, shard: &str, left: usize, change: impl Fn(&mut RunRecord)) -> PathBuf {
    let (shard, node): (Shard, _) = (shard.parse().unwrap(), format!("node{shard}"));
    let whole = cells();
    let mut record = record(shard, &whole);
    change(&mut record);
    let own: Vec<Cell> = whole.into_iter().filter(|cell| shard.takes(cell)).collect();
    let mut archive = Archive::create(root, record, &own, Suites::new()).unwrap();
    archive.on_node(&node, &MachineRecord::default()).unwrap();
    for cell in &own[..own.len() - left] {
        archive.keep(cell, &row(cell, &node)).unwrap();
    }
    archive.finish(left > 0).unwrap();
    archive.folder().to_owned()
}

type Change = fn(&mut RunRecord);

fn as_it_is(_: &mut RunRecord) {}

fn shards(root: &Path, of: u32) -> Vec<PathBuf> {
    Shard::all(of).map(|shard| run_of(root, &shard.to_string(), 0, as_it_is)).collect()
}

fn merged(runs: &[PathBuf]) -> Result<Merged, MergeError> {
    merge(&Merge { runs, output: None, allow_mismatch: false })
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for name in ["run.json", "plan.json", "rows.jsonl"] {
        found.push((folder.join(name), fs::read(folder.join(name)).unwrap()));
    }
    found
}

#[test]
fn merged_shards_hold_the_whole_plan_each_cell_once() {
    let root = Folder::new("merge");
    let runs = shards(&root.0, 3);
    let whole = merged(&runs).unwrap();
    assert!(whole.is_new && whole.cells == cells().len());
    assert_eq!(whole.nodes, ["node1/3", "node2/3", "node3/3"]);
    let (record, rows) = load(&whole.folder).unwrap();
    let mut found: Vec<&str> = rows.iter().map(|row| row.cell.id.as_str()).collect();
    found.sort_unstable();
    let planned = cells();
    let mut expected: Vec<&str> = planned.iter().map(|cell| cell.id.as_str()).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let plan: Vec<Cell> =
        planned::plan(&whole.folder).unwrap().into_iter().map(|one| one.cell).collect();
    assert_eq!(plan, planned, "in the order of the whole plan");
    assert_eq!((record.name.as_str(), record.cells_planned), ("sweep", planned.len()));
    assert_eq!(record.command, "nibble-bench run sweep.toml --scale smoke");
    assert_eq!((record.nodes.len(), record.split.unwrap().shards), (3, vec![1, 2, 3]));
    for row in &rows {
        assert!(whole.folder.join(row.curve.as_ref().unwrap()).is_file(), "files go with rows");
    }
}

#[test]
fn merging_again_changes_nothing_in_whatever_order() {
    let root = Folder::new("merge-again");
    let mut runs = shards(&root.0, 3);
    let first = merged(&runs).unwrap();
    let before = files(&first.folder);
    runs.reverse();
    assert_eq!(merged(&runs).unwrap(), Merged { is_new: false, ..first.clone() });
    runs.push(first.folder.clone());
    runs.push(runs[0].clone());
    assert!(!merged(&runs).unwrap().is_new, "with the merged run and a run twice");
    assert!(!merged(std::slice::from_ref(&first.folder)).unwrap().is_new, "alone");
    assert_eq!(files(&first.folder), before);
    // A shard whose cells were measured again replaces what was merged of it.
    fs::remove_dir_all(&runs[0]).unwrap();
    runs[0] = run_of(&root.0, "3/3", 0, |record| record.notices = vec!["again".to_owned()]);
    assert!(merged(&runs[..3]).unwrap().is_new);
    assert!(load(&first.folder).unwrap().0.notices.contains(&"again".to_owned()));
}

#[test]
fn what_is_missing_is_named_with_the_command_that_makes_it() {
    let root = Folder::new("merge-missing");
    let runs = [run_of(&root.0, "1/3", 0, as_it_is), run_of(&root.0, "3/3", 1, as_it_is)];
    let error = merged(&runs).unwrap_err();
    let said = error.to_string();
    let resume = format!("nibble-bench run --resume {}", runs[1].display());
    for text in [
        "shard 2/3: nibble-bench run sweep.toml --scale smoke --shard 2/3",
        "1 cell(s) of",
        &resume,
    ] {
        assert!(said.contains(text), "`{text}` is not in: {said}");
    }
    assert_eq!(fs::read_dir(&root.0).unwrap().count(), 2, "nothing was written");
    assert_eq!(merged(&[]).unwrap_err(), MergeError::NoRun);
}

#[test]
fn unlike_runs_are_refused_or_marked() {
    let root = Folder::new("merge-unlike");
    let first = run_of(&root.0, "1/2", 0, as_it_is);
    let changes: [(&str, Change); 5] = [
        ("cpu: `unknown` and `another`", |record| {
            record.provenance.environment.facts.insert("cpu".to_owned(), "another".to_owned());
        }),
        ("revision: `unknown` and `2`", |record| {
            record.provenance.program.insert("revision".to_owned(), "2".to_owned());
        }),
        ("suite: `sweep` and `other`", |record| record.suites[0].0 = "other".to_owned()),
        ("scale: `smoke` and `quick`", |record| record.scale = crate::Scale::by_name("quick")),
        ("the cells that were planned", |record| {
            record.split.as_mut().unwrap().plan = "0".to_owned();
        }),
    ];
    for (text, change) in changes {
        let second = run_of(&root.0, "2/2", 0, change);
        let runs = [first.clone(), second.clone()];
        let error = merged(&runs).unwrap_err().to_string();
        assert!(error.contains(text) && error.contains("--allow-mismatch"), "{error}");
        let output = root.0.join("marked");
        let asked = Merge { runs: &runs, output: Some(&output), allow_mismatch: true };
        merge(&asked).unwrap();
        let notices = load(&output).unwrap().0.notices.join(" ");
        assert!(notices.contains("are not alike") && notices.contains(text), "{notices}");
        fs::remove_dir_all(output).unwrap();
    }
}

#[test]
fn what_was_measured_twice_and_what_is_no_shard_are_refused() {
    let root = Folder::new("merge-twice");
    let mut runs = shards(&root.0, 2);
    let other = Folder::new("merge-twice-other");
    let again = run_of(&other.0, "2/2", 0, as_it_is);
    let rows = fs::read_to_string(again.join(ROWS)).unwrap().replace("node2/2", "node9");
    fs::write(again.join(ROWS), rows).unwrap();
    runs.push(again);
    let error = merged(&runs).unwrap_err();
    assert!(matches!(error, MergeError::Twice { .. }), "{error}");
    assert!(error.to_string().contains("leave one of them out"), "{error}");
    runs.pop();

    let whole = RunRecord { split: None, ..record("1/2".parse().unwrap(), &cells()) };
    let archive = Archive::create(&root.0, whole, &cells(), Suites::new()).unwrap();
    let alone = [archive.folder().to_owned()];
    assert_eq!(merged(&alone).unwrap_err(), MergeError::Whole(alone[0].clone()));
    let taken = Merge { runs: &runs, output: Some(&alone[0]), allow_mismatch: false };
    assert_eq!(merge(&taken).unwrap_err(), MergeError::Taken(alone[0].clone()));
    let error = merged(&[root.0.join("nowhere")]).unwrap_err().to_string();
    assert!(error.contains("is this the folder of a run?"), "{error}");
}
