//! The commands do what they say, from a cell by hand to an interrupted run.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{self, bench, children_of, errors, only_folder, run, scratch, told};
use record::Outcome;

#[test]
fn a_cell_can_be_run_by_hand() {
    let cell = run(&["cell", "fragmentation/P1/nibble/bounded/0", "--scale", "smoke"]);
    assert_eq!(cell.status.code(), Some(0), "{}", errors(&cell));
    let mut worker =
        bench().arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    worker.stdin.take().unwrap().write_all(&cell.stdout).unwrap();
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = told(&output);
    for event in ["ready", "opened", "before", "step", "observe", "ending", "done"] {
        assert!(said.contains(&format!(r#""event":"{event}""#)), "{event} is not in: {said}");
    }
    assert!(said.contains(r#""outcome":"full","expected":true"#), "{said}");
}

/// The whole way for one figure: measured, drawn, reported; and drawn again from the rows alone.
#[test]
fn a_figure_is_reproduced_and_can_be_drawn_again() {
    if let Err(reason) = report::figures::gnuplot_available() {
        eprintln!("skipped: {reason}");
        return;
    }
    let results = scratch("figure");
    let output = bench()
        .args(["reproduce", "--scale", "smoke", "--figure", "memory-over-time", "--quiet"])
        .arg("--results")
        .arg(&results)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let folder = only_folder(&results).unwrap();
    let said = told(&output);
    assert_eq!(said.lines().last(), folder.join("report.html").to_str());
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let drawing = "data-drawing=\"memory-over-time\"";
    assert!(page.contains(drawing) && page.contains("--figure memory-over-time"));
    for extension in ["svg", "pdf", "png"] {
        let drawing = folder.join(format!("figures/memory-over-time.{extension}"));
        assert!(fs::metadata(&drawing).unwrap().len() > 1000, "{}", drawing.display());
    }
    // The run keeps what its suite said, and whatever the program's suite says now, that is drawn.
    let kept = folder.join("suites/memory-over-time.toml");
    let text = fs::read_to_string(&kept).unwrap();
    assert_eq!(text, common::read("harness/suites/memory-over-time.toml"));
    let title = "title = \"Memory over time\"";
    assert!(text.contains(title));
    fs::write(&kept, text.replace(title, "title = \"As it was called then\"")).unwrap();
    fs::remove_dir_all(folder.join("figures")).unwrap();
    let again = run(&["report", folder.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    assert!(folder.join("figures/memory-over-time.svg").exists());
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        page.contains("<h2>As it was called then</h2>") && !page.contains("<h2>Memory over time")
    );
}

#[test]
fn every_allocator_on_this_machine_is_measured() {
    let suite = r#"
        question = "Does every allocator run?"
        [[fragmentation]]
        heaps = ["*"]
        variants = ["default", "fast", "small"]
        patterns = ["P2"]
        threads = [2]
        frees = ["other"]
    "#;
    let (code, _, rows) = common::run_suite("allocators", suite, &[]);
    assert_eq!(code, 0);
    for row in &rows {
        match row.outcome {
            Outcome::Unavailable => {
                let reason = row.reason.as_ref().expect("a reason");
                assert!(reason.contains("install"), "{}: {reason}", row.system);
                eprintln!("left out: {}: {reason}", row.system);
            }
            _ => {
                assert_eq!(row.outcome, Outcome::Measured, "{}: {:?}", row.system, row.reason);
                assert!(!row.version.is_empty() && !row.settings.is_empty(), "{}", row.system);
                let overhead = row.memory.as_ref().unwrap().at_once.unwrap().overhead.unwrap();
                // What the program's own start took from glibc and gave back is in the baseline, and is
                // handed out again: a few pages, as many as the command line has options.
                let is_sound = (0.998..2.5).contains(&overhead);
                assert!(row.step != "fill" || is_sound, "{}: {overhead}", row.system);
            }
        }
    }
    for variant in ["-fast", "-small"] {
        let varied = rows.iter().filter(|row| row.system.ends_with(variant));
        assert!(varied.clone().count() >= 9, "{variant}: settings are rows of their own");
        for row in varied.filter(|row| row.outcome == Outcome::Measured) {
            assert!(!row.environment.is_empty(), "{} records its variables", row.system);
        }
    }
}

/// What the user's shell says about allocators reaches no measurement.
#[test]
fn allocator_variables_of_the_shell_do_not_reach_a_cell() {
    let results = scratch("environment");
    let mut rows = Vec::new();
    for suite in ["allocator-bloat", "allocator-settings"] {
        let output = bench()
            .args(["run", suite, "--scale", "smoke", "--quiet"])
            .args(["--filter", "P6/glibc", "--results"])
            .arg(results.join(suite))
            .env("MALLOC_ARENA_MAX", "77")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let run = only_folder(&results.join(suite)).unwrap();
        rows.extend(record::archive::load(&run).unwrap().1);
    }
    let of = |system: &str| rows.iter().find(|row| row.system == system).unwrap();
    let in_force = |system: &str| of(system).settings.values().any(|value| value == "77");
    assert!(!in_force("glibc") && !in_force("glibc-small"));
    assert!(of("glibc").environment.is_empty());
    assert_eq!(of("glibc-small").environment["MALLOC_ARENA_MAX"], "1");
}

#[test]
fn an_interrupt_keeps_finished_rows_and_leaves_no_children() {
    let folder = scratch("interrupt");
    let file = folder.join("suite.toml");
    // The first cell ends soon; the second, which runs alone after it, hangs.
    let suite = r#"
        question = "What does Ctrl-C leave?"
        timeout-s = 600
        [[fragmentation]]
        heaps = ["null"]
        patterns = ["P6"]
        [[key-value]]
        stores = ["faulty@fault=hang"]
        get-percent = [50]
        value-bytes = [100]
        fill-percent = [20]
        threads = [1]
        roofline = false
    "#;
    fs::write(&file, suite).unwrap();
    let results = folder.join("results");
    let mut child = bench()
        .args(["run", file.to_str().unwrap(), "--scale", "smoke", "--quiet", "--results"])
        .arg(&results)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let kept = || {
        let rows = only_folder(&results)?.join("rows.jsonl");
        Some(fs::read_to_string(rows).ok()?.lines().count())
    };
    let started = Instant::now();
    while kept().unwrap_or(0) < 3 {
        assert!(started.elapsed() < Duration::from_secs(60), "the first cell ends");
        std::thread::sleep(Duration::from_millis(20));
    }
    let workers = children_of(child.id());
    platform::process::interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(kept(), Some(3), "finished rows are kept, unfinished ones are not");
    let (run, rows) = record::archive::load(&only_folder(&results).unwrap()).unwrap();
    assert!(run.interrupted && rows.len() == 3);
    for worker in workers {
        assert!(!is_running(worker), "worker {worker} is still there");
    }
}

fn is_running(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}
