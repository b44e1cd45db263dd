//! Writing a run folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::latency;
use super::lock::Lock;
use super::planned::{self, PlannedCell, Suites};
use super::run::{RunRecord, now, stamp};
use crate::Cell;
use crate::CellRecord;
use crate::MachineRecord;
use crate::repetition::without_repetition;

pub(super) const ROWS: &str = "rows.jsonl";

/// A run folder that is being written. Each cell's rows are appended in one write and synced; they count
/// once the last of them is there. However the program ends, it leaves complete cells behind.
#[derive(Debug)]
pub struct Archive {
    pub(super) folder: PathBuf,
    pub(super) rows: File,
    /// Length of `rows` up to the end of the last complete cell.
    pub(super) rows_bytes: u64,
    pub(super) record: RunRecord,
    pub(super) suites: Suites,
    pub(super) _lock: Lock,
}

impl Archive {
    /// Creates a folder below `root` for `record` and the plan of `cells`; `suites` names the suites of
    /// each cell. The folder gets its name once record and plan are in it, so a folder with that name can
    /// be resumed.
    ///
    /// # Errors
    /// An error of the system, with the path.
    pub fn create(
        root: &Path,
        mut record: RunRecord,
        cells: &[Cell],
        suites: Suites,
    ) -> Result<Self, String> {
        let fail = |path: &Path, error: &io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(root).map_err(|error| fail(root, &error))?;
        let name = format!("{}-{}", stamp(), record.name);
        let (part, folder) = unused(root, &name)?;
        fs::create_dir(part.join("curves")).map_err(|error| fail(&part, &error))?;
        let lock = Lock::take(&part)?;
        let rows = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(part.join(ROWS))
            .map_err(|error| fail(&part, &error))?;
        record.started = now();
        let planned = cells.iter().map(|cell| PlannedCell::of(&record.provenance, cell, &suites));
        let plan = planned::text(&planned.collect::<Vec<_>>());
        let mut archive = Self { folder: part, rows, rows_bytes: 0, record, suites, _lock: lock };
        archive.keep_file(planned::NAME, &plan)?;
        archive.write_record()?;
        fs::rename(&archive.folder, &folder).map_err(|error| fail(&folder, &error))?;
        archive.folder = folder;
        Ok(archive)
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    #[must_use]
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Adds `cells` to the plan: further repetitions of cells that are in it, with the same suites.
    ///
    /// # Errors
    /// An error of the system, with the path.
    pub fn extend(&mut self, cells: &[Cell]) -> Result<(), String> {
        let mut planned = planned::plan(&self.folder)?;
        let suites = |cell: &Cell| {
            let like = without_repetition(&cell.id);
            let known = planned.iter().find(|one| without_repetition(&one.cell.id) == like);
            known.map(|one| one.suites.clone()).unwrap_or_default()
        };
        let added = cells.iter().map(|cell| (cell.id.clone(), suites(cell)));
        let added: Vec<(String, Vec<String>)> = added.collect();
        self.suites.extend(added);
        let cells =
            cells.iter().map(|cell| PlannedCell::of(&self.record.provenance, cell, &self.suites));
        planned.extend(cells);
        self.record.cells_planned = planned.len();
        self.keep_file(planned::NAME, &planned::text(&planned))?;
        self.write_record()
    }

    /// Notes the machine of a node that measures a shard from now on; other runs have one machine.
    ///
    /// # Errors
    /// An error of the system, with the path.
    pub fn on_node(&mut self, node: &str, machine: &MachineRecord) -> Result<(), String> {
        if self.record.split.is_none() || self.record.nodes.contains_key(node) {
            return Ok(());
        }
        self.record.nodes.insert(node.to_owned(), machine.clone());
        self.write_record()
    }

    /// Adds a sentence to what the report says of the run as a whole.
    pub fn note(&mut self, notice: String) {
        self.record.notices.push(notice);
    }

    /// Writes a finished cell. Its curve is written first, so that rows never name an incomplete file.
    ///
    /// # Errors
    /// An error of the system, with the path. Then nothing of the cell is kept.
    pub fn keep(&mut self, cell: &Cell, record: &CellRecord) -> Result<(), String> {
        let curve = (!record.curve.is_empty()).then(|| Names::of(&cell.id).curve);
        if let Some(name) = &curve {
            self.keep_file(name, &curve_text(record))?;
        }
        let (histograms, timeline) = self.keep_latency(cell, record)?;
        let identity = self.record.provenance.identity(cell);
        let mut lines = Vec::new();
        for (place, row) in record.rows.iter().enumerate() {
            let mut row = row.clone();
            row.identity.clone_from(&identity);
            row.suites = self.suites.get(&cell.id).cloned().unwrap_or_default();
            row.curve.clone_from(&curve);
            if !row.latency_ns.is_empty() {
                row.histograms.clone_from(&histograms);
                row.timeline.clone_from(&timeline);
            }
            row.last = place + 1 == record.rows.len();
            serde_json::to_writer(&mut lines, &row).expect("a row is plain data");
            lines.push(b'\n');
        }
        if let Err(error) = self.rows.write_all(&lines).and_then(|()| self.rows.sync_data()) {
            // Readers leave out half a cell at the end, but not one that is followed by others.
            let _ = self.rows.set_len(self.rows_bytes);
            return Err(self.failed(ROWS, &error));
        }
        self.rows_bytes += lines.len() as u64;
        Ok(())
    }

    /// Writes the cell's latency files, if anything was timed.
    fn keep_latency(
        &self,
        cell: &Cell,
        record: &CellRecord,
    ) -> Result<(Option<String>, Option<String>), String> {
        let Some(run) = record.rows.iter().find(|row| !row.latency_ns.is_empty()) else {
            return Ok((None, None));
        };
        if record.histograms.is_empty() {
            return Ok((None, None));
        }
        let Names { histograms, timeline, .. } = Names::of(&cell.id);
        let log = latency::log_text(&record.histograms, run.elapsed_ns)?;
        // Mapping cells have no data per second.
        let over_time =
            (!record.seconds.is_empty()).then(|| latency::timeline_text(&record.seconds));
        let log = Some((&histograms, log.as_slice()));
        let over_time_file = over_time.as_ref().map(|text| (&timeline, text.as_bytes()));
        for (name, text) in log.into_iter().chain(over_time_file) {
            let path = self.folder.join(name);
            let folder = path.parent().expect("a file in a folder");
            fs::create_dir_all(folder)
                .and_then(|()| write_whole(&path, text))
                .map_err(|error| self.failed(name, &error))?;
        }
        Ok((Some(histograms), over_time.map(|_| timeline)))
    }

    /// Records the end of the run.
    ///
    /// # Errors
    /// An error of the system, with the path.
    pub fn finish(&mut self, interrupted: bool) -> Result<(), String> {
        self.record.finished = Some(now());
        self.record.interrupted = interrupted;
        self.write_record()
    }

    pub(super) fn write_record(&self) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.record).expect("a record is plain data");
        self.keep_file("run.json", &(text + "\n"))
    }

    /// Writes a text beside the rows, completely or not at all.
    ///
    /// # Errors
    /// An error of the system, with the path.
    pub fn keep_file(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| write_whole(&path, text.as_bytes()))
            .map_err(|error| self.failed(name, &error))
    }

    fn failed(&self, name: &str, error: &io::Error) -> String {
        format!("{}: {error}", self.folder.join(name).display())
    }
}

