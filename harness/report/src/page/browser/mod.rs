//! The page in a real browser: it draws, filters and sorts, tells what the pointer is at, and is readable
//! on paper, on a phone and in dark mode.

mod devtools;
mod screens;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::devtools::Browser;
use super::tests::whole;
use crate::figures::all;
use crate::figures::fixture::Folder;

/// The heading of the sorted column: numbers, one of them missing.
const HEADING: &str = "#allocator-bloat .numbers th:nth-child(5) button";

/// A browser, or why there is none.
fn browser(profile: &Folder) -> Option<Browser> {
    match Browser::start(&profile.0) {
        Ok(browser) => Some(browser),
        Err(reason) => {
            eprintln!("skipped: {reason}");
            None
        }
    }
}

/// Opens a report and waits until its drawings are unpacked.
fn open(browser: &mut Browser, page: &Path) -> String {
    let url = format!("file://{}", page.display());
    browser.open(&url);
    assert!(browser.becomes("document.documentElement.dataset.unpacked !== undefined"));
    url
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(whole) = whole() else { return };
    let profile = Folder::new("browser-profile");
    let Some(mut browser) = browser(&profile) else { return };
    browser.resize(1280, 900);
    browser.show_on("screen", "light");
    let url = open(&mut browser, &whole.page);
    draws_every_figure(&mut browser);
    tells_what_the_pointer_is_at(&mut browser);
    hides_a_series(&mut browser);
    filters(&mut browser);
    sorts(&mut browser);
    leads_to_claims(&mut browser);
    fits(&mut browser, 1280);
    let shots = Shots::new(&whole.figures.folder.0);
    contrasts(&mut browser, "light");
    shots.take(&mut browser, "1280-light");
    contrasts(&mut browser, "dark");
    shots.take(&mut browser, "1280-dark");
    browser.resize(390, 844);
    fits(&mut browser, 390);
    shots.take(&mut browser, "390-dark");
    browser.show_on("screen", "light");
    shots.take(&mut browser, "390-light");
    browser.resize(1280, 900);
    prints(&mut browser);
    is_whole_without_scripts(&mut browser, &url);
    asked_for_nothing_and_complained_of_nothing(&browser, &url);
}

/// Every panel becomes a chart when it comes into sight, and what has none shows its drawing.
fn draws_every_figure(browser: &mut Browser) {
    let drawn = browser.evaluate(
        "(async () => { \
         const waits = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5))); \
         const found = []; \
         for (const section of document.querySelectorAll('section.figure')) { \
             for (const more of section.querySelectorAll('.charts > details')) more.open = true; \
             for (const plot of section.querySelectorAll('.plot')) { \
                 plot.scrollIntoView({ block: 'center' }); \
                 for (let turn = 0; turn < 50 && !plot.plot; turn += 1) await waits(); \
             } \
             for (const more of section.querySelectorAll('.charts > details')) more.open = false; \
             const plots = [...section.querySelectorAll('.plot')]; \
             const box = section.querySelector('figure:not(.paper) img')?.getBoundingClientRect(); \
             const image = section.querySelector('figure img'); \
             await image.decode(); \
             found.push([section.id, plots.length, plots.filter((one) => one.plot).length, \
                         image.naturalWidth, box?.height ?? null]); \
         } return found; })()",
    );
    let drawn = drawn.as_array().expect("a list");
    assert_eq!(drawn.len(), all().len());
    let mut charted = 0;
    for figure in drawn {
        assert_eq!(figure[1], figure[2], "panels and charts: {figure}");
        assert!(figure[3].as_f64().is_some_and(|width| width > 0.0), "the drawing: {figure}");
        let is_charted = figure[1].as_u64() > Some(0);
        charted += usize::from(is_charted);
        let seen = figure[4].as_f64().is_some_and(|height| height > 100.0);
        assert!(is_charted != seen, "either chart or drawing: {figure}");
    }
    assert!(charted > 30, "{charted} figures have charts");
}

