//! Pages and summaries of made-up rows.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

use super::{ClaimDetail, ClaimLine, summary, write};
use crate::figures::fixture::{self, Folder};
use crate::figures::table::Value;
use crate::figures::{Drawings, Drawn, Table, all, by_name, draw, gnuplot_available};
pub(crate) use record::made_up::run;
use record::repetition::Source;

/// A claim of each verdict, with what only some have.
pub(crate) fn claims() -> Vec<ClaimLine> {
    let claim = |id: &str, verdict, says: &str, figure: Option<&str>| ClaimLine {
        id: id.to_owned(),
        source: "Made up (2026) Fig. 1".to_owned(),
        says: says.to_owned(),
        on: "a machine of <240> cores".to_owned(),
        preset: None,
        share: None,
        is_of_unlike: false,
        expects: "at most 1.2 of the live bytes".to_owned(),
        verdict,
        reason: "the interval lies on one side".to_owned(),
        measured: "1.13 of the live bytes (95 % interval 1.10 to 1.16, n = 3)".to_owned(),
        details: Vec::new(),
        figure: figure.map(str::to_owned),
    };
    let detail = |what: &str, verdict| ClaimDetail {
        what: what.to_owned(),
        value_text: "1.13 (1.10 to 1.16)".to_owned(),
        bound: "≤ 1.2".to_owned(),
        verdict,
        cells: (0..3)
            .map(|repetition| format!("fragmentation/P1/glibc/Ample/1-Own/{repetition}"))
            .collect(),
    };
    let mut all = vec![
        claim("whole", "holds", "Memory stays whole & small", Some("allocator-bloat")),
        claim("fast", "fails", "It is faster than all others", Some("allocator-bloat")),
        claim("tail", "undecided", "Its tail is short", Some("no-such-figure")),
        claim("scales", "not testable here", "It scales to 240 threads", None),
    ];
    all[0].details = vec![detail("P1", "holds"), detail("P2", "undecided")];
    (all[0].preset, all[0].share) = (Some("paper".to_owned()), Some("1 of 2".to_owned()));
    all[1].details = vec![ClaimDetail { cells: Vec::new(), ..detail("P1", "fails") }];
    (all[3].on, all[3].measured) = (String::new(), String::new());
    (all[3].expects, all[3].reason) = (String::new(), String::new());
    all
}

