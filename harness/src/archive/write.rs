//! Writing a run folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::run::{RunRecord, now, stamp};
use crate::cell::Cell;
use crate::runner::CellRecord;

/// A run folder that is being written. Each cell's rows are appended in one write and synced, so
/// whatever ends the program leaves whole cells behind.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    rows: File,
    record: RunRecord,
}

impl Archive {
    /// Creates a fresh folder for `record` below `root`.
    ///
    /// # Errors
    /// The system's, with the path.
    pub fn create(root: &Path, mut record: RunRecord) -> Result<Self, String> {
        let name = format!("{}-{}", stamp(), record.name);
        let folder = (1..)
            .map(|attempt| match attempt {
                1 => root.join(&name),
                _ => root.join(format!("{name}-{attempt}")),
            })
            .find(|folder| !folder.exists())
            .expect("an unused name");
        let fail = |error: io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder.join("curves")).map_err(fail)?;
        let rows = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(folder.join("rows.jsonl"))
            .map_err(fail)?;
        record.started = now();
        let archive = Self { folder, rows, record };
        archive.write_record()?;
        Ok(archive)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a finished cell.
    ///
    /// # Errors
    /// The system's, with the path.
    pub fn keep(&mut self, cell: &Cell, record: &CellRecord) -> Result<(), String> {
        let curve = (!record.curve.is_empty()).then(|| curve_name(&cell.id));
        if let Some(name) = &curve {
            self.keep_curve(name, record).map_err(|error| self.failed(name, &error))?;
        }
        let mut lines = Vec::new();
        for row in &record.rows {
            let mut row = row.clone();
            row.curve.clone_from(&curve);
            serde_json::to_writer(&mut lines, &row).expect("a row is plain data");
            lines.push(b'\n');
        }
        self.rows
            .write_all(&lines)
            .and_then(|()| self.rows.sync_data())
            .map_err(|error| self.failed("rows.jsonl", &error))
    }

    /// Notes the run's end.
    ///
    /// # Errors
    /// The system's, with the path.
    pub fn finish(&mut self, interrupted: bool) -> Result<(), String> {
        self.record.finished = Some(now());
        self.record.interrupted = interrupted;
        self.write_record()
    }

    fn keep_curve(&self, name: &str, record: &CellRecord) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(self.folder.join(name))?);
        writeln!(file, "elapsed_s,resident_bytes,live_bytes,swap_bytes")?;
        for point in &record.curve {
            let elapsed_s = point.elapsed_ns as f64 / 1e9;
            let (resident, live, swap) = (point.resident_bytes, point.live_bytes, point.swap_bytes);
            writeln!(file, "{elapsed_s:.3},{resident},{live},{swap}")?;
        }
        file.flush()
    }

    fn write_record(&self) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.record).expect("a record is plain data");
        self.keep_file("run.json", &(text + "\n"))
    }

    /// Keeps a text beside the rows; it is complete or not there.
    ///
    /// # Errors
    /// The system's, with the path.
    pub fn keep_file(&self, name: &str, text: &str) -> Result<(), String> {
        let temporary = self.folder.join(format!("{name}.part"));
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(&temporary, self.folder.join(name)))
            .map_err(|error| self.failed(name, &error))
    }

    fn failed(&self, name: &str, error: &io::Error) -> String {
        format!("{}: {error}", self.folder.join(name).display())
    }
}

/// The file of a cell's curve, relative to the run folder.
fn curve_name(id: &str) -> String {
    let flat: String =
        id.chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() || ".-_@=".contains(letter) {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
    format!("curves/{flat}.csv")
}
