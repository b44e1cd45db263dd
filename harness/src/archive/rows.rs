//! `rows.jsonl`, cell by cell: the rows of a cell count as soon as its last one is there.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::record::Row;

/// The rows of whole cells.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// In the order of the file.
    pub(super) rows: Vec<Row>,
    /// Where each row's line stands in `text`, its end included.
    pub(super) lines: Vec<Range<usize>>,
    /// The whole file.
    pub(super) text: Vec<u8>,
}

impl Kept {
    /// Where the last whole cell ends; a half-written one may follow.
    pub(super) fn end(&self) -> usize {
        self.lines.last().map_or(0, |line| line.end)
    }
}

/// Reads the file at `path`. Rows at its end whose cell was not written to its last row are left
/// out; anything else that does not parse, or that is not in its place, is an error.
///
/// # Errors
/// What is missing or wrong, with file and line.
pub(super) fn read(path: &Path) -> Result<Kept, String> {
    let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut kept = Kept::default();
    let (mut rows, mut lines): (Vec<Row>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        let at = start;
        let fail = |what: String| {
            format!("{}: line {} (at byte {at}): {what}", path.display(), number + 1)
        };
        let row: Row = serde_json::from_slice(line).map_err(|error| fail(error.to_string()))?;
        if let Some(open) = rows.first().filter(|open| open.cell.id != row.cell.id) {
            let (id, open) = (&row.cell.id, &open.cell.id);
            return Err(fail(format!("cell {id} begins before cell {open} has its last row")));
        }
        let is_last = row.last;
        rows.push(row);
        lines.push(start..start + line.len());
        start += line.len();
        if is_last {
            kept.rows.append(&mut rows);
            kept.lines.append(&mut lines);
        }
    }
    kept.text = text;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::{self, Folder};

    /// Three rows of each of two cells, as lines.
    fn lines() -> Vec<String> {
        let cells = crate::plan::tests::sample_cells();
        let mut lines = Vec::new();
        for cell in &cells[..2] {
            for step in ["fill", "delete", "refill"] {
                let row = Row { last: step == "refill", ..fixture::row(cell, step) };
                lines.push(serde_json::to_string(&row).unwrap() + "\n");
            }
        }
        lines
    }

    fn read_text(name: &str, text: &str) -> Result<Kept, String> {
        let folder = Folder::new(name);
        let path = folder.0.join("rows.jsonl");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn whole_cells_are_kept_and_a_file_cut_short_anywhere_loses_only_its_last() {
        let lines = lines();
        let whole = lines.concat();
        let kept = read_text("rows-whole", &whole).unwrap();
        assert_eq!((kept.rows.len(), kept.end()), (6, whole.len()));
        let first = lines[..3].concat().len();
        for cut in [first, first + 1, first + lines[3].len(), whole.len() - 1] {
            let kept = read_text("rows-cut", &whole[..cut]).unwrap();
            assert_eq!((kept.rows.len(), kept.end()), (3, first), "cut at {cut}");
        }
        assert_eq!(read_text("rows-none", "").unwrap().end(), 0);
    }

    #[test]
    fn what_is_wrong_further_up_is_an_error() {
        let mut lines = lines();
        lines.remove(2);
        let error = read_text("rows-hole", &lines.concat()).unwrap_err();
        assert!(
            error.contains("line 3 (at byte ")
                && error.contains("): cell ")
                && error.contains("its last row"),
            "{error}"
        );
        lines[0] = "{}\n".to_owned();
        let error = read_text("rows-wrong", &lines.concat()).unwrap_err();
        assert!(error.contains("line 1 (at byte 0): missing field"), "{error}");
    }
}
