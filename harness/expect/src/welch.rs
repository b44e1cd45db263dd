//! Independent processes: Welch's 95 % interval of the difference of mean logarithms, which is one
//! of the ratio of geometric means.

use verdict::student;

use crate::estimate::{Estimate, Interval, Sample};

/// What share of intervals hold what they are intervals of.
const CONFIDENCE: f64 = 0.95;

/// The geometric mean.
pub(crate) fn of(sample: &Sample<'_>) -> Estimate {
    of_logs(logs(sample), Logs { mean: 0.0, error: Some((0.0, None)) })
}

/// The geometric mean of `of` ÷ that of `to`.
pub(crate) fn ratio(of: &Sample<'_>, to: &Sample<'_>) -> Estimate {
    of_logs(logs(of), logs(to))
}

/// What the logarithms of a side are.
struct Logs {
    mean: f64,
    /// The square of the mean's standard error with its degrees of freedom, which what cannot vary
    /// has no need of. `None` of one process.
    error: Option<(f64, Option<f64>)>,
}

fn logs(sample: &Sample<'_>) -> Logs {
    if let Some(value) = sample.exact {
        return Logs { mean: value.ln(), error: Some((0.0, None)) };
    }
    let values = &sample.values;
    let count = values.len() as f64;
    let first = values[0];
    if values.iter().all(|value| *value == first) {
        // Rounding must not give equal values a width.
        let error = (values.len() > 1).then_some((0.0, Some(count - 1.0)));
        return Logs { mean: first.ln(), error };
    }
    let mean = values.iter().map(|value| value.ln()).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value.ln() - mean).powi(2)).sum();
    Logs { mean, error: Some((squares / (count - 1.0) / count, Some(count - 1.0))) }
}

fn of_logs(of: Logs, to: Logs) -> Estimate {
    let difference = of.mean - to.mean;
    let interval = of.error.zip(to.error).map(|(of, to)| {
        let half = half_width(of, to);
        Interval { low: (difference - half).exp(), high: (difference + half).exp().min(f64::MAX) }
    });
    Estimate::new(difference.exp(), interval)
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
