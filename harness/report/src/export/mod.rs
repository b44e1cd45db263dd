//! A run as one flat table, for programs that read CSV: a line for each step of each cell.
//!
//! `columns` is the table of columns. `docs/src/data.md` shows it.

mod columns;
mod step;

use std::io::Write;

use record::Row;

pub use ::csv::{Error, ErrorKind};
pub use columns::{COLUMNS, Column};
use step::Step;

/// Writes the header and a line for each of `rows`, in their order. What a row does not have is an
/// empty field.
///
/// # Errors
/// What is wrong with `output`.
pub fn csv(rows: &[Row], output: impl Write) -> Result<(), Error> {
    let mut writer = ::csv::Writer::from_writer(output);
    writer.write_record(COLUMNS.iter().map(Column::name))?;
    for row in rows {
        let step = Step::new(row);
        writer.write_record(COLUMNS.iter().map(|column| column.of(&step)))?;
    }
    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use record::{Flag, made_up};

    use super::*;
    use crate::figures::fixture;

    /// The lines of `rows` as a program that knows CSV reads them, by column.
    fn read(rows: &[Row]) -> Vec<BTreeMap<String, String>> {
        let mut text = Vec::new();
        csv(rows, &mut text).expect("memory grows");
        let mut reader = ::csv::Reader::from_reader(text.as_slice());
        reader.deserialize().map(|line| line.expect("a line of the header's length")).collect()
    }

    #[test]
    fn names_are_unique_and_in_snake_case() {
        let names: BTreeSet<&str> = COLUMNS.iter().map(Column::name).collect();
        assert_eq!(names.len(), COLUMNS.len());
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        for name in names {
            assert!(name.chars().all(|letter| plain(letter) || letter == '_'), "{name}");
        }
    }

    #[test]
    fn every_step_is_a_line_in_order_and_absent_fields_are_empty() {
        let rows = fixture::rows();
        let lines = read(&rows);
        assert_eq!(lines.len(), rows.len());
        for (line, row) in lines.iter().zip(&rows) {
            assert_eq!((&line["cell"], &line["step"]), (&row.cell.id, &row.step));
            assert_eq!(line["operations"], row.operations.to_string());
            let at_once = row.memory.as_ref().and_then(|memory| memory.at_once);
            let bytes = at_once.map_or_else(String::new, |point| point.resident_bytes.to_string());
            assert_eq!(line["resident_at_once_bytes"], bytes);
        }
        assert!(lines.iter().any(|line| line["resident_at_once_bytes"].is_empty()));
        assert!(lines.iter().any(|line| !line["resident_at_once_bytes"].is_empty()));
    }

    #[test]
    fn every_label_is_in_a_column() {
        for row in fixture::rows() {
            let (labels, _) = crate::summaries::of_one(&row);
            let line = &read(std::slice::from_ref(&row))[0];
            for (label, value) in labels {
                let column = match label.as_str() {
                    "rate" => "rate_ops_per_s".to_owned(),
                    _ => label.replace('-', "_"),
                };
                match label.strip_prefix("set.") {
                    Some(name) => {
                        let mut settings = line["settings"].split(' ');
                        assert!(settings.any(|one| one == format!("{name}={value}")), "{line:?}");
                    }
                    // Of families that came later, in the column of all labels.
                    None if !line.contains_key(&column) => {
                        let mut all = line["labels"].split(' ');
                        assert!(all.any(|one| one == format!("{label}={value}")), "{line:?}");
                    }
                    None => assert_eq!(line.get(&column), Some(&value), "{label}"),
                }
            }
        }
    }

    #[test]
    fn values_are_those_of_the_row_and_odd_texts_survive() {
        let cell = made_up::sample_cells().remove(4);
        let mut row = made_up::row(&cell, "run");
        row.reason = Some("a \"quoted\", long\nreason".to_owned());
        row.suites = vec!["gate".to_owned(), "maps".to_owned()];
        row.flags = vec![Flag::Populated, Flag::Overloaded];
        let line = &read(&[row.clone()])[0];
        assert_eq!(line["reason"], "a \"quoted\", long\nreason");
        assert_eq!((&*line["suites"], &*line["flags"]), ("gate maps", "populated overloaded"));
        assert_eq!((&*line["latency_p50_ns"], &*line["latency_p99_ns"]), ("220", "1900"));
        assert_eq!(line["latency_p99_9_ns"], "");
        assert_eq!((&*line["cpu_user_ns"], &*line["cpu_system_ns"]), ("800000000", "200000000"));
        assert_eq!(line["throughput_ops_per_s"], row.throughput_ops_per_s.to_string());
        assert_eq!((&*line["role"], &*line["node"]), ("store", "made-up"));
    }
}
