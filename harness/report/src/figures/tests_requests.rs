//! Tables of the key-value figures from made-up rows with numbers that are known.

use stats::of_processes;

use super::data::Data;
use super::fixture::Folder;
use super::fixture::requests::{edited, rows_of, write_timelines};
use super::key_value::{
    compaction, components, grid, latency, mapping, phases, scaling, stores, timeline,
};
use super::{Drawings, Table, by_name, draw, gnuplot_available};
use std::collections::BTreeSet;

use record::{Outcome, Row, repetition::Source};

fn suite(name: &str) -> Vec<Row> {
    rows_of(name)
}

/// The rows of the table in which the text columns say so; a series may bear a mark.
fn all_of(table: &Table, wanted: &[(&str, &str)]) -> Vec<usize> {
    let unmarked = |text: &str| text.split_once(" [").map_or(text, |(text, _)| text).to_owned();
    let says =
        |row: &usize| wanted.iter().all(|(name, text)| unmarked(table.text(*row, name)) == *text);
    (0..table.rows.len()).filter(says).collect()
}

/// The only such row.
fn one_of(table: &Table, wanted: &[(&str, &str)]) -> usize {
    let found = all_of(table, wanted);
    assert_eq!(found.len(), 1, "{wanted:?}");
    found[0]
}

/// Millions of operations per second by repetition, for cells whose id holds `part`.
fn with_mops(rows: &[Row], part: &str, mops: [f64; 3]) -> Vec<Row> {
    edited(rows, part, |row| {
        row.throughput_ops_per_s = mops[row.cell.repetition as usize] * 1e6;
    })
}

fn told(data: &Data, part: &str) -> bool {
    data.notes.iter().any(|note| note.contains(part))
}

#[test]
fn threads_have_medians_with_intervals_and_the_roofline_is_no_system() {
    let part = "get-95-uniform-value-1KiB-fill-12-live-set-fixed-threads-2-batch-1/nibble/";
    let rows = with_mops(&suite("ycsb-threads"), part, [4.0, 5.0, 4.5]);
    let data = scaling::over_threads("ycsb-threads", &rows);
    let table = &data.table;
    let row =
        one_of(table, &[("panel", "uniform, 95 % GET"), ("series", "nibble"), ("group", "2")]);
    let expected = of_processes(&[4.0, 5.0, 4.5]).unwrap();
    assert_eq!(table.number(row, "value"), expected.estimate);
    assert_eq!(table.number(row, "value-low"), expected.low);
    assert_eq!(table.number(row, "value-high"), expected.high);
    assert_eq!((table.number(row, "n"), table.number(row, "x")), (3.0, 2.0));
    for row in 0..table.rows.len() {
        let is_roofline = table.text(row, "series") == "roofline";
        assert_eq!(table.text(row, "role") == "reference", is_roofline);
    }
    assert!(told(&data, "95 % interval over processes"));
    assert!(told(&data, "values of 1KiB, 12 % fill"), "{:?}", data.notes);
    let panels: Vec<&str> = (0..table.rows.len()).map(|row| table.text(row, "panel")).collect();
    assert_eq!(
        (panels[0], panels[panels.len() - 1]),
        ("uniform, 100 % GET", "zipfian 0.99, 0 % GET")
    );
}

#[test]
fn a_refusal_is_marked_and_named() {
    let mut of_best = suite("utilisation");
    of_best.retain(|row| !row.system.contains("preset=paper"));
    let rows =
        edited(&of_best, "fill-50-live-set-fixed-threads-2-batch-1-rewrites:1/hashmap/", |row| {
            row.latency_by_kind_ns.get_mut("update").unwrap().insert("p99.9".to_owned(), 7_500);
        });
    let data = scaling::utilisation("utilisation", &rows);
    let table = &data.table;
    let tail = ("measure", "p99.9 of updates, µs");
    let measured = one_of(table, &[tail, ("series", "hashmap"), ("group", "70")]);
    assert_eq!(table.number(measured, "value"), 7.5);
    let refused = all_of(table, &[("mark", "full")]);
    assert_eq!(refused.len(), 2, "throughput and tail of one store at one fill");
    assert!(refused.iter().all(|&row| table.number(row, "value").is_nan()));
    assert!(told(&data, "Refuses (cross on the axis): nibble@update=append at 98."));
    let missing = data.missing();
    assert_eq!(missing.len(), 1, "once, not for each measure: {missing:?}");
    assert!(missing[0].contains("(98): full: an object"), "{missing:?}");
}

