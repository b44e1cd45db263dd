//! Flamegraphs in a run's folder: which of its cells have one. `nibble-bench flame CELL --run FOLDER` draws
//! them, the page links them.

use std::path::Path;

use record::{Row, archive};

/// The flamegraph of the row's cell, by its path in `folder`; only where it was drawn. One row of a cell
/// has it: the last.
#[must_use]
pub fn of_row(folder: &Path, row: &Row) -> Option<String> {
    let path = archive::flame(&row.cell.id);
    (row.last && folder.join(&path).is_file()).then_some(path)
}

/// The flamegraphs of a run: id of the cell and path in `folder`, in the order of `rows`.
#[must_use]
pub fn of_run<'a>(folder: &Path, rows: &'a [Row]) -> Vec<(&'a str, String)> {
    let drawn = rows.iter().filter_map(|row| Some((row.cell.id.as_str(), of_row(folder, row)?)));
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use record::made_up::{Folder, row, sample_cells};

    #[test]
    fn a_run_has_the_flamegraphs_that_were_drawn_each_once() {
        let folder = Folder::new("flames");
        let cells = sample_cells();
        let steps =
            |cell| ["load", "run"].map(|step| Row { last: step == "run", ..row(cell, step) });
        let rows: Vec<Row> = cells.iter().flat_map(steps).collect();
        assert_eq!(of_run(&folder.0, &rows), []);
        let path = archive::flame(&cells[1].id);
        assert!(path.starts_with("flames/") && path.ends_with(".svg"), "{path}");
        fs::create_dir_all(folder.0.join("flames")).unwrap();
        fs::write(folder.0.join(&path), "<svg/>").unwrap();
        assert_eq!(of_run(&folder.0, &rows), [(cells[1].id.as_str(), path)]);
    }
}
