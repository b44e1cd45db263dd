//! Pages and summaries of made-up rows.

use std::collections::BTreeMap;

use super::{summary, write};
use crate::archive::RunRecord;
use crate::environment::MachineRecord;
use crate::figures::fixture::{self, Folder};
use crate::figures::{Drawings, Drawn, Table, by_name, draw, gnuplot_available};
use crate::identity::Provenance;
use crate::record::SCHEMA;
use crate::spec::Scale;

pub(crate) fn run(scale: &str) -> RunRecord {
    let facts = [("cpu", "A <fast> & made-up processor"), ("cores", "2"), ("memory-mib", "7900")];
    let facts: BTreeMap<String, String> =
        facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    RunRecord {
        schema: SCHEMA,
        name: format!("reproduce-{scale}"),
        command: format!("nibble-bench reproduce --scale {scale}"),
        scale: Scale::by_name(scale),
        suites: vec![("allocator-bloat".to_owned(), "How much?".to_owned())],
        figures: Vec::new(),
        notices: vec!["live sets were reduced <by half>".to_owned()],
        cells_planned: 12,
        started: "2026-11-20T14:15:00Z".to_owned(),
        resumed: Vec::new(),
        finished: Some("2026-11-20T14:45:00Z".to_owned()),
        interrupted: false,
        provenance: Provenance::default(),
        machine: MachineRecord { facts },
    }
}

fn not_drawn(reason: &str) -> Drawn {
    Drawn {
        figure: by_name("allocator-bloat").unwrap(),
        svg: "none.svg".into(),
        empty: Some(reason.to_owned()),
        table: Table::default(),
        notes: Vec::new(),
        missing: Vec::new(),
    }
}

#[test]
fn everything_from_outside_is_escaped() {
    let folder = Folder::new("escape");
    let rows = fixture::rows();
    let page = write(&folder.0, &run("quick"), &rows, &[not_drawn("because <b>")]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    for (raw, escaped) in [
        ("A <fast> & made-up", "A &lt;fast&gt; &amp; made-up"),
        ("reduced <by half>", "reduced &lt;by half&gt;"),
        ("SIGSEGV <segmentation", "SIGSEGV &lt;segmentation"),
        ("because <b>", "because &lt;b&gt;"),
        ("= a<b", "= a&lt;b"),
    ] {
        assert!(!html.contains(raw), "{raw}");
        assert!(html.contains(escaped), "{escaped}");
    }
    assert!(!folder.0.join("report.html.part").exists());
}

#[test]
fn every_row_that_was_not_measured_is_listed_with_its_reason() {
    let folder = Folder::new("outcomes");
    let rows = fixture::rows();
    let page = write(&folder.0, &run("quick"), &rows, &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    for row in rows.iter().filter(|row| !crate::figures::is_sound(row)) {
        assert!(html.contains(&row.cell.id), "{}", row.cell.id);
    }
    assert!(html.contains("Left out: snmalloc: not on this machine"));
    assert!(html.contains("7 steps ended in an outcome that the plan does not allow for"));
}

#[test]
fn a_smoke_run_says_that_nothing_follows_from_it() {
    let says = |scale| summary(&run(scale), &[]).contains("too small to conclude from");
    assert!(says("smoke") && !says("quick"));
}

#[test]
fn a_resumed_run_says_when() {
    let mut run = run("quick");
    assert!(!summary(&run, &[]).contains("resumed"));
    run.resumed = vec!["2026-11-20T16:00:00Z".to_owned()];
    assert!(summary(&run, &[]).contains("interrupted and resumed at 2026-11-20T16:00:00Z"));
}

#[test]
fn the_summary_counts_outcomes_and_names_what_was_unexpected() {
    let rows = fixture::rows();
    let text = summary(&run("quick"), &rows);
    assert!(text.contains("3 crashed (UNEXPECTED)"), "{text}");
    assert!(text.contains("1 wrong-values (UNEXPECTED)"), "{text}");
    assert!(text.contains("full (as planned)"), "{text}");
    let unexpected = rows.iter().filter(|row| !row.expected).count();
    assert_eq!(text.matches("\nunexpected: ").count(), unexpected);
    assert!(text.contains("hashmap/1 verify: wrong-values: of 10 values checked"), "{text}");
}

#[test]
fn a_whole_report_needs_no_other_file() {
    if let Err(reason) = gnuplot_available() {
        eprintln!("skipped: {reason}");
        return;
    }
    let folder = Folder::new("report");
    let rows = fixture::rows();
    fixture::write_curves(&folder.0, &rows);
    fixture::write_accounts(&folder.0);
    let wanted: Vec<_> = crate::figures::all().iter().collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap();
    let page = write(&folder.0, &run("smoke"), &rows, &drawn).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    assert_eq!(html.matches("src=\"data:image/svg+xml;base64,").count(), wanted.len());
    for outside in ["src=\"http", "href=\"http", "<script", "<link", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
    for figure in crate::figures::all().iter().filter(|figure| !figure.suites.is_empty()) {
        let command = format!("reproduce --scale smoke --figure {}", figure.name);
        assert!(html.contains(&command), "{command}");
    }
    assert!(html.contains("nibble-bench run my.toml") && !html.contains("--figure grid"));
    assert!(html.contains("too small to conclude from"));
}