#[test]
fn in_place_is_divided_by_appended_repetition_by_repetition() {
    let work = "get-50-uniform-value-1KiB-fill-12-live-set-fixed-threads-1-batch-1";
    let rows = with_mops(&suite("ycsb-threads"), &format!("{work}/nibble/"), [1.5, 3.0, 6.0]);
    let rows = with_mops(&rows, &format!("{work}/nibble@update=append/"), [1.0, 2.0, 4.0]);
    let data = scaling::in_place_ratio("ycsb-threads", &rows);
    let wanted = [("panel", "uniform"), ("series", "1 thread"), ("group", "50 % GET")];
    let row = one_of(&data.table, &wanted);
    for end in ["value", "value-low", "value-high"] {
        assert!((data.table.number(row, end) - 1.5).abs() < 1e-9, "no spread but that of pairs");
    }
    assert_eq!((data.table.number(row, "n"), data.table.number(row, "base")), (3.0, 1.0));
    // Without its other side a repetition gives nothing.
    let mut broken = rows;
    let is_broken = |row: &&mut Row| row.cell.id.contains("/nibble@update=append/0");
    for row in broken.iter_mut().filter(is_broken).filter(|row| row.cell.id.contains(work)) {
        row.outcome = Outcome::Crashed;
        row.reason = Some("killed".to_owned());
    }
    let data = scaling::in_place_ratio("ycsb-threads", &broken);
    assert_eq!(data.table.number(one_of(&data.table, &wanted), "n"), 2.0);
    assert_eq!(data.missing(), ["1 thread (appended) (uniform, 50 % GET): crashed: killed"]);
}

#[test]
fn components_have_panels_of_their_own() {
    let table = components::components("components", &suite("components")).table;
    for (panel, series, groups) in [
        ("epoch, 100 % GET", "thread-ticks", ["1", "2"].as_slice()),
        ("epoch, 0 % GET", "global-counter", &["1", "2"]),
        ("placement, 2 virtual nodes", "local", &["64 B", "1KiB"]),
        ("choice of head, values of 64 B", "random", &["1", "2", "4", "8"]),
        ("choice of head, values of 1KiB", "core", &["1", "2", "4"]),
    ] {
        let found = all_of(&table, &[("panel", panel), ("series", series)]);
        let named: Vec<&str> = found.iter().map(|&row| table.text(row, "group")).collect();
        assert_eq!(named, groups, "{panel}");
    }
    assert!(all_of(&table, &[("panel", "")]).is_empty());
}

#[test]
fn the_best_field_is_marked_and_told_with_what_overlaps() {
    let mut rows = suite("segment-block");
    rows.retain(|row| !row.system.contains("preset=paper"));
    let part = "@block-bytes=65536@segment-bytes=1048576@update=append/";
    let data =
        compaction::segment_block("segment-block", &with_mops(&rows, part, [50.0, 51.0, 52.0]));
    let table = &data.table;
    // Five sizes of segments and three of blocks; three of values and two of blocks.
    assert_eq!(table.rows.len(), 21);
    assert!((0..21).all(|row| table.number(row, "value").is_finite()), "no empty field");
    let best: Vec<usize> =
        (0..table.rows.len()).filter(|&row| table.number(row, "best") == 1.0).collect();
    let of_segments = [("panel", "values of 1KiB"), ("series", "1MiB"), ("group", "64KiB")];
    assert_eq!(best[0], one_of(table, &of_segments));
    assert_eq!((best.len(), table.text(best[1], "panel")), (2, "segments of 1MiB"));
    assert_eq!(table.text(best[1], "y-title"), "value size");
    let text =
        "Best (values of 1KiB): segments of 1MiB, blocks of 64KiB: 51.000 Mops/s (95 % interval";
    assert!(told(&data, text) && told(&data, "no other interval overlaps"), "{:?}", data.notes);
    // As good as equal: the note does not claim a winner.
    let near = "@block-bytes=16384@segment-bytes=1048576@update=append/";
    let rows = with_mops(&with_mops(&rows, part, [50.0, 51.0, 52.0]), near, [50.5, 49.0, 52.0]);
    assert!(told(
        &compaction::segment_block("segment-block", &rows),
        "the interval of 1 other point overlaps"
    ));
}

