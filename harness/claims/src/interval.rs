//! Centres of processes with their 95 % intervals: Welch's interval of the difference of mean
//! logarithms, which is one of the ratio of geometric means.

use verdict::student;

use crate::Summary;

/// What share of intervals hold what they are intervals of.
const CONFIDENCE: f64 = 0.95;

/// From where to where a value may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A value with what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    /// `None` of a side with one process whose values are not exact.
    pub(crate) interval: Option<Interval>,
}

impl Estimate {
    fn point(value: f64) -> Self {
        Self { value, interval: Some(Interval { low: value, high: value }) }
    }
}

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
    pub(crate) fn estimate(&self) -> Estimate {
        if let Some(value) = self.exact {
            return Estimate::point(value);
        }
        of_logs(self.logs(), Logs { mean: 0.0, error: Some((0.0, None)) })
    }

    /// The geometric mean ÷ that of `to`. `None` where an exact 0 has no logarithm.
    pub(crate) fn ratio(&self, to: &Sample<'_>) -> Option<Estimate> {
        match (self.exact, to.exact) {
            (_, Some(0.0)) => None,
            (Some(of), Some(to)) => Some(Estimate::point(of / to)),
            (Some(0.0), None) => None,
            _ => Some(of_logs(self.logs(), to.logs())),
        }
    }

    fn logs(&self) -> Logs {
        if let Some(value) = self.exact {
            return Logs { mean: value.ln(), error: Some((0.0, None)) };
        }
        let count = self.values.len() as f64;
        let first = self.values[0];
        if self.values.iter().all(|value| *value == first) {
            // Rounding must not give equal values a width.
            let error = (self.values.len() > 1).then_some((0.0, Some(count - 1.0)));
            return Logs { mean: first.ln(), error };
        }
        let mean = self.values.iter().map(|value| value.ln()).sum::<f64>() / count;
        let squares: f64 = self.values.iter().map(|value| (value.ln() - mean).powi(2)).sum();
        Logs { mean, error: Some((squares / (count - 1.0) / count, Some(count - 1.0))) }
    }
}

/// What the logarithms of a side are.
struct Logs {
    mean: f64,
    /// The square of the mean's standard error with its degrees of freedom, which what cannot vary
    /// has no need of. `None` of one process.
    error: Option<(f64, Option<f64>)>,
}

fn of_logs(of: Logs, to: Logs) -> Estimate {
    let difference = of.mean - to.mean;
    let interval = of.error.zip(to.error).map(|(of, to)| {
        let half = half_width(of, to);
        Interval { low: (difference - half).exp(), high: (difference + half).exp().min(f64::MAX) }
    });
    Estimate { value: difference.exp(), interval }
}

/// Half of Welch's interval, the degrees of freedom after Welch and Satterthwaite.
fn half_width(of: (f64, Option<f64>), to: (f64, Option<f64>)) -> f64 {
    let sum = of.0 + to.0;
    if sum == 0.0 {
        return 0.0;
    }
    let part = |(square, freedom): (f64, Option<f64>)| {
        freedom.map_or(0.0, |freedom| square * square / freedom)
    };
    student(CONFIDENCE, sum * sum / (part(of) + part(to))) * sum.sqrt()
}
