//! Centres of processes with their 95 % intervals: Welch's method, of rows.

use stats::{Interval, WelchSide, welch_mean, welch_ratio};

use crate::Summary;

/// The values of one metric in one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    values: &'a [f64],
    /// The value, where it cannot vary.
    exact: Option<f64>,
}

impl<'a> Sample<'a> {
    /// Why not, of a row that has no numbers of `metric`, or such that have no logarithm.
    pub(crate) fn new(row: &'a Summary, metric: &str) -> Result<Self, String> {
        let values = row.metrics.get(metric).map(Vec::as_slice).unwrap_or_default();
        let Some(first) = values.first() else {
            return Err(match &row.absent {
                Some(reason) if !reason.trim().is_empty() => reason.trim().to_owned(),
                _ => format!("no values of {metric}"),
            });
        };
        let exact = row.exact && values.iter().all(|value| value == first);
        let exact = exact.then_some(*first).filter(|value| value.is_finite());
        let wrong = values.iter().find(|value| !(value.is_finite() && **value > 0.0));
        match wrong {
            Some(value) if exact.is_none() => {
                Err(format!("{metric} is {value}, and only positive numbers can be compared"))
            }
            _ => Ok(Self { values, exact }),
        }
    }

    /// Processes.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// The geometric mean.
    pub(crate) fn estimate(&self) -> Interval {
        welch_mean(self.side()).expect("values were checked")
    }

    /// The geometric mean ÷ that of `to`. `None` where an exact 0 has no logarithm.
    pub(crate) fn ratio(&self, to: &Sample<'_>) -> Option<Interval> {
        welch_ratio(self.side(), to.side())
    }

    fn side(&self) -> WelchSide<'a> {
        match self.exact {
            Some(value) => WelchSide::Exact(value, self.values.len()),
            None => WelchSide::Processes(self.values),
        }
    }
}