#[test]
fn compaction_without_workers_is_a_level() {
    let rows = with_mops(&suite("compaction-workers"), "fill-90", [2.0, 2.0, 2.0]);
    let rows = with_mops(
        &rows,
        "fill-90-threads-2-batch-1-rewrites:1/nibble@compaction=inline@update=append/",
        [3.0, 3.0, 3.0],
    );
    let table = compaction::workers("compaction-workers", &rows).table;
    let here = [("measure", "throughput, Mops/s"), ("panel", "90 % fill")];
    for (role, series, value) in [("main", "background", 2.0), ("level", "inline", 3.0)] {
        let found = all_of(&table, &[here[0], here[1], ("role", role), ("series", series)]);
        let x: Vec<f64> = found.iter().map(|&row| table.number(row, "x")).collect();
        assert_eq!(x, [1.0, 2.0, 4.0]);
        assert!(found.iter().all(|&row| (table.number(row, "value") - value).abs() < 1e-9));
    }
    let cpu = all_of(&table, &[("measure", "CPU time, ns/operation"), ("role", "main")]);
    // 920 ms of a million operations.
    assert!(cpu.iter().all(|&row| (table.number(row, "value") - 920.0).abs() < 1e-6));
}

#[test]
fn copies_are_grouped_by_value_size() {
    let table = compaction::copy_routine("copy-routine", &suite("copy-routine")).table;
    let group = |place: f64| {
        let found = (0..table.rows.len()).find(|&row| table.number(row, "place") == place);
        table.text(found.unwrap(), "group")
    };
    assert_eq!([0.0, 1.0].map(group), ["1KiB", "4KiB"]);
    assert_eq!(table.rows.len(), 8, "two routines and two presets");
}

#[test]
fn mapping_is_timed_by_region_and_by_page() {
    let part = "mapping/region-64KiB-pages-4KiB-threads-2/";
    let rows = edited(&suite("mapping-cost"), part, |row| {
        for (kind, ns) in [("map", 3_200), ("unmap", 1_600)] {
            row.latency_by_kind_ns.get_mut(kind).unwrap().insert("p50".to_owned(), ns);
        }
    });
    let data = mapping::mapping_cost("mapping-cost", &rows);
    let series = ("series", "pages of 4KiB, 2 threads");
    for (measure, panel, value) in [
        ("a region, µs", "map", 3.2),
        ("a region, µs", "unmap", 1.6),
        ("for each page, ns", "map", 200.0),
        ("for each page, ns", "unmap", 100.0),
    ] {
        let wanted = [("measure", measure), ("panel", panel), series, ("group", "64KiB")];
        let row = one_of(&data.table, &wanted);
        assert_eq!(data.table.number(row, "value"), value);
        assert_eq!(data.table.number(row, "x"), 65536.0);
    }
    let absent = data.missing();
    assert!(
        absent.iter().any(|told| told.contains("2 threads") && told.contains("no 2 MiB pages"))
    );
}

