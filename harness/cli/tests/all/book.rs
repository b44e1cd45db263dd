//! The documents: every link leads somewhere, the book lists every page, the glossary is one, the
//! README stays short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{read, root};

/// Every Markdown file of the workspace.
fn documents() -> Vec<PathBuf> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            // Runs other than the published one come and go.
            let skipped = name.starts_with('.')
                || name == "target"
                || (folder.ends_with("results") && path.is_dir() && name != "reference");
            if path.is_dir() && !skipped {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&root(), &mut files);
    files
}

/// `text` without fenced blocks and without what stands in back quotes.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // What is quoted stands at odd places.
            for (place, part) in line.split('`').enumerate() {
                kept += if place % 2 == 0 { part } else { "`" };
            }
            kept.push('\n');
        }
    }
    kept
}

/// Targets of the links and pictures in `text`.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.map(str::to_owned).collect()
}

/// The names by which a page's headings can be linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let name = |heading: &str| -> String {
        let kept = |one: char| one.is_alphanumeric() || " -_".contains(one);
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words.chars().filter(|one| kept(*one)).collect::<String>().replace(' ', "-")
    };
    headings.map(name).collect()
}

/// What is wrong with a link of the file `from`.
fn broken(from: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, at)| (path, Some(at)));
    let to = match path {
        "" => from.to_owned(),
        path => from.parent().expect("a file is in a folder").join(path),
    };
    if !to.exists() {
        return Some(format!("{}: {link} is not there", from.display()));
    }
    let anchor = anchor?;
    let text = fs::read_to_string(&to).unwrap_or_default();
    let found = anchors(&text).contains(anchor);
    (!found).then(|| format!("{}: {link} names no heading", from.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents();
    assert!(documents.len() > 30, "{} documents", documents.len());
    let mut count = 0;
    let mut wrong = Vec::new();
    for from in documents {
        let text = fs::read_to_string(&from).expect("a document");
        for link in links(&text) {
            count += 1;
            wrong.extend(broken(&from, &link));
        }
    }
    assert!(count > 50, "{count} links");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn broken_links_are_found() {
    let book = root().join("docs/src/method.md");
    assert!(broken(&book, "no-such-page.md").is_some());
    assert!(broken(&book, "requests.md#no-such-heading").is_some());
    assert!(broken(&book, "requests.md#values-prove-themselves").is_none());
    assert_eq!(links("a [b](c.md), `[d](e)`\n```\n[f](g)\n```\n![h](i.svg)"), ["c.md", "i.svg"]);
}

/// mdBook turns `.md` in every link into `.html`, which exists for pages alone.
#[test]
fn pages_link_to_no_document_outside_of_the_book() {
    for page in documents().iter().filter(|path| path.starts_with(root().join("docs/src"))) {
        let text = fs::read_to_string(page).expect("a page");
        let outside = |link: &String| link.starts_with("../") && link.ends_with(".md");
        let wrong: Vec<String> = links(&text).into_iter().filter(outside).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}; name the path instead", page.display());
    }
}

#[test]
fn the_book_lists_every_page() {
    let listed: BTreeSet<String> = links(&read("docs/src/SUMMARY.md")).into_iter().collect();
    let pages = fs::read_dir(root().join("docs/src")).expect("the book").flatten();
    let pages: BTreeSet<String> = pages
        .map(|page| page.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    let differ: Vec<&String> = listed.symmetric_difference(&pages).collect();
    assert!(differ.is_empty(), "in docs/src/ or in its SUMMARY.md, and not in both: {differ:?}");
}

#[test]
fn the_glossary_of_the_book_is_that_of_the_table() {
    let terms = report::page::glossary();
    let names: Vec<String> = terms.iter().map(|term| term.name.to_lowercase()).collect();
    assert!(names.is_sorted(), "terms stand in the order of the alphabet");
    let lines: Vec<String> =
        terms.iter().map(|term| format!("| **{}** | {} |", term.name, term.meaning)).collect();
    let page = read("docs/src/glossary.md");
    let shown: Vec<&str> = page.lines().filter(|line| line.starts_with("| **")).collect();
    for (shown, line) in shown.iter().zip(&lines) {
        assert_eq!(shown, line, "left: docs/src/glossary.md, right: docs/glossary.toml");
    }
    assert_eq!(shown.len(), lines.len(), "lines of docs/src/glossary.md, terms of its table");
}

#[test]
fn the_readme_is_short_and_begins_with_what_to_do() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 120, "{} lines", readme.lines().count());
    for command in ["scripts/reproduce ", "scripts/test "] {
        let line = readme.lines().position(|line| line.starts_with(command));
        assert!(line.is_some_and(|line| line < 25), "{command}stands at {line:?}");
    }
}
