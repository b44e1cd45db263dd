//! Tables from made-up rows, and the drawings of all figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::fixture::drawn::drawn;
use super::fixture::{self, Folder};
use super::{Drawings, Table, all, by_name, draw, gnuplot_available, selections};
use record::{Outcome, Row, Work};

/// The row of a table by what its text columns say.
fn find(table: &Table, wanted: &[(&str, &str)]) -> usize {
    (0..table.rows.len())
        .find(|&row| wanted.iter().all(|(name, text)| table.text(row, name) == *text))
        .unwrap_or_else(|| panic!("no row with {wanted:?}"))
}

fn two_systems() -> Vec<Row> {
    let mut rows = Vec::new();
    for (repetition, [glibc, jemalloc]) in [[2.0, 1.1], [2.2, 1.3], [2.1, 1.2]].iter().enumerate() {
        let repetition = repetition as u32;
        let heap = |name| fixture::heap(name, "default");
        rows.extend(fixture::fragmentation(heap("glibc"), fixture::work("P1"), repetition, *glibc));
        rows.extend(fixture::fragmentation(
            heap("jemalloc"),
            fixture::work("P1"),
            repetition,
            *jemalloc,
        ));
    }
    rows
}

#[test]
fn systems_are_not_mixed_up() {
    let table = selections::allocators(&two_systems()).table;
    for (series, median, lowest, highest) in [("glibc", 2.1, 2.0, 2.2), ("jemalloc", 1.2, 1.1, 1.3)]
    {
        let row = find(&table, &[("series", series), ("group", "P1"), ("panel", "default")]);
        assert_eq!(table.number(row, "overhead"), median);
        assert_eq!(table.number(row, "overhead-min"), lowest);
        assert_eq!(table.number(row, "overhead-max"), highest);
        assert_eq!(table.number(row, "n"), 3.0);
    }
}

#[test]
fn failures_never_enter_a_median() {
    let mut rows = two_systems();
    // One repetition of glibc lost a value in its *first* step: its later steps are void too.
    rows[0].outcome = Outcome::WrongValues;
    rows[0].expected = false;
    rows[0].reason = Some("lost".to_owned());
    let data = selections::allocators(&rows);
    let row = find(&data.table, &[("series", "glibc")]);
    assert_eq!(data.table.number(row, "n"), 2.0);
    assert_eq!(data.table.number(row, "overhead-min"), 2.1);
    // All repetitions of jemalloc are out of memory: no number, and the reason is told.
    for row in rows.iter_mut().filter(|row| row.system == "jemalloc" && row.step == "refill") {
        row.outcome = Outcome::OutOfMemory;
        row.reason = Some("killed".to_owned());
    }
    let data = selections::allocators(&rows);
    let row = find(&data.table, &[("series", "jemalloc")]);
    assert!(data.table.number(row, "overhead").is_nan());
    assert_eq!(data.missing(), ["jemalloc (default, P1 60 → 70 B): out-of-memory: killed"]);
}

#[test]
fn missing_combinations_are_nan_in_the_file() {
    let mut rows = two_systems();
    rows.extend(fixture::fragmentation(
        fixture::heap("glibc", "default"),
        fixture::work("P4"),
        0,
        1.5,
    ));
    let table = selections::allocators(&rows).table;
    assert_eq!(table.rows.len(), 4, "two systems, two patterns");
    let tsv = table.to_tsv();
    let line = tsv.lines().find(|line| line.contains("jemalloc") && line.contains("P4")).unwrap();
    assert!(line.contains("\tNaN\tNaN\tNaN\t"), "{line}");
}

#[test]
fn a_bounded_store_has_a_bar_for_each_base_and_full_is_no_failure() {
    let table = selections::stores(&fixture::rows()).table;
    let all_in = find(&table, &[("series", "nibble all-in"), ("group", "P1")]);
    let log_only = find(&table, &[("series", "nibble log-only"), ("group", "P1")]);
    assert!(table.number(log_only, "overhead") < table.number(all_in, "overhead"));
    // Measured on two of six patterns only.
    find(&table, &[("series", "null"), ("panel", "table only")]);
}