#[test]
fn puts_are_told_apart_by_kind() {
    let rows = edited(&suite("put-latency"), "/nibble/", |row| {
        for (kind, ns) in [("insert", 3_000), ("update", 8_000)] {
            if let Some(latency) = row.latency_by_kind_ns.get_mut(kind) {
                latency.insert("p99".to_owned(), ns);
            }
        }
    });
    let table = latency::put_latency("put-latency", &rows).table;
    for (panel, value) in [("insert, values of 64 B", 3.0), ("update, values of 1KiB", 8.0)] {
        let row = one_of(&table, &[("panel", panel), ("series", "nibble"), ("group", "p99")]);
        assert!((table.number(row, "value") - value).abs() < 1e-9);
        assert_eq!(table.number(row, "log"), 1.0);
    }
}

#[test]
fn an_open_loop_shows_the_queue_and_says_where_it_is_long() {
    let rows = edited(&suite("open-loop"), "poisson-250000-rewrites:1/hashmap/", |row| {
        row.latency_ns.insert("p50".to_owned(), 4_000);
        let open_loop = row.open_loop.as_mut().unwrap();
        open_loop.service_ns.insert("p50".to_owned(), 1_000);
    });
    let data = latency::open_loop("open-loop", &rows);
    let table = &data.table;
    let place = [("panel", "p50"), ("series", "hashmap"), ("group", "250k")];
    for (role, value) in [("main", 4.0), ("thin", 1.0)] {
        let row = one_of(table, &[place[0], place[1], place[2], ("role", role)]);
        assert!((table.number(row, "value") - value).abs() < 1e-9, "{role}");
    }
    let overloaded = all_of(table, &[("mark", "overloaded"), ("role", "main")]);
    assert!(!overloaded.is_empty());
    assert!(overloaded.iter().all(|&row| table.text(row, "group") != "250k"));
    assert!(told(&data, "Overloaded (open circles): hashmap at 2M/s"), "{:?}", data.notes);
    assert!(told(&data, "at least one process: hashmap at 1M/s."), "{:?}", data.notes);
}

#[test]
fn efficiency_is_drawn_where_rows_have_it() {
    let rows = suite("ycsb-core");
    let efficiency = ("measure", "roofline's time ÷ own, %");
    let known = edited(&rows, "/btree/", |row| {
        row.roofline.as_mut().unwrap().efficiency = 0.25;
    });
    let table = stores::ycsb_core("ycsb-core", &known).table;
    let row = one_of(&table, &[efficiency, ("series", "btree"), ("group", "ycsb-e")]);
    assert!((table.number(row, "value") - 25.0).abs() < 1e-9);
    assert!(all_of(&table, &[("series", "roofline")]).is_empty());
    // Only the ordered store scans.
    let row = one_of(&table, &[efficiency, ("series", "nibble"), ("group", "ycsb-e")]);
    assert!(table.number(row, "value").is_nan());
    assert_eq!(table.text(row, "absent"), "no scans");
    let without = edited(&rows, "", |row| row.roofline = None);
    let data = stores::ycsb_core("ycsb-core", &without);
    let found = all_of(&data.table, &[efficiency]);
    assert!(found.iter().all(|&row| data.table.number(row, "value").is_nan()));
    assert!(data.missing().is_empty(), "{:?}", data.missing());
}

#[test]
fn a_share_of_nothing_is_a_number() {
    let rows = edited(&suite("first-touch"), "/hashmap/", |row| row.cpu.system_ns = 0);
    let table = stores::first_touch("first-touch", &rows).table;
    let share = ("measure", "system time ÷ CPU time, %");
    let row = |series, group| one_of(&table, &[share, ("series", series), ("group", group)]);
    assert_eq!(table.number(row("hashmap", "resident before the clock"), "value"), 0.0);
    let touched = table.number(row("nibble", "first touched within the clock"), "value");
    assert!((touched - 43.75).abs() < 1e-9, "0.7 of 1.6 s: {touched}");
}

