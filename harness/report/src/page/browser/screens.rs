//! Screenshots of the first screen of a report, for the book: `scripts/screens`.

use std::fs;
use std::path::{Path, PathBuf};

use super::{browser, open};
use crate::figures::fixture::Folder;

/// Which report; the published one where it is not set.
const REPORT: &str = "NIBBLE_REPORT";
/// Where pictures go; the folder of the book where it is not set.
const SCREENS: &str = "NIBBLE_SCREENS";

fn given(name: &str, otherwise: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::var_os(name).map_or_else(|| root.join(otherwise), PathBuf::from)
}

#[test]
#[ignore = "writes pictures: scripts/screens runs this"]
fn the_first_screen_is_pictured() {
    let profile = Folder::new("browser-screens");
    let mut browser = browser(&profile).expect("a browser");
    let page = given(REPORT, "results/reference/report.html");
    let page = page.canonicalize().expect("a report");
    let folder = given(SCREENS, "docs/src/screens");
    fs::create_dir_all(&folder).expect("a folder");
    for (width, height) in [(1280, 900), (390, 844)] {
        for scheme in ["light", "dark"] {
            browser.resize(width, height);
            browser.show_on("screen", scheme);
            open(&mut browser, &page);
            let first = "document.querySelector('.headline .plot')";
            assert!(browser.becomes(&format!("{first} === null || {first}.plot !== undefined")));
            browser.evaluate("new Promise((done) => setTimeout(done, 300))");
            let path = folder.join(format!("report-{width}-{scheme}.png"));
            fs::write(&path, browser.screenshot()).expect("a picture");
            println!("{}", path.display());
        }
    }
}
