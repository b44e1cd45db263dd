//! A figure's section.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::html::{element, escape, list, table};
use crate::archive::RunRecord;
use crate::figures::Drawn;
use crate::figures::table::Value;

/// The section of one figure: title, question, drawing, caption, numbers and commands.
pub(super) fn section(run: &RunRecord, drawn: &Drawn) -> Result<String, String> {
    let figure = drawn.figure;
    let mut html = format!("<section id=\"{}\">\n", escape(figure.name));
    html += &element("h2", figure.title);
    html += &format!("<p class=\"question\">{}</p>\n", escape(figure.question));
    html += &element("p", &format!("After: {}. Figure: {}.", figure.source, figure.name));
    match &drawn.empty {
        Some(reason) => {
            html += &format!("<p class=\"notice\">Not drawn. {}</p>\n", escape(reason));
            html += &missing(drawn);
            if !drawn.table.rows.is_empty() {
                html += &numbers(drawn);
            }
            html += &reproduce(run, drawn);
            return Ok(html + "</section>\n");
        }
        None => html += &image(drawn)?,
    }
    html += &format!(
        "<p class=\"caption\">{} {}</p>\n",
        escape(figure.caption),
        escape(&drawn.notes.join(" "))
    );
    html += &missing(drawn);
    html += "<details><summary>The numbers</summary>\n";
    html += &numbers(drawn);
    html += "</details>\n";
    html += &reproduce(run, drawn);
    html += &element(
        "pre",
        &format!(
            "cd figures && gnuplot {}.gp   # in this run's folder: draws it again",
            figure.name
        ),
    );
    Ok(html + "</section>\n")
}

/// The drawing itself, within the page.
fn image(drawn: &Drawn) -> Result<String, String> {
    let svg = fs::read(&drawn.svg).map_err(|error| format!("{}: {error}", drawn.svg.display()))?;
    Ok(format!(
        "<figure><img alt=\"{}: the numbers are in the table below\" \
         src=\"data:image/svg+xml;base64,{}\"></figure>\n",
        escape(drawn.figure.title),
        STANDARD.encode(svg)
    ))
}

fn missing(drawn: &Drawn) -> String {
    if drawn.missing.is_empty() || drawn.empty.is_some() && drawn.missing.len() == 1 {
        return String::new();
    }
    let heading = element("p", "Planned, and without a number here:");
    format!("<div class=\"notice\">{heading}{}</div>\n", list(&drawn.missing))
}

fn reproduce(run: &RunRecord, drawn: &Drawn) -> String {
    if drawn.figure.suites.is_empty() {
        return element("p", "Measure cells for this figure, and draw it:")
            + &element("pre", "nibble-bench run my.toml\nnibble-bench report results/RUN");
    }
    let scale =
        run.scale.as_ref().map_or(String::new(), |scale| format!(" --scale {}", scale.name));
    let command = format!("nibble-bench reproduce{scale} --figure {}", drawn.figure.name);
    element("p", "Measure and draw this figure again:") + &element("pre", &command)
}

/// The table behind the figure, for people: columns that only the drawing needs are left out.
fn numbers(drawn: &Drawn) -> String {
    let columns: Vec<usize> = (0..drawn.table.columns.len())
        .filter(|&place| !drawn.table.columns[place].heading.is_empty())
        .collect();
    let is_number =
        |place: usize| drawn.table.rows.iter().any(|row| matches!(row[place], Value::Number(_)));
    let headings: Vec<String> = columns
        .iter()
        .map(|&place| {
            let mark = if is_number(place) { "#" } else { "" };
            format!("{mark}{}", drawn.table.columns[place].heading)
        })
        .collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = drawn
        .table
        .rows
        .iter()
        .map(|row| {
            columns.iter().map(|&place| drawn.table.columns[place].show(&row[place])).collect()
        })
        .collect();
    table(&headings, &rows)
}