#[test]
fn grids_are_arranged_by_what_varies() {
    let rows = rows_of("own");
    let rows = with_mops(
        &rows,
        "get-95-uniform-value-512-fill-60-threads-2-batch-1/nibble@heads=4/",
        [40.0, 41.0, 42.0],
    );
    let data = grid::grid(&rows);
    let table = &data.table;
    assert_eq!(table.text(0, "drawing"), "lines");
    assert_eq!((table.text(0, "x-title"), table.number(0, "log-x")), ("heads", 1.0));
    assert!(told(&data, "Lines: over heads, one for each store; panels: workload."));
    assert!(told(&data, "Best (get-95): nibble, heads 4: 41.000 Mops/s"), "{:?}", data.notes);
    let level = all_of(table, &[("series", "hashmap"), ("role", "level"), ("panel", "get-50")]);
    assert_eq!(level.len(), 12, "at four places, for three measures");

    let [fields, bars] = ["own-fields", "own-bars"].map(|suite| grid::grid(&rows_of(suite)));
    assert_eq!(fields.table.text(0, "drawing"), "heat");
    assert_eq!(fields.table.text(0, "x-title"), "fill, %");
    assert_eq!(fields.table.text(0, "y-title"), "threads");
    let panels = ["heads 2", "heads default"];
    assert!(panels.iter().all(|panel| all_of(&fields.table, &[("panel", panel)]).len() == 6));
    assert_eq!(bars.table.text(0, "drawing"), "bars");
    let both = all_of(&bars.table, &[("group", "zipfian 0.9"), ("series", "hashmap")]);
    assert_eq!(both.len(), 2, "throughput and memory");
    let shown = fields.shown.as_ref().expect("a table with memory, too");
    assert_eq!(shown.rows.len(), 2 * fields.table.rows.len());
    for data in [&fields, &bars] {
        assert!(all_of(&data.table, &[("series", "roofline")]).is_empty());
    }
    // Cells of built-in suites have figures of their own.
    let data = grid::grid(&suite("utilisation"));
    assert!(data.table.rows.is_empty() && data.nothing.unwrap().contains("my.toml"));
}

/// Who asks decides, not what is asked: cells that built-in suites ask for, too, are shown.
#[test]
fn a_suite_of_ones_own_shows_every_cell_that_it_measured() {
    let mut rows = suite("utilisation");
    for row in &mut rows {
        row.suites.push("mine".to_owned());
    }
    let table = grid::grid(&rows).table;
    let shown: BTreeSet<&Source> = table.sources.iter().flatten().collect();
    let measured = rows.iter().filter(|row| row.role != record::Role::Roofline);
    let lost: BTreeSet<&str> = measured
        .map(|row| row.cell.id.as_str())
        .filter(|id| !shown.contains(&Source::Cell((*id).to_owned())))
        .collect();
    assert!(lost.is_empty(), "not shown: {lost:?}");
}

#[test]
fn timelines_show_the_longest_cells() {
    let folder = Folder::new("timelines");
    let rows = suite("open-loop");
    let longest = "poisson-1000000-rewrites:1/hashmap/";
    let rows = edited(&rows, longest, |row| row.elapsed_ns = 20_000_000_000);
    let rows = edited(&rows, "/nibble/", |row| row.elapsed_ns = 4_999_999_999);
    write_timelines(&folder.0, &rows);
    let data = timeline::timeline(&folder.0, &rows);
    let table = &data.table;
    let found = all_of(table, &[("series", "hashmap"), ("measure", "throughput, Mops/s")]);
    let x: Vec<f64> = found.iter().map(|&row| table.number(row, "x")).collect();
    assert_eq!((x.len(), x[0], x[9]), (10, 0.5, 9.5), "the middle of each second");
    let [steady, dip] = [0, 6].map(|second: usize| table.number(found[second], "value"));
    assert!((dip / steady - 0.5).abs() < 1e-3, "{steady} {dip}");
    let lines = all_of(table, &[("measure", "p99 latency, µs")]).len();
    assert_eq!(lines, 30, "three cells of ten seconds");
    assert!(all_of(table, &[("series", "nibble")]).is_empty(), "too short");
    assert!(told(&data, "The 3 longest cells; 6 more are not drawn."), "{:?}", data.notes);
    // The clock stopped within the tenth second.
    let stopped = edited(&rows, "", |row| row.elapsed_ns = 9_400_000_000);
    let table = timeline::timeline(&folder.0, &stopped).table;
    let ends = (0..table.rows.len()).map(|row| table.number(row, "x"));
    assert_eq!(ends.fold(0.0, f64::max), 8.5);
    // A file that is gone is told, not passed over.
    std::fs::remove_dir_all(folder.0.join("timelines")).unwrap();
    let data = timeline::timeline(&folder.0, &rows);
    assert!(data.table.rows.is_empty() && data.missing()[0].contains("timelines/"));
    let short = edited(&rows, "", |row| row.elapsed_ns = 1_000_000_000);
    assert!(timeline::timeline(&folder.0, &short).nothing.unwrap().contains("5 s"));
}