#[test]
fn variants_have_panels_of_their_own_in_which_names_stay() {
    let panels = |table: &Table, series: &str| -> BTreeSet<String> {
        let of_series = (0..table.rows.len()).filter(|&row| table.text(row, "series") == series);
        of_series.map(|row| table.text(row, "panel").to_owned()).collect()
    };
    let named = |names: &[&str]| -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    let rows = fixture::rows();
    let patterns = selections::ramcloud(&rows).table;
    assert_eq!(panels(&patterns, "jemalloc"), named(&["default", "fast", "small"]));
    assert_eq!(panels(&patterns, "snmalloc"), named(&["default"]));
    let stores = selections::stores(&rows).table;
    let wanted = ["stores", "stores, heaps: fast", "stores, heaps: small"];
    assert_eq!(panels(&stores, "heapstore:jemalloc"), named(&wanted));
    assert_eq!(panels(&stores, "heapstore:glibc"), named(&wanted[..1]));
    let fast = |rows: &[Row]| {
        let of_jemalloc = panels(&selections::threads(rows).table, "jemalloc");
        of_jemalloc.iter().filter(|panel| panel.ends_with(", fast")).count()
    };
    assert_eq!(fast(&rows), 2, "P1 and P4");
    // Where variants were measured with one thread only, they say nothing about threads.
    let mut one_thread = rows;
    one_thread.retain(|row| match &row.cell.work {
        Work::Fragmentation(work) => work.threads == 1 || row.system == "jemalloc",
        _ => false,
    });
    assert!(one_thread.iter().any(|row| row.system == "jemalloc-fast"));
    assert_eq!(fast(&one_thread), 0);
}

#[test]
fn layouts_have_throughput_and_index_bytes_for_each_key() {
    let table = super::engine::index_layouts("index-layouts", &fixture::rows()).table;
    let mut layouts = BTreeSet::new();
    for row in 0..table.rows.len() {
        let is_index = table.text(row, "panel") == "index";
        assert_eq!(table.number(row, "mops").is_nan(), is_index);
        assert_eq!(table.number(row, "index-bytes").is_nan(), !is_index);
        layouts.insert(table.text(row, "series").to_owned());
    }
    assert_eq!(layouts.into_iter().collect::<Vec<_>>(), ["keyed", "tagged", "text"]);
    let wanted = [("series", "text"), ("group", "0 % GET"), ("below", "batches of 64")];
    assert_eq!(table.number(find(&table, &wanted), "n"), 3.0);
    let keys: Vec<f64> = (0..table.rows.len())
        .filter(|&row| table.text(row, "series") == "text" && table.text(row, "panel") == "index")
        .map(|row| table.number(row, "keys"))
        .collect();
    assert!(keys.is_sorted() && keys[keys.len() - 1] >= 2.0 * keys[0], "{keys:?}");
}

#[test]
fn knobs_are_shares_of_the_defaults_and_the_fastest_comes_first() {
    let table = super::engine::engine_knobs("engine-knobs", &fixture::rows()).table;
    let base = find(&table, &[("series", "defaults, appending (base)")]);
    assert_eq!(table.number(base, "ratio"), 1.0);
    let ratios = (0..table.rows.len()).map(|row| table.number(row, "ratio"));
    assert!(ratios.is_sorted_by(|a, b| a >= b));
    for one in ["update=in-place", "epoch=thread-ticks preset=paper"] {
        find(&table, &[("series", one)]);
    }
    let ticks = find(&table, &[("series", "epoch=thread-ticks")]);
    let share = table.number(ticks, "mops") / table.number(base, "mops");
    assert!((table.number(ticks, "ratio") - share).abs() < 1e-9 && share != 1.0);
    assert!((table.number(ticks, "copied") - 0.9).abs() < 1e-9);
}

#[test]
fn cells_of_other_figures_are_not_among_the_stores() {
    let table = super::closed_loop::throughput_memory("store-throughput", &fixture::rows()).table;
    assert!(!table.rows.is_empty());
    let all = |name: &str, text: &str| {
        (0..table.rows.len()).all(|row| !table.text(row, name).contains(text))
    };
    assert!(all("series", "@") && all("below", "fill"), "workloads of one kind");
}

#[test]
fn figures_need_suites_that_exist() {
    for figure in all() {
        assert!(std::ptr::eq(by_name(&figure.name).unwrap(), figure));
        assert!(figure.question.ends_with('?') && !figure.caption.is_empty());
    }
    assert!(by_name("none").is_none());
}

/// Whether to draw; says so where not.
fn can_draw() -> bool {
    if let Err(reason) = gnuplot_available() {
        eprintln!("skipped: {reason}");
        return false;
    }
    true
}

