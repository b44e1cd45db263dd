//! How much a reader must scroll: the published run's page and that of a small suite of one's own.

use std::path::{Path, PathBuf};

use super::{browser, open};
use crate::figures::fixture::{self, Folder};
use crate::figures::{Drawings, all, draw};
use crate::page::tests::{claims, run};
use crate::page::write;
use record::archive::{self, RunRecord};

/// Heights at a window of 1280 × 900 pixels.
const REFERENCE_MAX: u64 = 25_000;
const OWN_MAX: u64 = 4_000;
const FIRST_SCREEN: f64 = 900.0;
const PHONE_SCREEN: f64 = 844.0;

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference")
}

/// The page of the published run, of its rows and of the drawings that are published with it.
fn of_reference(folder: &Folder) -> PathBuf {
    let (run, rows) = archive::load(&reference()).expect("the published run");
    let wanted: Vec<_> = all().iter().collect();
    let mut drawn = draw(&folder.0, &rows, &wanted, Drawings::LeftOut).expect("tables");
    for drawn in &mut drawn {
        let svg = reference().join(format!("figures/{}.svg", drawn.figure.name));
        if svg.is_file() {
            (drawn.svg, drawn.empty) = (svg, None);
        }
    }
    write(&folder.0, &run, &rows, &drawn, &claims()).expect("a page")
}

/// The page of a suite as users write it.
fn of_own(folder: &Folder, suite: &str) -> PathBuf {
    let rows = fixture::requests::rows_of(suite);
    let question = "What do threads and fill change?".to_owned();
    let own = RunRecord { suites: vec![(suite.to_owned(), question)], ..run("quick") };
    let wanted: Vec<_> = all().iter().collect();
    let drawn = draw(&folder.0, &rows, &wanted, Drawings::LeftOut).expect("a table");
    write(&folder.0, &own, &rows, &drawn, &claims()).expect("a page")
}

#[test]
fn the_answer_is_on_the_first_screen_and_the_page_is_short() {
    let profile = Folder::new("browser-sizes");
    let Some(mut browser) = browser(&profile) else { return };
    browser.show_on("screen", "light");
    let folders = ["reference", "own", "own-fields"].map(|name| (name, Folder::new(name)));
    for (name, folder) in &folders {
        let (page, most) = match *name {
            "reference" => (of_reference(folder), REFERENCE_MAX),
            suite => (of_own(folder, suite), OWN_MAX),
        };
        browser.resize(1280, 900);
        open(&mut browser, &page);
        let seen = browser.evaluate(
            "(() => { const box = (one) => document.querySelector(one).getBoundingClientRect(); \
             return { height: document.documentElement.scrollHeight, \
             findings: document.querySelectorAll('.findings li').length, \
             answer: box('.findings').bottom, figure: box('.headline .panel').bottom }; })()",
        );
        eprintln!("{name}: {seen}");
        assert!(seen["height"].as_u64().is_some_and(|height| height <= most), "{name}: {seen}");
        assert!(seen["findings"].as_u64() >= Some(1), "{name}: {seen}");
        for part in ["answer", "figure"] {
            let bottom = seen[part].as_f64().expect("a number");
            assert!(bottom > 0.0 && bottom <= FIRST_SCREEN, "{name}: {part}: {seen}");
        }
        browser.resize(390, 844);
        let widest = browser.evaluate("document.documentElement.scrollWidth");
        assert!(widest.as_u64() <= Some(390), "{name}: {widest}");
        let ends = browser
            .evaluate("document.querySelector('.headline .plot').getBoundingClientRect().bottom");
        assert!(ends.as_f64().is_some_and(|bottom| bottom <= PHONE_SCREEN), "{name}: {ends}");
    }
}