/// Moves the pointer onto the first point of a chart.
fn tells_what_the_pointer_is_at(browser: &mut Browser) {
    let at = browser.evaluate(
        "(async () => { const holder = document.querySelector('#rivals .plot'); \
         holder.scrollIntoView({ block: 'center' }); \
         await new Promise((done) => setTimeout(done, 300)); \
         const series = holder.chart.series.find((one) => one.role === 'main'); \
         const point = series.points.find((one) => one[1] !== null); \
         const box = holder.plot.over.getBoundingClientRect(); \
         return [box.left + holder.plot.valToPos(point[0], 'x'), \
                 box.top + holder.plot.valToPos(point[1], 'y')]; })()",
    );
    let moved = json!({ "type": "mouseMoved", "x": at[0], "y": at[1] });
    browser.call("Input.dispatchMouseEvent", moved);
    assert!(browser.becomes("!document.getElementById('tip').hidden"), "{at}");
    let told = browser.evaluate("document.getElementById('tip').innerText");
    let told = told.as_str().expect("text");
    for part in ["throughput: ", "Mops/s", "95 % interval", "n = 3", "key-value/"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    browser.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": 2, "y": 2 }));
    assert!(browser.becomes("document.getElementById('tip').hidden"));
}

/// A click on the legend takes a series out of the figure, and another brings it back.
fn hides_a_series(browser: &mut Browser) {
    let count = "document.querySelector('#rivals .plot').plot.series.length";
    let before = browser.evaluate(count).as_u64().expect("a number");
    browser.click("#rivals .legend button");
    assert!(browser.becomes(&format!("{count} === {}", before - 1)));
    browser.click("#rivals .legend button");
    assert!(browser.becomes(&format!("{count} === {before}")));
}

/// What is chosen stays, in charts and tables; figures that have none of it go.
fn filters(browser: &mut Browser) {
    let shown = "document.querySelectorAll('section.figure:not([hidden])').length";
    let before = browser.evaluate(shown).as_u64().expect("a number");
    let choose = |name: &str, value: &str| {
        format!(
            "(() => {{ const labels = [...document.querySelectorAll('#filter label')]; \
             const label = labels.find((one) => one.textContent.trim() === '{value}' \
                                       && one.control.name === '{name}'); \
             label.closest('details').open = true; label.control.id = 'wanted'; return true; }})()"
        )
    };
    browser.evaluate(&choose("store", "ramcloud"));
    browser.click("#wanted");
    let after = browser.evaluate(shown).as_u64().expect("a number");
    assert!(after > 0 && after < before, "{after} of {before} figures");
    let told = browser.evaluate("document.getElementById('filtered').textContent");
    assert_eq!(told, format!("{after} of {before} figures"));
    let kept = browser.evaluate(
        "[...document.querySelectorAll('#rivals .numbers tbody tr:not([hidden])')].map((row) => \
         row.lastElementChild.textContent)",
    );
    let kept = kept.as_array().expect("a list");
    let is_chosen = |cells: &Value| cells.as_str().is_some_and(|text| text.contains("/ramcloud"));
    assert!(!kept.is_empty() && kept.iter().all(is_chosen), "{kept:?}");
    browser.evaluate("document.querySelector('#rivals .plot').scrollIntoView({ block: 'center' })");
    let drawn =
        "document.querySelector('#rivals .plot').plot.series.slice(1).map((one) => one.label)";
    assert!(browser.becomes(&format!("{drawn}.every((name) => name.startsWith('ramcloud'))")));
    browser.click("#filter button[type=reset]");
    assert!(browser.becomes(&format!("{shown} === {before}")));
}

/// The numbers of the sorted column, from the top; `null` where one is missing.
fn column(browser: &mut Browser) -> Vec<Option<f64>> {
    let numbers = browser.evaluate(
        "[...document.querySelectorAll('#allocator-bloat .numbers tbody td:nth-child(5)')].map((field) => \
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
    browser.click("#allocator-bloat .numbers summary");
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
    browser.click("#allocator-bloat .numbers th:nth-child(4) button");
    let systems = browser.evaluate(
        "[...document.querySelectorAll('#allocator-bloat .numbers tbody td:nth-child(4)')].map((field) => \
         field.textContent)",
    );
    let systems: Vec<&str> =
        systems.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(systems.len() > 20 && systems.is_sorted(), "{systems:?}");
}

/// A link to a claim opens what it is folded in.
fn leads_to_claims(browser: &mut Browser) {
    let link = "#allocator-bloat .shown a";
    browser.evaluate("document.querySelector('#allocator-bloat .shown').open = true");
    let is_open = "[...document.querySelectorAll('#claims details')].some((part) => part.open)";
    assert_eq!(browser.evaluate(is_open), false, "claims are folded");
    for _ in 0..2 {
        browser.click(link);
        let in_sight = "(() => { \
             const box = document.querySelector('#claims tr:target').getBoundingClientRect(); \
             return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight; })()";
        assert!(browser.becomes(in_sight), "{link}");
        // The same link once more, after it was folded again.
        browser.evaluate("document.querySelector('#claims details').open = false");
    }
}

/// Nothing on the page is wider than the window, even with everything opened, once charts have followed it.
fn fits(browser: &mut Browser, width: u32) {
    browser.evaluate(
        "document.querySelectorAll('details').forEach((part) => part.open = true); undefined",
    );
    let all_fits = format!("document.documentElement.scrollWidth <= {width}");
    let fits = browser.becomes(&all_fits);
    let widest = browser.evaluate("document.documentElement.scrollWidth");
    let reaching = browser.evaluate(
        "(() => { \
         const scrolls = (part) => part && part !== document.body && \
         (getComputedStyle(part).overflowX !== 'visible' || scrolls(part.parentElement)); \
         return [...document.querySelectorAll('body *')].filter((part) => \
         part.getBoundingClientRect().right + scrollX > innerWidth && !scrolls(part)).map((part) => \
         `${part.tagName} in ${part.closest('[id]')?.id}: ${part.textContent.slice(0, 60)}`).slice(-4); \
         })()",
    );
    assert!(fits, "{widest} at {width}: {reaching}");
}

/// Text stands out from its ground: 4.5 is what the accessibility guidelines ask of small letters.
fn contrasts(browser: &mut Browser, scheme: &str) {
    browser.show_on("screen", scheme);
    let ground = browser.evaluate(&format!("({LUMINANCE})(document.body).ground"));
    let ground = ground.as_f64().expect("a luminance");
    assert!(if scheme == "dark" { ground < 0.1 } else { ground > 0.9 }, "{scheme}: {ground}");
    let lowest = browser.evaluate(&format!(
        "['p', 'a', 'h2', 'th', 'th button', 'td', 'pre', 'summary', '.limits', '.limits li', \
         '.aside', '.run', '.legend button', '#filter button', '.caption', '.holds', '.fails', '.undecided', '.untestable', \
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
         const box = document.querySelector('#allocator-bloat .numbers table').getBoundingClientRect(); \
         const image = document.querySelector('#allocator-bloat figure img').getBoundingClientRect(); \
         return { nav: style('nav').display, mark: style('th button', '::after').content, \
         handle: style('#allocator-bloat summary').listStyleType, numbers: box.height, \
         charts: style('.charts').display, drawing: image.height, \
         figure: style('figure').breakInside, ground: style('body').backgroundColor }; })()",
    );
    assert_eq!((&seen["nav"], &seen["charts"]), (&json!("none"), &json!("none")));
    assert!(seen["drawing"].as_f64().is_some_and(|height| height > 100.0), "{seen}");
    assert_eq!(seen["mark"], "none");
    assert_eq!(seen["handle"], "none");
    assert!(seen["numbers"].as_f64().is_some_and(|height| height > 100.0), "{seen}");
    assert_eq!((&seen["figure"], &seen["ground"]), (&json!("avoid"), &json!("rgb(255, 255, 255)")));
    browser.show_on("screen", "light");
}

/// Without scripts the page has all its numbers, and drawings from beside it; headings are plain.
fn is_whole_without_scripts(browser: &mut Browser, url: &str) {
    let counted = "[document.querySelectorAll('tr').length, \
                   document.querySelectorAll('section summary').length - \
                   document.querySelectorAll('.charts summary').length]";
    let with = browser.evaluate(counted);
    browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    browser.open(url);
    assert_eq!(browser.evaluate(counted), with);
    let plain = "[document.querySelectorAll('th button').length, document.images.length]";
    assert_eq!(browser.evaluate(plain), json!([0, all().len()]));
}

fn asked_for_nothing_and_complained_of_nothing(browser: &Browser, url: &str) {
    let of = |method: &str| {
        let method = method.to_owned();
        browser.events.iter().filter(move |event| event["method"] == method.as_str())
    };
    for request in of("Network.requestWillBeSent") {
        let asked = request["params"]["request"]["url"].as_str().unwrap_or_default();
        let is_beside = asked.contains("/figures/") && asked.starts_with("file:");
        assert!(asked.starts_with("data:") || asked == url || is_beside, "asked for {asked}");
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

    /// The top of the page, its claims, and two figures.
    fn take(&self, browser: &mut Browser, name: &str) {
        for part in ["", "claims", "allocator-bloat", "rivals"] {
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
