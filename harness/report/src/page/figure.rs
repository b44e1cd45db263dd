//! A figure's section.

use std::fs;

use super::answer::answer;
use super::cells::Cells;
use super::charts::{Chart, charts};
use super::drawing::packed;
use super::findings::{HEADLINE, price};
use super::links::{Link, Links};
use super::table::{Field, Line, Table};
use crate::figures::Drawn;
use crate::figures::table::Value;
use record::archive::RunRecord;

/// The section of one figure: question, answer, charts, how to read it, claims, numbers and commands.
#[derive(Debug)]
pub(super) struct FigureSection<'a> {
    pub(super) drawn: &'a Drawn,
    /// The answer in a sentence or two; empty where nothing can be counted.
    pub(super) answer: String,
    /// What the page draws; none where it shows the drawing itself.
    pub(super) charts: Vec<Chart>,
    /// The drawing, packed; empty where none was made.
    pub(super) drawing: String,
    /// Where the drawing is kept as a file; empty where it is not.
    pub(super) file: String,
    pub(super) numbers: Table,
    pub(super) commands: String,
    pub(super) files: Links,
}

impl<'a> FigureSection<'a> {
    pub(super) fn of(run: &RunRecord, drawn: &'a Drawn, cells: &Cells) -> Result<Self, String> {
        let charts = charts(drawn, cells);
        let file = format!("figures/{}.svg", drawn.figure.name);
        let is_kept = drawn.empty.is_none() && drawn.svg.is_file();
        Ok(Self {
            drawn,
            answer: told(drawn, &charts),
            charts,
            drawing: if drawn.empty.is_some() { String::new() } else { drawing(drawn)? },
            file: if is_kept { file } else { String::new() },
            numbers: numbers(drawn, cells),
            commands: commands(run, drawn),
            files: files(drawn),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.drawn.figure.name
    }
}

/// Whether there is anything in it that was measured.
pub(super) fn is_of_run(drawn: &Drawn) -> bool {
    drawn.empty.is_none() || drawn.table.rows.iter().flatten().any(is_a_number)
}

/// Whether its cells were planned, and none came to a number.
pub(super) fn came_to_nothing(drawn: &Drawn) -> bool {
    !is_of_run(drawn) && !drawn.missing.is_empty()
}

fn is_a_number(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.is_finite())
}

fn told(drawn: &Drawn, charts: &[Chart]) -> String {
    let own = (drawn.figure.name == HEADLINE).then(|| price(charts)).flatten();
    own.unwrap_or_else(|| answer(charts))
}

fn drawing(drawn: &Drawn) -> Result<String, String> {
    let svg = fs::read_to_string(&drawn.svg)
        .map_err(|error| format!("{}: {error}", drawn.svg.display()))?;
    packed(&svg)
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
fn numbers(drawn: &Drawn, cells: &Cells) -> Table {
    let table = &drawn.table;
    let is_number =
        |place: usize| table.rows.iter().any(|row| matches!(row[place], Value::Number(_)));
    let is_told = |row: &Vec<Value>, place: usize| match &row[place] {
        Value::Text(text) => !text.is_empty(),
        number @ Value::Number(_) => is_a_number(number),
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
        fields.push(Field::Linked(cells.told(sources)));
        let places: Vec<String> = cells.places(sources).iter().map(usize::to_string).collect();
        Line { cells: places.join(" "), fields }
    };
    Table::sortable(&headings, table.rows.iter().enumerate().map(line).collect())
}
