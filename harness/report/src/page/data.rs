//! What the page's script reads: cells, charts and drawings, each once.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cells::Cells;
use super::charts::{Chart, Look, looks};
use super::distinct;
use super::figure::FigureSection;

#[derive(Serialize)]
struct Data<'a> {
    cells: &'a Cells,
    figures: BTreeMap<&'a str, Figure<'a>>,
}

#[derive(Serialize)]
struct Figure<'a> {
    charts: &'a [Chart],
    /// By the name of a series.
    looks: Vec<(&'a str, Look)>,
}

/// Charts and cells as JSON, for an element of type `application/json`.
///
/// # Errors
/// What cannot be written.
pub(super) fn charts_json(figures: &[&FigureSection<'_>], cells: &Cells) -> Result<String, String> {
    let charted = figures.iter().filter(|figure| !figure.charts.is_empty());
    let figures = charted.map(|section| (section.name(), figure(section))).collect();
    in_element(&Data { cells, figures })
}

fn figure<'a>(section: &'a FigureSection<'_>) -> Figure<'a> {
    let series = section.charts.iter().flat_map(|chart| &chart.series);
    let names = distinct(series.map(|series| series.name.as_str()));
    Figure { charts: &section.charts, looks: looks(&names) }
}

/// Packed drawings by figure, as JSON.
///
/// # Errors
/// What cannot be written.
pub(super) fn drawings_json(figures: &[&FigureSection<'_>]) -> Result<String, String> {
    let drawn = figures.iter().filter(|figure| !figure.drawing.is_empty());
    let drawings: BTreeMap<&str, &str> =
        drawn.map(|figure| (figure.name(), figure.drawing.as_str())).collect();
    in_element(&drawings)
}

/// JSON that ends no element, whatever names it holds.
fn in_element(data: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string(data).map_err(|error| format!("the page's data: {error}"))?;
    Ok(text.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_the_element() {
        assert_eq!(in_element(&"</script>").unwrap(), "\"\\u003c/script>\"");
    }
}
