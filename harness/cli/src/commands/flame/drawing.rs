//! Folded stacks as a drawing, and in a sentence.

use std::collections::BTreeMap;

use inferno::flamegraph::{self, Options};
use record::Cell;
use serde::Serialize;

/// Functions that are named.
const NAMED: usize = 3;

/// The flamegraph of `stacks`.
///
/// # Errors
/// What is wrong with them.
pub(super) fn svg(cell: &Cell, stacks: &str, sampler: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    options.title = cell.id.clone();
    options.subtitle = Some(format!(
        "processor time of the measured steps, sampled {} times a second by {sampler}",
        worker::FREQUENCY_HZ
    ));
    // The same stacks give the same drawing.
    options.hash = true;
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, stacks.lines(), &mut svg)
        .map_err(|error| format!("drawing the stacks: {error}"))?;
    Ok(svg)
}

/// How many samples there are, and in which functions most of them are.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Summary {
    samples: u64,
    /// The functions with most samples, the most frequent first.
    functions: Vec<Function>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Function {
    name: String,
    percent: f64,
}

impl Summary {
    /// Of folded `stacks`: each sample counts for its innermost function.
    pub(super) fn of(stacks: &str) -> Self {
        let mut functions: BTreeMap<&str, u64> = BTreeMap::new();
        for (stack, count) in stacks.lines().filter_map(|line| line.rsplit_once(' ')) {
            let innermost = stack.rsplit(';').next().unwrap_or(stack);
            *functions.entry(innermost).or_default() += count.parse().unwrap_or(0);
        }
        let samples: u64 = functions.values().sum();
        let mut most: Vec<(&str, u64)> = functions.into_iter().collect();
        most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let function = |&(name, count): &(&str, u64)| Function {
            name: name.to_owned(),
            percent: count as f64 * 100.0 / samples.max(1) as f64,
        };
        Self { samples, functions: most.iter().take(NAMED).map(function).collect() }
    }

    pub(super) fn words(&self) -> String {
        let named = self.functions.iter().map(|one| format!("{} {:.0} %", one.name, one.percent));
        format!("{} samples, most in {}", self.samples, named.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACKS: &str = "worker;run;get 30\nworker;run;put;copy 60\nworker;other;get 10\n";

    #[test]
    fn stacks_are_counted_by_their_innermost_function() {
        assert_eq!(Summary::of(STACKS).words(), "100 samples, most in copy 60 %, get 40 %");
    }

    #[test]
    fn the_drawing_has_title_and_functions_and_is_the_same_each_time() {
        let cell = record::made_up::sample_cells().remove(4);
        let draw = || svg(&cell, STACKS, "perf").unwrap();
        let text = String::from_utf8(draw()).unwrap();
        assert!(text.contains("<svg ") && text.contains("copy (60 samples"), "{text}");
        assert!(text.contains(&cell.id), "{}", cell.id);
        assert_eq!(draw(), draw());
        assert!(svg(&cell, "no counts", "perf").is_err());
    }
}
