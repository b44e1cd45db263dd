//! Metrics by name, and the values that a row has of them.

use std::borrow::Cow;

use stats::Prior;

use crate::looks::{SPREAD_OF_MEMORY, SPREAD_OF_RATES};
use crate::{Metric, Summary, Unit};

impl Metric {
    /// The metric `name`, or the quotient `ABOVE / BELOW` of two counters. `None` of a name that no
    /// metric has.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (unit, quotient) = match name.split_once(" / ") {
            None => (Unit::of_metric(name)?, None),
            Some((above, below)) => {
                let both = [above, below];
                let named = both.iter().all(|counter| is_counter(counter));
                (Unit::PerPiece, Some(named.then(|| both.map(str::to_owned))?))
            }
        };
        Some(Self { name: name.to_owned(), unit, quotient })
    }

    /// How far processes differ in it, if that is known before: of throughput, its inverses and CPU time,
    /// which vary alike (0.13 and 0.13 over 137 cells), of the middle of latencies, and of memory. The far ends of latencies vary more than is known.
    pub(crate) fn prior(&self) -> Option<Prior> {
        if self.is_memory() {
            return Some(SPREAD_OF_MEMORY);
        }
        let is_middle = ["p50-ns", "p90-ns"].iter().any(|middle| self.name.ends_with(middle));
        let is_rate = matches!(self.name.as_str(), "throughput" | "elapsed-s" | "cpu-ns");
        (is_rate || is_middle).then_some(SPREAD_OF_RATES)
    }

    /// Whether it is memory ÷ what is kept there.
    pub(crate) fn is_memory(&self) -> bool {
        self.quotient.is_none() && self.name.starts_with("overhead")
    }

    /// Its values in `row`, with their rounds if it was measured in rounds.
    ///
    /// # Errors
    ///
    /// Why there are no values.
    pub(crate) fn values<'a>(&self, row: &'a Summary) -> Result<Values<'a>, String> {
        let rounds = || row.rounds.iter().map(String::as_str);
        let repetitions = |values: &[f64]| {
            let all: Option<Vec<u32>> = row.cells.iter().map(|id| repetition_of(id)).collect();
            all.filter(|all| all.len() == values.len())
        };
        let Some([above, below]) = &self.quotient else {
            let values = named(row, &self.name)?;
            return Ok(Values {
                values: Cow::Borrowed(values),
                rounds: rounds().collect(),
                repetitions: repetitions(values).unwrap_or_default(),
                nodes: nodes(row, self, values.len())?,
            });
        };
        let (above, below_values) = (named(row, above)?, named(row, below)?);
        let counts = |at: &usize| below_values[*at] > 0.0;
        let places: Vec<usize> = (0..above.len().min(below_values.len())).filter(counts).collect();
        if places.is_empty() {
            return Err(format!("`{below}` did not grow"));
        }
        let values = places.iter().map(|at| above[*at] / below_values[*at]).collect();
        let rounds: Vec<&str> = rounds().collect();
        let rounds = places.iter().filter_map(|at| rounds.get(*at).copied()).collect();
        let nodes = nodes(row, self, above.len())?;
        let nodes = places.iter().filter_map(|at| nodes.get(*at).copied()).collect();
        Ok(Values { values: Cow::Owned(values), rounds, repetitions: Vec::new(), nodes })
    }
}

/// A row's values of a metric.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) values: Cow<'a, [f64]>,
    pub(crate) rounds: Vec<&'a str>,
    /// The repetition of each value; empty if some have none.
    pub(crate) repetitions: Vec<u32>,
    /// The node of each value; empty where one node measured all.
    pub(crate) nodes: Vec<&'a str>,
}

/// The nodes of a metric's `count` values.
///
/// # Errors
///
/// Some processes have no value: whose the others are cannot be told.
fn nodes<'a>(row: &'a Summary, metric: &Metric, count: usize) -> Result<Vec<&'a str>, String> {
    match row.nodes.len() {
        0 => Ok(Vec::new()),
        known if known == count => Ok(row.nodes.iter().map(String::as_str).collect()),
        known => Err(format!("{count} values of {} from {known} processes on nodes", metric.name)),
    }
}

/// The number behind the last `/` of a cell's id.
fn repetition_of(id: &str) -> Option<u32> {
    id.rsplit_once('/')?.1.parse().ok()
}

fn named<'a>(row: &'a Summary, name: &str) -> Result<&'a [f64], String> {
    match row.metrics.get(name) {
        Some(values) if !values.is_empty() => Ok(values),
        _ => Err(match &row.absent {
            Some(reason) if !reason.trim().is_empty() => reason.trim().to_owned(),
            _ => format!("no values of {name}"),
        }),
    }
}

/// Whether a store may call a counter so.
fn is_counter(name: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    };
    !name.is_empty() && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_names_two_counters() {
        let metric = Metric::parse("copied_bytes / appended_bytes").unwrap();
        assert_eq!(metric.unit, Unit::PerPiece);
        assert_eq!(metric.quotient.unwrap(), ["copied_bytes", "appended_bytes"]);
        for wrong in ["copied_bytes", "copied_bytes / ", "a/b", "a / b / c", "A / b"] {
            assert!(Metric::parse(wrong).is_none(), "{wrong}");
        }
    }
}
