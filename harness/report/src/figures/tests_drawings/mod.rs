//! Every drawing as it comes from gnuplot: no text over another or outside, no two series alike. The
//! checks are checked on planted defects first.

mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::draw::draw_svg;
use super::fixture::drawn::drawn;
use super::fixture::{self, Folder};
use super::fragmentation::is_beside;
use super::styles::{self, Look, alike_as_plain_lines, alike_pairs};
use super::{Figure, Table, all, by_name, gnuplot_available};
use record::Row;
use svg::Drawing;

/// A drawing with these texts: place, anchor and words.
fn planted(texts: &[(f64, f64, &str, &str)]) -> String {
    let texts: Vec<String> = texts
        .iter()
        .map(|(x, y, anchor, text)| {
            format!(
                "<g transform=\"translate({x},{y})\" font-size=\"11.00\" text-anchor=\"{anchor}\">\
                 <text>{text}</text></g>"
            )
        })
        .collect();
    format!(
        "<svg viewBox=\"0 0 300 200\" xmlns=\"http://www.w3.org/2000/svg\">{}</svg>",
        texts.concat()
    )
}

#[test]
fn planted_defects_of_texts_are_found() {
    let found = |texts: &[(f64, f64, &str, &str)], names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Drawing::parse(&planted(texts)).defects(&names)
    };
    let fine = [(10.0, 20.0, "start", "nibble"), (10.0, 60.0, "start", "mica")];
    assert!(found(&fine, &[]).is_empty());
    let title_under_legend = [(40.0, 20.0, "start", "nibble"), (60.0, 24.0, "middle", "uniform")];
    assert_eq!(found(&title_under_legend, &[]), ["overlap: nibble / uniform"]);
    let clipped = [(280.0, 20.0, "start", "nibble@update=in-place")];
    assert_eq!(found(&clipped, &[]), ["clipped: nibble@update=in-place"]);
    let before = [(2.0, 20.0, "end", "mica")];
    assert_eq!(found(&before, &[]), ["clipped: mica"]);
    let swatch = [(60.0, 20.0, "start", "nibble"), (40.0, 22.0, "middle", "P1")];
    assert!(found(&swatch, &[]).is_empty(), "no name of a series");
    assert_eq!(found(&swatch, &["nibble"]), ["over the legend of nibble: P1"]);
    let panels = |tic| {
        let first = [(100.0, 20.0, "middle", "P1 (1 of 2)"), (60.0, 30.0, "end", "2")];
        let second = [(100.0, 110.0, "middle", "P1 (2 of 2)"), (60.0, 120.0, "end", tic)];
        [first, [(60.0, 50.0, "end", "1"), (60.0, 70.0, "end", "0")], second]
            .concat()
            .into_iter()
            .chain([(60.0, 140.0, "end", "1"), (60.0, 160.0, "end", "0")])
            .collect::<Vec<_>>()
    };
    assert!(found(&panels("2"), &[]).is_empty());
    assert_eq!(found(&panels("9"), &[]), ["axes differ: P1 (2 of 2) has [\"9\", \"1\", \"0\"]"]);
    let turned = planted(&[(10.0, 190.0, "start", "no scans")]).replace(")\"", ") rotate(270)\"");
    assert!(Drawing::parse(&turned).defects(&[]).is_empty(), "it goes upwards");
    let over = turned.replace(",190)", ",30)");
    assert_eq!(Drawing::parse(&over).defects(&[]), ["clipped: no scans"]);
}

/// The series of each panel of a table that are drawn.
fn drawn_series(table: &Table) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut panels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in 0..table.rows.len() {
        let panel = table.text(row, "panel");
        let competes = table.text(row, "role") != "reference";
        if !is_beside(panel) && competes {
            panels.entry(panel).or_default().insert(table.text(row, "series"));
        }
    }
    panels
}

/// Lines without points in one panel that only their points would tell apart.
fn plain_lines_alike(figure: &Figure, table: &Table) -> Vec<String> {
    let script = figure.script(table);
    let named = (0..table.rows.len()).any(|row| !table.text(row, "group").is_empty());
    // Lines that bear their names need no look.
    let told = ["\nmarked = 1", "\ndirect = 1"].iter().any(|told| script.contains(told));
    if named || told || !script.contains("lines.gp") {
        return Vec::new();
    }
    let looks: BTreeMap<String, Look> = figure.looks(table).into_iter().collect();
    let panels = drawn_series(table);
    let pairs = panels.values().flat_map(|series| {
        let series: Vec<&str> = series.iter().copied().collect();
        let looks: Vec<Look> = series.iter().map(|name| looks[*name]).collect();
        alike_pairs(&series, &looks, alike_as_plain_lines)
    });
    pairs.map(|pair| format!("{}: lines alike {pair:?}", figure.name)).collect()
}

