//! Reading a run folder.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::run::RunRecord;
use super::write::ROWS;
use super::{format_3, rows};
use crate::{CurvePoint, Row, SCHEMA};

/// The record and the rows of the run in `folder`. A last cell without its last row is left out; anything
/// else that does not parse is an error.
///
/// # Errors
/// A file is missing or invalid, with file and line.
pub fn load(folder: &Path) -> Result<(RunRecord, Vec<Row>), String> {
    let record = record(folder)?;
    let mut rows = rows::read(&folder.join(ROWS))?.rows;
    let suites: Vec<String> = record.suites.iter().map(|(name, _)| name.clone()).collect();
    format_3::complete(&mut rows, &suites);
    Ok((record, rows))
}

pub(super) fn record(folder: &Path) -> Result<RunRecord, String> {
    /// Fields common to records of every format.
    #[derive(Deserialize)]
    struct Format {
        schema: u32,
    }
    let path = folder.join("run.json");
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error}; is this the folder of a run?", path.display()))?;
    let fail = |error: serde_json::Error| format!("{}: {error}", path.display());
    let Format { schema } = serde_json::from_str(&text).map_err(fail)?;
    check_format(schema).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(fail)
}

/// Checks that this program reads rows of that format.
///
/// # Errors
/// It does not, with the remedy.
pub(super) fn check_format(schema: u32) -> Result<(), String> {
    match schema {
        format_3::SCHEMA | SCHEMA => Ok(()),
        newer if newer > SCHEMA => Err(format!(
            "rows of format {newer}, and this program reads formats {} and {SCHEMA}: build the \
             revision that `run.json` names, or a newer one",
            format_3::SCHEMA
        )),
        older => Err(format!(
            "rows of format {older}, and this program reads formats {} and {SCHEMA}: read it with \
             the revision that `run.json` names, or measure again",
            format_3::SCHEMA
        )),
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Cells that are there whole.
    pub cells: usize,
    pub planned: usize,
    /// Whether it came to its end.
    pub is_finished: bool,
}

/// How far the run in `folder` is, which another process may be writing.
///
/// # Errors
/// Its record is missing or invalid.
pub fn standing(folder: &Path) -> Result<Standing, String> {
    let record = record(folder)?;
    let text = fs::read(folder.join(ROWS)).unwrap_or_default();
    let lines = text.split(|&byte| byte == b'\n');
    // No row is read whole for a count that is asked for every other second.
    let last = LAST_OF_CELL.as_bytes();
    let cells = lines.filter(|line| line.windows(last.len()).any(|part| part == last)).count();
    let is_finished = record.finished.is_some() && !record.interrupted;
    Ok(Standing { cells, planned: record.cells_planned, is_finished })
}

/// What only a cell's last row says. In a text the quotes would be escaped.
pub const LAST_OF_CELL: &str = "\"last\":true";

/// A memory curve, by the name in its rows.
///
/// # Errors
/// The file is missing or invalid.
pub fn curve(folder: &Path, name: &str) -> Result<Vec<CurvePoint>, String> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let parsed = match fields[..] {
            [elapsed_s, resident, live, swap] => elapsed_s
                .parse::<f64>()
                .ok()
                .zip(resident.parse().ok())
                .zip(live.parse().ok().zip(swap.parse().ok())),
            _ => None,
        };
        let ((elapsed_s, resident_bytes), (live_bytes, swap_bytes)) =
            parsed.ok_or_else(|| format!("{}: line {}: `{line}`", path.display(), number + 1))?;
        let elapsed_ns = (elapsed_s * 1e9) as u64;
        points.push(CurvePoint { elapsed_ns, resident_bytes, live_bytes, swap_bytes });
    }
    Ok(points)
}
