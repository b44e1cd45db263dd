//! A figure's section.

use std::fs;

use super::cells::Cells;
use super::drawing::data_url;
use super::links::{Link, Links};
use super::table::{Field, Line, Table};
use crate::figures::Drawn;
use crate::figures::table::Value;
use record::archive::RunRecord;

/// The section of one figure: question, drawing, how to read it, claims, numbers and commands.
#[derive(Debug)]
pub(super) struct FigureSection<'a> {
    pub(super) drawn: &'a Drawn,
    /// The drawing as a `data:` URL; empty where none was drawn.
    pub(super) image: String,
    /// What was planned and has no number.
    pub(super) missing: &'a [String],
    pub(super) numbers: Table,
    pub(super) commands: String,
    pub(super) files: Links,
}

impl<'a> FigureSection<'a> {
    pub(super) fn of(run: &RunRecord, drawn: &'a Drawn, cells: &Cells<'_>) -> Result<Self, String> {
        Ok(Self {
            drawn,
            image: if drawn.empty.is_some() { String::new() } else { image(drawn)? },
            missing: missing(drawn),
            numbers: numbers(drawn, cells),
            commands: commands(run, drawn),
            files: files(drawn),
        })
    }
}

fn image(drawn: &Drawn) -> Result<String, String> {
    let svg = fs::read_to_string(&drawn.svg)
        .map_err(|error| format!("{}: {error}", drawn.svg.display()))?;
    Ok(data_url(&svg))
}

fn missing(drawn: &Drawn) -> &[String] {
    // Where nothing was drawn, the reason says already what the only missing part is.
    if drawn.empty.is_some() && drawn.missing.len() == 1 { &[] } else { &drawn.missing }
}

/// The commands that measure and draw it again.
fn commands(run: &RunRecord, drawn: &Drawn) -> String {
    let name = &drawn.figure.name;
    let measure = if drawn.figure.suites.is_empty() {
        "nibble-bench run my.toml\nnibble-bench report results/RUN".to_owned()
    } else {
        let scale =
            run.scale.as_ref().map_or(String::new(), |scale| format!(" --scale {}", scale.name));
        format!("nibble-bench reproduce{scale} --figure {name}")
    };
    let draw = match drawn.empty {
        Some(_) => String::new(),
        None => format!("\n# only draw it, in this run's folder:\ncd figures && gnuplot {name}.gp"),
    };
    measure + &draw
}

/// Links to the drawing and its numbers, as far as they were kept.
fn files(drawn: &Drawn) -> Links {
    let name = &drawn.figure.name;
    let formats: &[&str] = if drawn.empty.is_some() { &["tsv"] } else { &["svg", "pdf", "tsv"] };
    let kept = formats.iter().filter(|end| drawn.svg.with_extension(end).is_file());
    Links::joined(kept.map(|end| Link::file(format!("figures/{name}.{end}"), *end)), ", ")
}

/// The table behind the figure, for people: columns that only the drawing needs are left out, and
/// so are those that hold nothing.
fn numbers(drawn: &Drawn, cells: &Cells<'_>) -> Table {
    let table = &drawn.table;
    let is_number =
        |place: usize| table.rows.iter().any(|row| matches!(row[place], Value::Number(_)));
    let is_told = |row: &Vec<Value>, place: usize| match &row[place] {
        Value::Text(text) => !text.is_empty(),
        Value::Number(number) => number.is_finite(),
    };
    let columns: Vec<usize> = (0..table.columns.len())
        .filter(|&place| !table.columns[place].heading.is_empty())
        .filter(|&place| table.rows.iter().any(|row| is_told(row, place)))
        .collect();
    let mut headings: Vec<String> = columns
        .iter()
        .map(|&place| {
            let mark = if is_number(place) { "#" } else { "" };
            format!("{mark}{}", table.columns[place].heading)
        })
        .collect();
    headings.push("cells".to_owned());
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let line = |(place, row): (usize, &Vec<Value>)| -> Line {
        let field = |&column: &usize| {
            let text = table.columns[column].show(&row[column]);
            match row[column] {
                Value::Text(_) => Field::Text(text),
                Value::Number(number) => Field::Number(text, number),
            }
        };
        let mut fields: Vec<Field> = columns.iter().map(field).collect();
        let sources = table.sources.get(place).map_or(&[][..], Vec::as_slice);
        fields.push(Field::Linked(cells.links(sources)));
        fields.into()
    };
    Table::sortable(&headings, table.rows.iter().enumerate().map(line).collect())
}
