//! Pages and summaries of made-up rows.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

use super::answer::capital;
use super::document::HARNESS;
use super::{ClaimDetail, ClaimLine, summary, write};
use crate::figures::fixture::drawn::{DrawnFigures, drawn};
use crate::figures::fixture::{self, Folder};
use crate::figures::table::Value;
use crate::figures::{Drawings, Drawn, Table, all, by_name, draw};
pub(crate) use record::made_up::run;
use record::{Memory, MemoryPoint, Row, archive::RunRecord, repetition::Source};

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
    let nothing = Drawn { missing: vec!["all".to_owned()], ..not_drawn("because <b>") };
    let page = write(&folder.0, &run("quick"), &rows, &[nothing], &[]).unwrap();
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
    let unexpected = rows.iter().filter(|row| !row.expected).count();
    assert!(unexpected > 0);
    let told = format!("{unexpected} steps ended in an outcome that the plan does not allow for");
    assert!(html.contains(&told), "{told}");
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

/// The text of a page from `from` to `to`.
fn part<'a>(html: &'a str, from: &str, to: &str) -> &'a str {
    let from = html.find(from).unwrap_or_else(|| panic!("{from}"));
    &html[from..from + html[from..].find(to).unwrap_or_else(|| panic!("{to}"))]
}

/// The figure of that name, drawn of made-up rows, without gnuplot.
fn table_of(folder: &Folder, name: &str, rows: &[Row]) -> Drawn {
    let wanted = [by_name(name).expect("a figure")];
    draw(&folder.0, rows, &wanted, Drawings::LeftOut).expect("a table").remove(0)
}

#[test]
fn claims_are_folded_by_verdict_and_no_field_is_empty() {
    let folder = Folder::new("claims");
    let rows = fixture::rows();
    let drawn = [table_of(&folder, "allocator-bloat", &rows)];
    let page = write(&folder.0, &run("quick"), &rows, &drawn, &claims()).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.find("<section id=\"allocator-bloat\"") < html.find("<section id=\"claims\">"));
    let claims = part(&html, "<section id=\"claims\">", "</section>");
    for told in [
        "4 questions; ✗ fails: 1, ? undecided: 1, ✓ holds: 1, – not testable here: 1.",
        "1 more ask what was not measured here",
        "<summary><span class=\"verdict fails\">✗ fails</span>: 1</summary>",
        "<tr id=\"claim-whole\"><td><span class=\"verdict holds\">✓ holds</span><br>1 of 2<br>preset paper</td>",
        "<summary>expected a machine of &#60;240&#62; cores</summary>",
        "<a href=\"#allocator-bloat\">allocator-bloat</a>",
        "no-such-figure (not in this report)",
        "<summary>2 comparisons</summary>",
        "<td>fragmentation/P1/glibc/Ample/1-Own × 3</td>",
    ] {
        assert!(claims.contains(told), "{told}\n{claims}");
    }
    assert!(!claims.contains("It scales to 240 threads"), "it was not measured");
    assert!(!claims.contains("<details open"), "all are folded");
    let shown = part(&html, "Claims it bears on (2)", "</details>");
    assert_eq!(shown.matches("<li>").count(), 2, "{shown}");
    assert!(!html.contains("<td></td>") && !html.contains("<td class=\"number\"></td>"));
    let told =
        "Of 3 questions that published claims put to this machine, 1 hold, 1 fail, and 1 are";
    assert!(part(&html, "<header", "</header>").contains(told));
}

#[test]
fn a_suite_of_ones_own_shows_its_question_its_answer_and_memory_and_no_claims() {
    let folder = Folder::new("own");
    let mut rows = fixture::requests::rows_of("own");
    for (place, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.step == "run") {
        let overhead = Some(1.2 + place as f64 / 1e3);
        let at_once = Some(MemoryPoint { overhead, ..MemoryPoint::default() });
        row.memory = Some(Memory { at_once, ..Memory::default() });
    }
    let own = RunRecord {
        suites: vec![("own".to_owned(), "How many heads?".to_owned())],
        ..run("quick")
    };
    let wanted: Vec<_> = all().iter().collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::LeftOut).unwrap();
    let page = write(&folder.0, &own, &rows, &drawn, &claims()).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let top = part(&html, "<header", "</header>");
    assert!(top.contains("<h1>How many heads?</h1>"), "{top}");
    let answer = part(top, "<ol class=\"findings\">", "</ol>");
    assert!(answer.contains("Throughput is highest with nibble in "), "{answer}");
    assert!(answer.contains("Resident ÷ live value bytes is lowest with"), "{answer}");
    assert!(answer.contains("95 % interval"), "{answer}");
    assert!(top.contains("data-charts=\"grid\""));
    for measure in ["throughput, Mops/s", "resident ÷ live value bytes", "p99 latency, µs"] {
        assert!(html.contains(&format!("\"measure\":\"{measure}\"")), "{measure}");
    }
    assert!(!html.contains("<section id=\"claims\">") && !html.contains("Whole & small"));
    assert_eq!(html.matches("class=\"figure").count(), 1, "no empty figures");
}

