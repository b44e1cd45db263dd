//! The page in a real browser: it draws, sorts, its links work, and it is readable on paper, on a
//! phone and in dark mode.

mod devtools;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::devtools::Browser;
use super::tests::whole;
use crate::figures::all;
use crate::figures::fixture::Folder;

/// The heading of the sorted column: numbers, one of them missing.
const HEADING: &str = "#allocator-bloat th:nth-child(5) button";

#[test]
fn the_page_works_in_a_browser() {
    let Some(whole) = whole() else { return };
    let profile = Folder::new("browser-profile");
    let mut browser = match Browser::start(&profile.0) {
        Ok(browser) => browser,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let url = format!("file://{}", whole.page.display());
    browser.resize(1280, 900);
    browser.show_on("screen", "light");
    browser.open(&url);
    draws_every_figure(&mut browser);
    sorts(&mut browser);
    leads_to_cells(&mut browser);
    fits(&mut browser, 1280);
    let shots = Shots::new(&whole.folder.0);
    contrasts(&mut browser, "light");
    shots.take(&mut browser, "1280-light");
    contrasts(&mut browser, "dark");
    shots.take(&mut browser, "1280-dark");
    browser.resize(360, 740);
    fits(&mut browser, 360);
    shots.take(&mut browser, "360-dark");
    browser.show_on("screen", "light");
    shots.take(&mut browser, "360-light");
    browser.resize(1280, 900);
    prints(&mut browser);
    is_whole_without_scripts(&mut browser, &url);
    asked_for_nothing_and_complained_of_nothing(&browser, &url);
}

fn draws_every_figure(browser: &mut Browser) {
    let images = browser.evaluate(
        "Promise.all([...document.querySelectorAll('figure img')].map(async (image) => { \
         await image.decode(); const box = image.getBoundingClientRect(); \
         return [image.alt, image.naturalWidth, box.width, box.height]; }))",
    );
    let images = images.as_array().expect("a list");
    assert_eq!(images.len(), all().len());
    for image in images {
        let size = |place: usize| image[place].as_f64().unwrap_or(0.0);
        assert!(size(1) > 0.0 && size(2) > 100.0 && size(3) > 100.0, "{image}");
    }
}

/// The numbers of the sorted column, from the top; `null` where one is missing.
fn column(browser: &mut Browser) -> Vec<Option<f64>> {
    let numbers = browser.evaluate(
        "[...document.querySelectorAll('#allocator-bloat tbody td:nth-child(5)')].map((field) => \
         parseFloat(field.dataset.value ?? field.textContent))",
    );
    numbers.as_array().expect("a list").iter().map(Value::as_f64).collect()
}

/// Asserts that the column rises or falls, and that what is missing stands at its end.
fn is_sorted(browser: &mut Browser, order: &str) {
    let column = column(browser);
    let numbers: Vec<f64> = column.iter().map_while(|number| *number).collect();
    assert!(numbers.len() > 20 && numbers.len() < column.len(), "{column:?}");
    assert!(column[numbers.len()..].iter().all(Option::is_none), "{column:?}");
    let sorted = match order {
        "ascending" => numbers.is_sorted(),
        _ => numbers.iter().rev().is_sorted(),
    };
    assert!(sorted, "{order}: {numbers:?}");
    let told = browser.evaluate("document.querySelector('#allocator-bloat [aria-sort]').ariaSort");
    assert_eq!(told, order);
}

fn sorts(browser: &mut Browser) {
    browser.click("#allocator-bloat summary");
    browser.click(HEADING);
    is_sorted(browser, "ascending");
    browser.click(HEADING);
    is_sorted(browser, "descending");
    browser.evaluate(&format!("document.querySelector('{HEADING}').focus()"));
    browser.press("Enter", 13, "\r");
    is_sorted(browser, "ascending");
    browser.press(" ", 32, " ");
    is_sorted(browser, "descending");
    // Words sort by words, and numbers within them by size.
    browser.click("#allocator-bloat th:nth-child(4) button");
    let systems = browser.evaluate(
        "[...document.querySelectorAll('#allocator-bloat tbody td:nth-child(4)')].map((field) => \
         field.textContent)",
    );
    let systems: Vec<&str> =
        systems.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(systems.len() > 20 && systems.is_sorted(), "{systems:?}");
}

/// A link to a cell opens the appendix and shows the cell's first row.
fn leads_to_cells(browser: &mut Browser) {
    let is_open = "document.querySelector('#cells details').open";
    for link in ["#allocator-bloat tbody a", "#claims details a"] {
        browser.evaluate(
            "document.querySelector('#cells details').open = false; \
             document.querySelectorAll('#claims details').forEach((part) => part.open = true);",
        );
        browser.click(link);
        assert!(browser.becomes(is_open), "{link}");
        let target = browser.evaluate(&format!(
            "document.getElementById(document.querySelector('{link}').hash.slice(1)).cells[0].textContent"
        ));
        assert!(target.as_str().is_some_and(|id| id.starts_with("fragmentation/")), "{target}");
        let in_sight = "(() => { \
             const box = document.querySelector('tr:target').getBoundingClientRect(); \
             return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight; })()";
        assert!(browser.becomes(in_sight), "{link} is in sight");
    }
    // The same link once more, after the appendix was closed.
    browser.evaluate("document.querySelector('#cells details').open = false");
    browser.click("#claims details a");
    assert!(browser.becomes(is_open));
}

/// Nothing on the page is wider than the window, even with everything opened.
fn fits(browser: &mut Browser, width: u32) {
    let widest = browser.evaluate(
        "document.querySelectorAll('details').forEach((part) => part.open = true); \
         document.documentElement.scrollWidth",
    );
    assert!(widest.as_u64().is_some_and(|widest| widest <= width.into()), "{widest} at {width}");
}

/// Text stands out from its ground: 4.5 is what the accessibility guidelines ask of small letters.
fn contrasts(browser: &mut Browser, scheme: &str) {
    browser.show_on("screen", scheme);
    let ground = browser.evaluate(&format!("({LUMINANCE})(document.body).ground"));
    let ground = ground.as_f64().expect("a luminance");
    assert!(if scheme == "dark" { ground < 0.1 } else { ground > 0.9 }, "{scheme}: {ground}");
    let lowest = browser.evaluate(&format!(
        "['p', 'a', 'h2', 'th', 'th button', 'td', 'pre', 'summary', '.notice', '.notice li', \
         '.aside', '.aside a', '.caption', '.holds', '.fails', '.undecided', '.untestable', \
         'tr:target td', 'tr:target a'].map((selector) => {{ \
         const {{ ink, ground }} = ({LUMINANCE})(document.querySelector(selector) ?? document.body); \
         const [low, high] = [ink, ground].sort((a, b) => a - b); \
         return [(high + 0.05) / (low + 0.05), selector]; }}).sort((a, b) => a[0] - b[0])[0]"
    ));
    assert!(lowest[0].as_f64().is_some_and(|contrast| contrast >= 4.5), "{scheme}: {lowest}");
}

/// The luminance of an element's letters, and of the first ground behind them.
const LUMINANCE: &str = "(element) => { \
    const luminance = (colour) => { \
        const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255) \
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); \
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]; }; \
    let behind = element; \
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement; \
    return { ink: luminance(getComputedStyle(element).color), \
             ground: luminance(getComputedStyle(behind).backgroundColor) }; }";

/// On paper there are no buttons, and closed parts are printed too.
fn prints(browser: &mut Browser) {
    browser.evaluate(
        "document.querySelectorAll('details').forEach((part) => part.open = false); null",
    );
    browser.show_on("print", "light");
    let seen = browser.evaluate(
        "(() => { const style = (one, part) => getComputedStyle(document.querySelector(one), part); \
         const box = document.querySelector('#allocator-bloat details table').getBoundingClientRect(); \
         return { nav: style('nav').display, mark: style('th button', '::after').content, \
         handle: style('#allocator-bloat summary').listStyleType, numbers: box.height, \
         figure: style('figure').breakInside, ground: style('body').backgroundColor }; })()",
    );
    assert_eq!(seen["nav"], "none");
    assert_eq!(seen["mark"], "none");
    assert_eq!(seen["handle"], "none");
    assert!(seen["numbers"].as_f64().is_some_and(|height| height > 100.0), "{seen}");
    assert_eq!((&seen["figure"], &seen["ground"]), (&json!("avoid"), &json!("rgb(255, 255, 255)")));
    browser.show_on("screen", "light");
}

/// Without scripts the page has all its content, and headings are plain.
fn is_whole_without_scripts(browser: &mut Browser, url: &str) {
    let counted = "[document.querySelectorAll('tr').length, document.images.length, \
                   document.querySelectorAll('summary').length]";
    let with = browser.evaluate(counted);
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.open(url);
    assert_eq!(browser.evaluate(counted), with);
    assert_eq!(browser.evaluate("document.querySelectorAll('button').length"), 0);
}

fn asked_for_nothing_and_complained_of_nothing(browser: &Browser, url: &str) {
    let of = |method: &str| {
        let method = method.to_owned();
        browser.events.iter().filter(move |event| event["method"] == method.as_str())
    };
    for request in of("Network.requestWillBeSent") {
        let asked = request["params"]["request"]["url"].as_str().unwrap_or_default();
        assert!(asked.starts_with("data:") || asked == url, "asked for {asked}");
    }
    assert!(of("Network.requestWillBeSent").count() >= 2, "the page, twice");
    for kind in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
        let complaints: Vec<&Value> = of(kind).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// Where screenshots are kept: `NIBBLE_SCREENSHOTS`, or the test's folder, which goes with it.
struct Shots(PathBuf);

impl Shots {
    fn new(folder: &Path) -> Self {
        let kept = std::env::var_os("NIBBLE_SCREENSHOTS").map(PathBuf::from);
        let folder = kept.unwrap_or_else(|| folder.join("screenshots"));
        fs::create_dir_all(&folder).expect("a folder for screenshots");
        Self(folder)
    }

    /// The top of the page, its claims, a figure, and the appendix.
    fn take(&self, browser: &mut Browser, name: &str) {
        for part in ["", "claims", "allocator-bloat", "cells"] {
            let place = if part.is_empty() { "body" } else { &format!("#{part}") };
            browser.evaluate(&format!("document.querySelector('{place}').scrollIntoView()"));
            let png = browser.screenshot();
            assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{name} {part}");
            let part = if part.is_empty() { "top" } else { part };
            let path = self.0.join(format!("report-{name}-{part}.png"));
            fs::write(&path, png).expect("a screenshot");
            eprintln!("screenshot: {}", path.display());
        }
    }
}
