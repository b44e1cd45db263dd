//! A figure's section.

use std::fs;

use super::cells::Cells;
use super::claims::{self, ClaimLine};
use super::drawing::data_url;
use super::html::{Field, Line, element, escape, file_link, list, sortable};
use crate::figures::Drawn;
use crate::figures::table::Value;
use record::archive::RunRecord;

/// Tables of at most so many lines stand open.
const LINES_FEW: usize = 12;

/// The section of one figure: question, drawing, how to read it, claims, numbers and commands.
pub(super) fn section(
    run: &RunRecord,
    drawn: &Drawn,
    claims: &[ClaimLine],
    cells: &Cells<'_>,
) -> Result<String, String> {
    let figure = &drawn.figure;
    let mut html = format!("<section id=\"{}\">\n", escape(&figure.name));
    html += &element("h2", &figure.title);
    html += &format!("<p class=\"question\">{}</p>\n", escape(&figure.question));
    match &drawn.empty {
        Some(reason) => {
            html += &format!("<p class=\"notice\">Not drawn. {}</p>\n", escape(reason));
        }
        None => {
            html += &image(drawn)?;
            html += &format!(
                "<p class=\"caption\"><b>How to read it.</b> {} {}</p>\n",
                escape(&figure.caption),
                escape(&drawn.notes.join(" "))
            );
        }
    }
    html += &claims::shown_by(&figure.name, claims);
    html += &missing(drawn);
    let lines = drawn.table.rows.len();
    if lines > 0 {
        let open = if lines <= LINES_FEW { " open" } else { "" };
        let plural = if lines == 1 { "line" } else { "lines" };
        html += &format!(
            "<details{open}><summary>The numbers ({lines} {plural})</summary>\n{}</details>\n",
            numbers(drawn, cells)
        );
    }
    html += &reproduce(run, drawn);
    html += &source(drawn);
    Ok(html + "</section>\n")
}

/// The drawing itself, within the page.
fn image(drawn: &Drawn) -> Result<String, String> {
    let svg = fs::read_to_string(&drawn.svg)
        .map_err(|error| format!("{}: {error}", drawn.svg.display()))?;
    Ok(format!(
        "<figure tabindex=\"0\"><img alt=\"{}: the numbers are in the table below\" src=\"{}\">\
         </figure>\n",
        escape(&drawn.figure.title),
        data_url(&svg)
    ))
}

fn missing(drawn: &Drawn) -> String {
    if drawn.missing.is_empty() || drawn.empty.is_some() && drawn.missing.len() == 1 {
        return String::new();
    }
    let heading = element("p", "Planned, and without a number here:");
    format!("<div class=\"notice\">{heading}{}</div>\n", list(&drawn.missing))
}

/// The commands that measure and draw it again.
fn reproduce(run: &RunRecord, drawn: &Drawn) -> String {
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
    element("p", "Measure and draw it again:") + &element("pre", &format!("{measure}{draw}"))
}

/// Which figure it follows, and its files.
fn source(drawn: &Drawn) -> String {
    let name = &drawn.figure.name;
    let formats: &[&str] = if drawn.empty.is_some() { &["tsv"] } else { &["svg", "pdf", "tsv"] };
    let files: Vec<String> =
        formats.iter().map(|end| file_link(&format!("figures/{name}.{end}"), end)).collect();
    format!(
        "<p class=\"aside\">After: {}. Figure {name}: {}.</p>\n",
        escape(&drawn.figure.source),
        files.join(", ")
    )
}

/// The table behind the figure, for people: columns that only the drawing needs are left out, and
/// so are those that hold nothing.
fn numbers(drawn: &Drawn, cells: &Cells<'_>) -> String {
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
        fields.push(Field::Markup(cells.links(sources)));
        fields.into()
    };
    let lines: Vec<Line> = table.rows.iter().enumerate().map(line).collect();
    sortable(&headings, &lines)
}
