//! The words that the page explains: `docs/glossary.toml`, which the book shows too.

use std::sync::LazyLock;

use serde::Deserialize;

/// A word of the project.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    pub name: String,
    pub meaning: String,
}

#[derive(Deserialize)]
struct Glossary {
    term: Vec<Term>,
}

/// All words, by the alphabet.
pub fn glossary() -> &'static [Term] {
    static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
        let text = include_str!("../../../../docs/glossary.toml");
        toml::from_str::<Glossary>(text).unwrap_or_else(|error| panic!("glossary: {error}")).term
    });
    &TERMS
}

/// What a heading of a table means, its unit and its statistic left out: `overhead (median)`, `fill, %`.
pub(super) fn meaning(heading: &str) -> Option<&'static str> {
    const UNITS: [&str; 5] = ["%", "MiB", "ns", "s", "µs"];
    let word = heading.split(" (").next().unwrap_or_default();
    let word = match word.rsplit_once(", ") {
        Some((word, unit)) if UNITS.contains(&unit) => word,
        _ => word,
    };
    let is_it =
        |term: &&Term| word == term.name || word.strip_suffix('s') == Some(term.name.as_str());
    glossary().iter().find(is_it).map(|term| term.meaning.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_the_page_are_explained() {
        for (heading, known) in [
            ("cell", true),
            ("cells", true),
            ("step", true),
            ("claim", true),
            ("verdict", true),
            ("overhead (median)", true),
            ("after purge, MiB (median)", true),
            ("fill, %", true),
            ("CPU time, s (median)", true),
            // The throughput of a step, not how full a store is.
            ("fill, operations/s (median)", false),
            ("reason", false),
        ] {
            assert_eq!(meaning(heading).is_some(), known, "{heading}");
        }
    }
}