/// What is wrong with the figures of `rows`, by figure, where `svg_of` leads to a table's drawing.
fn defects(
    folder: &Path,
    rows: &[Row],
    figures: &[&Figure],
    svg_of: &dyn Fn(&Figure, &Table) -> PathBuf,
) -> Vec<String> {
    let mut found = Vec::new();
    for figure in figures {
        let data = figure.build(folder, rows);
        if figure.why_empty(&data).is_some() {
            continue;
        }
        let panels = drawn_series(&data.table);
        let names: BTreeSet<&str> = panels.values().flatten().copied().collect();
        let listed: Vec<&str> = names.iter().copied().collect();
        let script = figure.script(&data.table);
        // Small multiples have one system each.
        if !["memory-over-time", "fig10b", "engine-knobs"].contains(&&*figure.name) {
            let most = panels.values().map(BTreeSet::len).max().unwrap_or(0);
            if most > 7 && !script.contains("heat.gp") {
                found.push(format!("{}: {most} series in a panel", figure.name));
            }
            let (listed, looks): (Vec<String>, Vec<Look>) =
                figure.looks(&data.table).into_iter().unzip();
            let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
            let alike = if script.contains("load \"bars.gp\"") {
                Look::alike_as_bars
            } else {
                Look::alike_as_lines
            };
            let alike = alike_pairs(&listed, &looks, alike);
            if !script.contains("heat.gp") {
                let told = alike.into_iter().map(|pair| format!("{}: alike {pair:?}", figure.name));
                found.extend(told);
            }
        }
        found.extend(plain_lines_alike(figure, &data.table));
        let svg = fs::read_to_string(svg_of(figure, &data.table)).unwrap();
        let names: Vec<String> = listed.into_iter().map(str::to_owned).collect();
        let wrong = Drawing::parse(&svg).defects(&names);
        found.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", figure.name)));
    }
    found
}

fn can_draw() -> bool {
    let available = gnuplot_available();
    if let Err(reason) = &available {
        eprintln!("skipped: {reason}");
    }
    available.is_ok()
}

#[test]
fn figures_of_made_up_rows_have_no_defects() {
    let Some(figures) = drawn() else { return };
    let wanted: Vec<&Figure> = all().iter().collect();
    let svg = |figure: &Figure, _: &Table| {
        let drawn = figures.drawn.iter().find(|drawn| drawn.figure.name == figure.name);
        drawn.expect("every figure").svg.clone()
    };
    let found = defects(&figures.folder.0, &figures.rows, &wanted, &svg);
    assert!(found.is_empty(), "{} defects:\n{}", found.len(), found.join("\n"));
}

#[test]
fn figures_of_the_reference_run_have_no_defects() {
    if !can_draw() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference");
    let (_, rows) = record::archive::load(&folder).unwrap();
    let figures = super::of_run(&folder).unwrap();
    let target = Folder::new("defects");
    let svg =
        |figure: &Figure, table: &Table| draw_svg(&target.0, figure, table).expect("a drawing");
    let found = defects(&folder, &rows, &figures.iter().collect::<Vec<_>>(), &svg);
    assert!(found.is_empty(), "{} defects:\n{}", found.len(), found.join("\n"));
}

#[test]
fn ours_come_first_in_every_figure_and_panel() {
    let folder = Folder::new("first");
    let rows = fixture::rows();
    for figure in all() {
        let table = figure.build(&folder.0, &rows).table;
        let mut seen: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for row in 0..table.rows.len() {
            let place = (table.text(row, "measure"), table.text(row, "panel"));
            seen.entry(place).or_default().push(table.text(row, "series"));
        }
        for ((_, panel), series) in seen {
            let ours = series.iter().position(|name| styles::is_ours(name));
            if ours.is_some() && figure.name != "memory-over-time" {
                assert_eq!(ours, Some(0), "{}, {panel}: {series:?}", figure.name);
            }
        }
    }
}

#[test]
fn a_trace_has_no_distribution_of_keys() {
    let rows = fixture::rows();
    let data = by_name("fig11").unwrap().build(Path::new("."), &rows);
    assert!(data.notes.iter().any(|note| note.starts_with("Trace ")), "{:?}", data.notes);
    let named = data.notes.iter().find(|note| note.contains("uniform"));
    assert!(named.is_none(), "{named:?}");
}
