//! `rows.jsonl`, cell by cell: the rows of a cell count once its last row is there. The file of an
//! archived run may be compressed, as `rows.jsonl.gz`; such a run is only read, never completed.

use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

use super::read::check_format;
use crate::Row;

/// The rows of complete cells.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) rows: Vec<Row>,
    /// Range of each row's line in `text`, including the line's end.
    pub(super) lines: Vec<Range<usize>>,
    pub(super) text: Vec<u8>,
}

impl Kept {
    /// End of the last complete cell; a half-written one may follow.
    pub(super) fn end(&self) -> usize {
        self.lines.last().map_or(0, |line| line.end)
    }
}

/// Reads the file at `path`. Rows at the end whose cell lacks its last row are left out. Anything else
/// that does not parse, or is out of place, is an error.
///
/// # Errors
/// The file is missing or invalid, with file and line.
pub(super) fn read(path: &Path) -> Result<Kept, String> {
    let text = text_of(path)?;
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
        let row = row(line).map_err(fail)?;
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

fn row(line: &[u8]) -> Result<Row, String> {
    /// Fields common to rows of every format.
    #[derive(Deserialize)]
    struct Format {
        schema: u32,
    }
    serde_json::from_slice(line).map_err(|error| {
        let format = serde_json::from_slice(line).map(|Format { schema }| check_format(schema));
        match format {
            Ok(Err(other)) => other,
            _ => error.to_string(),
        }
    })
}

/// The file's content, or that of the compressed file beside it.
fn text_of(path: &Path) -> Result<Vec<u8>, String> {
    let fail = |path: &Path, error| format!("{}: {error}", path.display());
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let packed = path.with_extension("jsonl.gz");
            let Ok(bytes) = fs::read(&packed) else { return Err(fail(path, error)) };
            let mut text = Vec::new();
            GzDecoder::new(bytes.as_slice())
                .read_to_end(&mut text)
                .map_err(|error| fail(&packed, error))?;
            Ok(text)
        }
        read => read.map_err(|error| fail(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::made_up::{self, Folder};

    /// Three rows for each of two cells, as lines.
    fn lines() -> Vec<String> {
        let cells = crate::made_up::sample_cells();
        let mut lines = Vec::new();
        for cell in &cells[..2] {
            for step in ["fill", "delete", "refill"] {
                let row = Row { last: step == "refill", ..made_up::row(cell, step) };
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
    fn compressed_rows_are_read_and_damaged_ones_are_an_error() {
        let folder = Folder::new("rows-packed");
        let (path, packed) = (folder.0.join("rows.jsonl"), folder.0.join("rows.jsonl.gz"));
        let error = read(&path).unwrap_err();
        assert!(error.contains("rows.jsonl: No such file"), "{error}");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(lines().concat().as_bytes()).unwrap();
        let bytes = encoder.finish().unwrap();
        fs::write(&packed, &bytes).unwrap();
        let kept = read(&path).unwrap();
        assert_eq!((kept.rows.len(), kept.text), (6, lines().concat().into_bytes()));
        fs::write(&packed, &bytes[..bytes.len() - 9]).unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.contains("rows.jsonl.gz: "), "{error}");
        // The uncompressed file takes precedence.
        fs::write(&path, lines()[..3].concat()).unwrap();
        assert_eq!(read(&path).unwrap().rows.len(), 3);
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
