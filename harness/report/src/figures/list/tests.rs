//! Declarations: what is refused, and whose count.

use std::fs;
use std::path::Path;

use super::{all, by_name, of_run, parse};
use crate::figures::fixture::Folder;
use crate::figures::fixture::requests::rows_of;
use crate::figures::{Drawings, draw};
use crate::suites::{BUILT_IN, KEPT};

fn text(suite: &str) -> &'static str {
    BUILT_IN.iter().find(|(name, _)| *name == suite).expect("a built-in suite").1
}

fn keep(folder: &Path, suite: &str, text: &str) {
    fs::create_dir_all(folder.join(KEPT)).unwrap();
    fs::write(folder.join(KEPT).join(format!("{suite}.toml")), text).unwrap();
}

#[test]
fn suites_that_figures_are_drawn_from_exist() {
    for figure in all() {
        for suite in &figure.suites {
            assert!(BUILT_IN.iter().any(|(name, _)| name == suite), "{}: {suite}", figure.name);
        }
    }
}

#[test]
fn an_edit_of_a_suite_changes_nothing_in_a_run_that_was_made_before() {
    let folder = Folder::new("kept");
    let rows = rows_of("rivals");
    let now = by_name("rivals").unwrap();
    // What the suite said when the run was made.
    let then = text("rivals")
        .replace(&now.question, "How did they scale?")
        .replace(&now.title, "Rivals")
        .replace("Operations per second of wall time", "Operations per second")
        .replace("reference = \"roofline\"", "reference = \"memory\"");
    keep(&folder.0, "rivals", &then);
    let figures = of_run(&folder.0).unwrap();
    let names = |figures: &[super::Figure]| -> Vec<String> {
        figures.iter().map(|figure| figure.name.clone()).collect()
    };
    assert_eq!(names(&figures), names(all()), "the order of the report");
    let wanted: Vec<_> = figures.iter().filter(|figure| figure.name == "rivals").collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::LeftOut).unwrap();
    let figure = &drawn[0].figure;
    assert_eq!((&*figure.title, &*figure.question), ("Rivals", "How did they scale?"));
    assert!(figure.caption.starts_with("Operations per second of all threads"));
    let script = fs::read_to_string(folder.0.join("figures/rivals.gp")).unwrap();
    assert!(script.contains("\nreference = \"memory\"\nload \"lines.gp\"\n"), "{script}");
    let table = now.build(&folder.0, &rows).table.to_tsv();
    assert!(table.lines().count() > 10);
    assert_eq!(fs::read_to_string(folder.0.join("figures/rivals.tsv")).unwrap(), table);
    // Other suites are those of the program.
    let maps = figures.iter().find(|figure| figure.name == "maps").unwrap();
    assert_eq!(maps.title, by_name("maps").unwrap().title);
}

#[test]
fn a_run_that_keeps_no_suites_has_the_figures_of_the_program() {
    let folder = Folder::new("kept-none");
    assert_eq!(of_run(&folder.0).unwrap().len(), all().len());
    keep(&folder.0, "rivals", "question = \"No figures?\"\n");
    assert_eq!(of_run(&folder.0).unwrap().len(), all().len());
}

#[test]
fn a_copy_under_another_name_draws_its_own_cells() {
    let folder = Folder::new("kept-copy");
    keep(&folder.0, "mine", text("maps"));
    let figures = of_run(&folder.0).unwrap();
    let maps: Vec<_> = figures.iter().filter(|figure| figure.name == "maps").collect();
    assert_eq!((maps.len(), &maps[0].suites[..]), (1, &["mine".to_owned()][..]));
    keep(&folder.0, "maps", text("maps"));
    let message = of_run(&folder.0).unwrap_err();
    assert!(message.contains("`maps`") && message.contains("mine.toml"), "{message}");
}

#[test]
fn a_kept_suite_that_cannot_be_read_is_named() {
    let folder = Folder::new("kept-broken");
    keep(&folder.0, "rivals", &text("rivals").replace("over-threads", "over-treads"));
    let message = of_run(&folder.0).unwrap_err();
    for part in ["rivals.toml: line ", "over-treads", "over-threads"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn what_no_script_or_builder_takes_is_refused_with_its_line() {
    let figure = |rest: &str| {
        let text = format!(
            "question = \"?\"\n[[figure]]\nname = \"one\"\ntitle = \"One\"\ncaption = \"Bars.\"\n\
             {rest}"
        );
        parse("mine", &text).map(|figures| figures.len())
    };
    let side = "build = \"side-by-side\"\nshow = [\"overhead\"]";
    assert_eq!(figure(&format!("{side}\nscript = \"bar-panels\"")), Ok(1));
    for (rest, line, wanted) in [
        (format!("{side}\nscript = \"bar-panels\"\ncolumns = 3"), 8, "takes settings"),
        (format!("{side}\nscript = \"threads\"\nsettings = true"), 8, "takes no settings"),
        (format!("{side}\nscript = \"lines\"\ncolumns = 0"), 8, "at least 1"),
        (format!("{side}\nscript = \"lines\"\nthin = \"`ls`\""), 8, "no quotes"),
        ("build = \"side-by-side\"\nscript = \"lines\"".to_owned(), 2, "needs `show`"),
        ("build = \"grid\"\nshow = [\"overhead\"]\nscript = \"lines\"".to_owned(), 7, "`show`"),
        ("build = \"side-by-side\"\nshow = [\"speed\"]\nscript = \"heat\"".to_owned(), 7, "speed"),
        (format!("{side}\nscript = \"lines\"\ncolor = 1"), 9, "unknown field"),
    ] {
        let message = figure(&rest).unwrap_err();
        assert!(message.starts_with(&format!("line {line}: ")), "{rest}: {message}");
        assert!(message.contains(wanted), "{message}");
    }
    let named = |name: &str| {
        let text = text("maps").replace("name = \"maps\"", &format!("name = \"{name}\""));
        parse("maps", &text).map(|figures| figures.len())
    };
    assert_eq!(named("my-maps-2"), Ok(1));
    assert!(named("../maps").unwrap_err().contains("a-z, 0-9 and -"));
    let twice = format!("{0}\n{1}", text("maps"), text("maps").split_once("[[figure]]").unwrap().1);
    assert!(parse("maps", &twice).is_err());
    let unasked = "[[figure]]\nname = \"one\"\ntitle = \"\"\ncaption = \"\"\nbuild = \"grid\"\nscript = \"grid\"";
    assert!(parse("", unasked).unwrap_err().contains("needs a `question`"));
}