#[test]
fn the_headline_is_told_from_its_own_numbers() {
    let folder = Folder::new("headline");
    let rows = fixture::requests::rows_of("price-of-memory");
    let drawn = [table_of(&folder, "price-of-memory", &rows)];
    let page = write(&folder.0, &run("quick"), &rows, &drawn, &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let top = part(&html, "<header", "</header>");
    assert!(top.contains("<h1>How much?</h1>"), "the only suite's question");
    assert!(
        top.contains("<b>Throughput for memory.</b>") && top.contains("is smallest, "),
        "{top}"
    );
    let table = &drawn[0].table;
    let main = (0..table.rows.len()).filter(|&row| table.text(row, "role") == "main");
    let first = table.text(0, "panel");
    let here = main.filter(|&row| table.text(row, "panel") == first);
    let fastest = here.max_by(|&one, &other| {
        let value =
            |row| if table.text(row, "mark") == "full" { -1.0 } else { table.number(row, "value") };
        value(one).max(-1.0).total_cmp(&value(other).max(-1.0))
    });
    let fastest = table.text(fastest.expect("a point"), "series");
    assert!(top.contains(&format!("{}: {fastest} (", capital(first))), "{first}: {fastest}\n{top}");
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
    // Three repetitions of one cell are one, by which the page is filtered.
    let page = write(&folder.0, &run("quick"), &rows, &drawn, &[]).unwrap();
    let html = std::fs::read_to_string(page).unwrap();
    let told = "<td>fragmentation/P4/jemalloc/Ample/1-Own × 3</td>";
    let row = html.lines().find(|line| line.contains(told)).unwrap();
    assert!(row.starts_with("<tr data-cells=\""), "{row}");
}

#[test]
fn rows_stand_beside_the_page_and_not_within() {
    let folder = Folder::new("raw");
    let rows = fixture::rows();
    let of_page = || {
        let page = write(&folder.0, &run("quick"), &rows, &[], &[]).unwrap();
        std::fs::read_to_string(page).unwrap()
    };
    let link = "<a href=\"rows.jsonl.gz\">";
    assert!(!of_page().contains(link), "it is not there");
    std::fs::write(folder.0.join("rows.jsonl.gz"), "").unwrap();
    assert!(of_page().contains(link));
}

#[test]
fn what_the_harness_costs_is_shown_where_it_was_measured() {
    let folder = Folder::new("harness");
    let of_page = || {
        let page = write(&folder.0, &run("quick"), &[], &[], &[]).unwrap();
        std::fs::read_to_string(page).unwrap()
    };
    assert!(!of_page().contains("What the harness costs"));
    std::fs::write(folder.0.join(HARNESS), "invisible/made-up · ≥ 0.95 · 0.5").unwrap();
    assert!(of_page().contains("<pre>invisible/made-up · ≥ 0.95 · 0.5</pre>"));
}

/// A page with every figure, of made-up rows and claims.
pub(crate) struct Whole {
    pub(crate) page: PathBuf,
    pub(crate) figures: Arc<DrawnFigures>,
}

/// The page, beside its drawings, shared like them; `None` without gnuplot.
pub(crate) fn whole() -> Option<Arc<Whole>> {
    static SHARED: Mutex<Weak<Whole>> = Mutex::new(Weak::new());
    let figures = drawn()?;
    let mut shared = SHARED.lock().unwrap();
    if let Some(whole) = shared.upgrade() {
        return Some(whole);
    }
    let DrawnFigures { folder, rows, drawn } = &*figures;
    let page = write(&folder.0, &run("smoke"), rows, drawn, &claims()).unwrap();
    let whole = Arc::new(Whole { page, figures });
    *shared = Arc::downgrade(&whole);
    Some(whole)
}

#[test]
fn a_whole_report_needs_no_other_file() {
    let Some(whole) = whole() else { return };
    let html = std::fs::read_to_string(&whole.page).unwrap();
    let figures = crate::figures::all();
    assert_eq!(html.matches(" data-drawing=\"").count(), figures.len());
    assert_eq!((html.matches("<script").count(), html.matches("<script>\n").count()), (3, 1));
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