#[test]
fn every_figure_draws_and_names_its_series() {
    let Some(figures) = drawn() else { return };
    for drawn_figure in &figures.drawn {
        let name = drawn_figure.figure.name.as_str();
        assert_eq!(drawn_figure.empty, None, "{name}");
        let svg = fs::read_to_string(&drawn_figure.svg).unwrap();
        let table = &drawn_figure.table;
        for row in 0..table.rows.len() {
            let series = table.text(row, "series");
            let drawn = !super::fragmentation::is_beside(table.text(row, "panel"));
            // What stands in the table only is named below the drawing.
            let left = drawn_figure.notes.iter().any(|note| note.contains("in the table only"));
            if drawn && !left {
                let bare = series.split_once('@').map_or(series, |(store, _)| store);
                assert!(svg.contains(bare), "{name}: {series}");
            }
        }
        let has_marks = table.place("after-idle").is_some();
        if has_marks && !["threads", "allocator-throughput"].contains(&name) {
            assert!(svg.contains("after idle") && svg.contains("after purge"), "{name}");
        }
        assert!(!svg.contains("href=\"http") && !svg.contains("<script"), "{name}");
        for extension in ["tsv", "gp", "pdf", "png"] {
            assert!(drawn_figure.svg.with_extension(extension).is_file(), "{name}.{extension}");
        }
    }
    assert!(figures.folder.0.join("figures/style.gp").is_file());
}

#[test]
fn drawing_again_replaces_what_was_drawn() {
    if !can_draw() {
        return;
    }
    let (folder, rows) = (Folder::new("again"), two_systems());
    let figures = folder.0.join("figures");
    let wanted = [by_name("allocator-bloat").unwrap()];
    draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap();
    let first = fs::read(figures.join("allocator-bloat.svg")).unwrap();
    fs::write(figures.join("allocator-bloat.svg"), "old").unwrap();
    fs::write(figures.join("left-over.svg"), "old").unwrap();
    draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap();
    assert_eq!(fs::read(figures.join("allocator-bloat.svg")).unwrap(), first);
    assert!(!figures.join("left-over.svg").exists());
    assert!(!folder.0.join("figures.part").exists() && !folder.0.join("figures.old").exists());
}

/// What small or half failed runs leave: gnuplot must not stumble over what is not there.
#[test]
fn little_is_drawn_too() {
    if !can_draw() {
        return;
    }
    let all_rows = fixture::rows();
    let fail = |row: &Row| {
        let mut row = row.clone();
        (row.outcome, row.expected) = (Outcome::Timeout, false);
        row
    };
    let only = |part: &str| -> Vec<Row> {
        all_rows.iter().filter(|row| row.cell.id.contains(part)).cloned().collect()
    };
    let failing = |part: &str| -> Vec<Row> {
        let broken = |row: &Row| if row.cell.id.contains(part) { fail(row) } else { row.clone() };
        all_rows.iter().map(broken).collect()
    };
    for (case, (rows, drawings)) in [
        (only("/P1/jemalloc/Ample/1-Own/0"), &["allocator-bloat", "allocator-throughput"][..]),
        (only("/P4/nibble/Bounded/1-Own"), &["memory-over-time", "store-bloat"]),
        (only("get-50-uniform-value-1KiB-fill-50-threads-2-batch-1/null/"), &["throughput-memory"]),
        (only("2-Other"), &["threads"]),
        (only("/nibble@index=text/0"), &["index-layouts"]),
        (only("-fill-80-"), &["engine-knobs"]),
        (failing("-small/"), &["allocator-bloat", "allocator-throughput"]),
        (failing("/P4/"), &["allocator-bloat", "allocator-throughput", "threads"]),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = Folder::new(&format!("little-{case}"));
        fixture::write_curves(&folder.0, &rows);
        let wanted: Vec<_> = drawings.iter().map(|name| by_name(name).unwrap()).collect();
        for drawn in draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap() {
            assert_eq!(drawn.empty, None, "case {case}, {}", drawn.figure.name);
        }
    }
}

#[test]
fn a_figure_without_rows_says_why_and_leaves_no_drawing() {
    if !can_draw() {
        return;
    }
    let folder = Folder::new("empty");
    let wanted: Vec<_> = all().iter().collect();
    for drawn in draw(&folder.0, &[], &wanted, Drawings::ByGnuplot).unwrap() {
        let reason = drawn.empty.unwrap();
        let remedy = drawn.figure.suites.first().map_or("my.toml", String::as_str);
        assert!(reason.contains(remedy), "{reason}");
        assert!(!drawn.svg.exists());
    }
}

/// What the README shows is made of the rows that lie beside it. A figure that was declared after the
/// run was published has no table there.
#[test]
fn tables_of_the_reference_run_are_made_of_its_rows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference");
    let (_, rows) = record::archive::load(&folder).unwrap();
    let figures = super::of_run(&folder).unwrap();
    let mut compared = 0;
    for entry in fs::read_dir(folder.join("figures")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "tsv") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let figure = figures.iter().find(|figure| figure.name == name);
        let figure = figure.unwrap_or_else(|| panic!("{name}: no suite declares it any more"));
        let there = fs::read_to_string(&path).unwrap();
        let made = figure.build(&folder, &rows).table.to_tsv();
        assert!(made == there, "{name}: draw the reference run again");
        compared += 1;
    }
    assert!(compared >= 44, "{compared}");
}