#[test]
fn phases_have_throughput_a_statistic_and_their_puts_over_time() {
    let folder = Folder::new("phases");
    let rows = suite("pm-phases");
    write_timelines(&folder.0, &rows);
    let data = phases::phases(&folder.0, "pm-phases", &rows);
    let column = |measure: &str| -> Vec<(f64, f64)> {
        let found = all_of(&data.table, &[("measure", measure)]);
        let at = |row: usize, name| data.table.number(row, name);
        found.into_iter().map(|row| (at(row, "x"), at(row, "value"))).collect()
    };
    let puts: Vec<f64> = column("PUTs, %").into_iter().map(|(_, puts)| puts).collect();
    assert_eq!(
        puts,
        [2.0, 15.0, 2.0, 2.0, 0.0, 2.0, 2.0, 50.0, 2.0, 2.0],
        "ten tenths of seven phases"
    );
    let sampled = column("sampled in the store");
    assert_eq!(sampled.len(), 9, "nothing was sampled in the first interval");
    assert_eq!((sampled[0], sampled[1], sampled[6]), ((2.0, 1.0), (3.0, 0.0), (8.0, 1.0)));
    assert_eq!(column("throughput, Mops/s")[7], (7.5, 2.0));
    assert!(
        timeline::timeline(&folder.0, &rows).table.rows.is_empty(),
        "they have their own figure"
    );
    let data = phases::phases(&folder.0, "pm-phases", &suite("open-loop"));
    assert!(data.table.rows.is_empty() && data.nothing.is_none(), "no such cells");
}

/// What small, unusual or half failed runs leave.
#[test]
fn little_is_drawn_too() {
    if let Err(reason) = gnuplot_available() {
        eprintln!("skipped: {reason}");
        return;
    }
    let only = |name: &str, part: &str| -> Vec<Row> {
        suite(name).into_iter().filter(|row| row.cell.id.contains(part)).collect()
    };
    let one_repetition = |rows: Vec<Row>| -> Vec<Row> {
        rows.into_iter().filter(|row| row.cell.repetition == 0).collect()
    };
    for (case, (rows, figure)) in [
        (only("ycsb-threads", "/roofline/"), "ycsb-threads"),
        (only("ycsb-threads", "threads-1-batch-1/nibble"), "nibble-2"),
        (with_mops(&suite("ycsb-threads"), "/roofline/", [90.0; 3]), "ycsb-threads"),
        (only("utilisation", "fill-98"), "utilisation"),
        (only("components", "@heads=2"), "components"),
        (only("segment-block", "segment-bytes=1048576"), "segment-block"),
        (one_repetition(suite("segment-block")), "segment-block"),
        (only("segment-block", "block-bytes=65536@segment-bytes=1048576"), "segment-block"),
        (only("compaction-workers", "background"), "compaction-workers"),
        (only("open-loop", "poisson-2000000"), "open-loop"),
        (edited(&suite("ycsb-core"), "", |row| row.roofline = None), "ycsb-core"),
        (only("first-touch", "not-resident"), "first-touch"),
        (only("put-latency", "insert-only"), "put-latency"),
        (rows_of("own-fields"), "grid"),
        (rows_of("own-bars"), "grid"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = Folder::new(&format!("little-requests-{case}"));
        let wanted = [by_name(figure).unwrap()];
        let drawn = draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap();
        assert_eq!(drawn[0].empty, None, "case {case}, {figure}");
    }
}
