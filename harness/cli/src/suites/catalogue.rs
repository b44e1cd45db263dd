//! The suites that come with the program. They are compiled in, so the program works from any
//! folder; a path to a `.toml` file works as well.

use std::path::Path;

use super::suite::{Suite, SuiteError};
use record::unknown_name;
use report::suites::BUILT_IN;

/// Names of the built-in suites, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.into_iter()
}

/// The built-in suite `name`.
///
/// # Panics
/// When the suite's file is broken, which a test excludes.
#[must_use]
pub fn built_in(name: &str) -> Option<Suite> {
    let (name, text) = BUILT_IN.iter().find(|(candidate, _)| *candidate == name)?;
    Some(Suite::parse(&format!("{name}.toml"), text).expect("a built-in suite parses"))
}

/// The built-in suite of that name, or the file at that path.
///
/// # Errors
/// What is wrong with the name or the file.
pub fn load(name_or_path: &str) -> Result<Suite, SuiteError> {
    if let Some(suite) = built_in(name_or_path) {
        return Ok(suite);
    }
    let fail = |message: String| SuiteError { file: name_or_path.to_owned(), message };
    let looks_like_path = name_or_path.contains('/') || name_or_path.ends_with(".toml");
    if !looks_like_path {
        let message = unknown_name("suite", name_or_path, names());
        return Err(SuiteError { file: "nibble-bench".to_owned(), message });
    }
    let text = std::fs::read_to_string(Path::new(name_or_path))
        .map_err(|error| fail(format!("cannot be read: {error}")))?;
    Suite::parse(name_or_path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_suite_parses_and_asks_something() {
        for name in names() {
            let suite = built_in(name).unwrap();
            assert_eq!(suite.name, name);
            assert!(suite.question.ends_with('?'), "{name}: {}", suite.question);
        }
    }

    #[test]
    fn what_tests_the_gate_asks_what_the_gate_asks() {
        let gate = built_in("gate").unwrap().key_value;
        let mut power = built_in("power").unwrap().key_value;
        assert_eq!((gate.len(), power.len()), (6, 6));
        for (grid, other) in power.iter_mut().zip(&gate) {
            // Baseline files need what memory alone costs, the tester does not.
            grid.roofline = other.roofline;
            assert_ne!(grid.stores, other.stores);
            for store in &mut grid.stores {
                *store = store.replace("hindered", "nibble");
            }
        }
        assert_eq!(power, gate);
    }

    #[test]
    fn unknown_suites_get_near_matches() {
        let message = load("alocator-bloat").unwrap_err().to_string();
        assert!(message.contains("did you mean allocator-bloat"), "{message}");
        let message = load("missing/file.toml").unwrap_err().to_string();
        assert!(message.contains("cannot be read"), "{message}");
    }
}