fn not_drawn(reason: &str) -> Drawn {
    Drawn {
        figure: by_name("allocator-bloat").unwrap().clone(),
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
    let page = write(&folder.0, &run("quick"), &rows, &[not_drawn("because <b>")], &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    for (raw, escaped) in [
        ("A <fast> & made-up", "A &#60;fast&#62; &#38; made-up"),
        ("reduced <by half>", "reduced &#60;by half&#62;"),
        ("SIGSEGV <segmentation", "SIGSEGV &#60;segmentation"),
        ("because <b>", "because &#60;b&#62;"),
        ("= a<b", "= a&#60;b"),
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
    let page = write(&folder.0, &run("quick"), &rows, &[], &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    for row in rows.iter().filter(|row| !record::is_sound(row)) {
        assert!(html.contains(&row.cell.id), "{}", row.cell.id);
    }
    assert!(html.contains("Left out: snmalloc: not on this machine"));
    assert!(html.contains("10 steps ended in an outcome that the plan does not allow for"));
}

#[test]
fn a_smoke_run_says_that_nothing_follows_from_it() {
    let says = |scale| summary(&run(scale), &[], all()).contains("too small to conclude from");
    assert!(says("smoke") && !says("quick"));
}

#[test]
fn a_resumed_run_says_when() {
    let mut run = run("quick");
    assert!(!summary(&run, &[], all()).contains("resumed"));
    run.resumed = vec!["2026-11-20T16:00:00Z".to_owned()];
    assert!(summary(&run, &[], all()).contains("interrupted and resumed at 2026-11-20T16:00:00Z"));
}

#[test]
fn the_summary_counts_outcomes_and_names_what_was_unexpected() {
    let rows = fixture::rows();
    let text = summary(&run("quick"), &rows, all());
    assert!(text.contains("3 crashed (UNEXPECTED)"), "{text}");
    assert!(text.contains("1 wrong-values (UNEXPECTED)"), "{text}");
    assert!(text.contains("full (as planned)"), "{text}");
    let unexpected = rows.iter().filter(|row| !row.expected).count();
    assert_eq!(text.matches("\nunexpected: ").count(), unexpected);
    assert!(text.contains("hashmap/1 verify: wrong-values: of 10 values checked"), "{text}");
}

#[test]
fn claims_come_first_with_their_verdict_in_words_and_no_field_is_empty() {
    let folder = Folder::new("claims");
    let rows = fixture::rows();
    let drawn = [not_drawn("because")];
    let page = write(&folder.0, &run("quick"), &rows, &drawn, &claims()).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let part = |from: &str, to: &str| {
        let from = html.find(from).unwrap_or_else(|| panic!("{from}"));
        &html[from..from + html[from..].find(to).unwrap_or_else(|| panic!("{to}"))]
    };
    assert!(html.find("<section id=\"claims\">") < html.find("<nav"), "claims come first");
    let claims = part("<section id=\"claims\">", "</section>");
    for told in [
        "4 questions; ✗ fails: 1, ? undecided: 1, ✓ holds: 1, – not testable here: 1.",
        "<li><a href=\"#claim-fast\">It is faster than all others</a> (Made up (2026) Fig. 1). 1.13",
        "<tr id=\"claim-whole\"><td><span class=\"verdict holds\">✓ holds</span><br>1 of 2<br>preset paper</td>",
        "<summary>expected a machine of &#60;240&#62; cores</summary>",
        "<a href=\"#allocator-bloat\">allocator-bloat</a>",
        "no-such-figure (not in this report)",
        "<td>It scales to 240 threads</td><td>–</td><td>–</td>",
        "<summary>2 comparisons</summary>",
        "\">3 cells</a></td>",
    ] {
        assert!(claims.contains(told), "{told}\n{claims}");
    }
    let shown = part("Claims it bears on:", "</div>");
    assert_eq!(shown.matches("<li>").count(), 2, "{shown}");
    assert!(!html.contains("<td></td>") && !html.contains("<td class=\"number\"></td>"));
    let none = write(&folder.0, &run("quick"), &rows, &[], &[]).unwrap();
    assert!(std::fs::read_to_string(none).unwrap().contains("No claims were evaluated"));
}

#[test]
fn every_line_of_a_figure_leads_to_rows() {
    let folder = Folder::new("sources");
    let rows = fixture::rows();
    fixture::write_curves(&folder.0, &rows);
    fixture::write_accounts(&folder.0);
    let wanted: Vec<_> = crate::figures::all().iter().collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::LeftOut).unwrap();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.cell.id.as_str()).collect();
    for Drawn { figure, table, .. } in &drawn {
        assert!(!table.rows.is_empty(), "{}", figure.name);
        assert_eq!(table.sources.len(), table.rows.len(), "{}", figure.name);
        for (row, sources) in table.rows.iter().zip(&table.sources) {
            let place = table.place("n").map(|place| &row[place]);
            let measured = place.is_none_or(|n| matches!(n, Value::Number(n) if *n > 0.0));
            assert!(!measured || !sources.is_empty(), "{}: {row:?}", figure.name);
            for source in sources {
                let is_there = match source {
                    Source::Cell(id) => ids.contains(id.as_str()),
                    Source::File(path) => folder.0.join(path).is_file(),
                };
                assert!(is_there, "{}: {source:?}", figure.name);
            }
        }
    }
    // Three repetitions of one cell are one link, to the first of them, whose line is given.
    let page = write(&folder.0, &run("quick"), &rows, &drawn, &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let id = "fragmentation/P4/jemalloc/Ample/1-Own/0";
    let row = html.lines().find(|line| line.contains(&format!("\"><td>{id}<"))).unwrap();
    let anchor = row.strip_prefix("<tr id=\"").unwrap().split('"').next().unwrap();
    assert!(html.contains(&format!("<td><a href=\"#{anchor}\">3 cells</a></td>")), "{row}");
    let line = rows.iter().position(|row| row.cell.id == id).unwrap() + 1;
    assert!(row.ends_with(&format!("<td class=\"number\">{line}</td></tr>")), "{row}");
    let curve = "<a href=\"curves/fragmentation_P4_jemalloc_Ample_1-Own_0.csv\">curve</a>";
    assert!(row.contains(curve), "{row}");
}

/// A page with every figure, of made-up rows and claims; its folder goes with it.
pub(crate) struct Whole {
    pub(crate) page: PathBuf,
    pub(crate) folder: Folder,
}

/// The page, drawn once for the tests that look at it at the same time; `None` without gnuplot.
pub(crate) fn whole() -> Option<Arc<Whole>> {
    static SHARED: Mutex<Weak<Whole>> = Mutex::new(Weak::new());
    if let Err(reason) = gnuplot_available() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let mut shared = SHARED.lock().unwrap();
    if let Some(whole) = shared.upgrade() {
        return Some(whole);
    }
    let folder = Folder::new("report");
    let rows = fixture::rows();
    fixture::write_curves(&folder.0, &rows);
    fixture::write_accounts(&folder.0);
    let wanted: Vec<_> = crate::figures::all().iter().collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::ByGnuplot).unwrap();
    let page = write(&folder.0, &run("smoke"), &rows, &drawn, &claims()).unwrap();
    let whole = Arc::new(Whole { page, folder });
    *shared = Arc::downgrade(&whole);
    Some(whole)
}

#[test]
fn a_whole_report_needs_no_other_file() {
    let Some(whole) = whole() else { return };
    let html = std::fs::read_to_string(&whole.page).unwrap();
    let figures = crate::figures::all();
    assert_eq!(html.matches("src=\"data:image/svg+xml,").count(), figures.len());
    assert_eq!((html.matches("<script").count(), html.matches("<script>\n").count()), (1, 1));
    for outside in ["src=\"http", "href=\"http", "<link", "@import", "url(http", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
    for figure in figures.iter().filter(|figure| !figure.suites.is_empty()) {
        let command = format!("reproduce --scale smoke --figure {}", figure.name);
        assert!(html.contains(&command), "{command}");
    }
    assert!(html.contains("nibble-bench run my.toml") && !html.contains("--figure grid"));
    assert!(html.contains("too small to conclude from"));
}