/// Claims an unused name below `root`: the folder to fill, and the name it gets in the end.
fn unused(root: &Path, name: &str) -> Result<(PathBuf, PathBuf), String> {
    for attempt in 1.. {
        let name = if attempt == 1 { name.to_owned() } else { format!("{name}-{attempt}") };
        let (part, folder) = (root.join(format!("{name}.part")), root.join(name));
        if folder.exists() {
            continue;
        }
        match fs::create_dir(&part) {
            Ok(()) => return Ok((part, folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{}: {error}", part.display())),
        }
    }
    unreachable!("names do not run out")
}

/// Writes a file completely or not at all, even if the program or the machine crashes.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    fs::rename(&part, path)
}

fn curve_text(record: &CellRecord) -> String {
    let mut text = "elapsed_s,resident_bytes,live_bytes,swap_bytes\n".to_owned();
    for point in &record.curve {
        let elapsed_s = point.elapsed_ns as f64 / 1e9;
        let (resident, live, swap) = (point.resident_bytes, point.live_bytes, point.swap_bytes);
        text += &format!("{elapsed_s:.3},{resident},{live},{swap}\n");
    }
    text
}

/// Paths of a cell's files, relative to the run folder.
pub(super) struct Names {
    pub(super) curve: String,
    pub(super) histograms: String,
    pub(super) timeline: String,
    pub(super) flame: String,
}

/// Path of the flamegraph of the cell `id`, relative to the run folder.
#[must_use]
pub fn flame(id: &str) -> String {
    Names::of(id).flame
}

impl Names {
    pub(super) fn of(id: &str) -> Self {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_@=".contains(letter);
        let flat: String =
            id.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
        Self {
            curve: format!("curves/{flat}.csv"),
            histograms: format!("histograms/{flat}.hlog"),
            timeline: format!("timelines/{flat}.csv"),
            flame: format!("flames/{flat}.svg"),
        }
    }
}
