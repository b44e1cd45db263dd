//! Welch's interval on logarithms: geometric means and their ratio.
//!
//! *Source*: Welch 1947, with the degrees of freedom after Welch and Satterthwaite. *Assumes* that
//! processes are independent and differ by log-normal factors; the two sides may differ in number
//! and in spread. Where few processes were measured, what is known of other cells' spread may moderate
//! theirs (Smyth 2004).

use crate::student::student;
use crate::{Interval, Method, spread};

/// One side: what is known of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WelchSide<'a> {
    /// One positive value a process.
    Processes(&'a [f64]),
    /// The same, and how far processes of other cells differ.
    Moderated(&'a [f64], Prior),
    /// An exact number, and how many processes it stands for.
    Exact(f64, usize),
}

/// What is known before of how far processes differ. Variances of cells are taken to be drawn from one
/// scaled inverse χ² distribution. *Source*: Smyth, "Linear models and empirical Bayes methods for
/// assessing differential expression", 2004.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The typical deviation of a process's logarithm.
    pub deviation: f64,
    /// How many degrees of freedom it counts for beside the processes' own.
    pub freedom: f64,
}

impl Prior {
    /// The same of the ratio of two processes.
    #[must_use]
    pub fn of_ratio(self) -> Self {
        Self { deviation: self.deviation * std::f64::consts::SQRT_2, ..self }
    }
}

/// The geometric mean of one side, with an interval that holds the true one in a share `level` of all
/// cases. With one process, and no prior, it is that value, without a level.
///
/// `None` of no values, or of values that are not positive numbers.
#[must_use]
pub fn welch_mean(of: WelchSide<'_>, level: f64) -> Option<Interval> {
    if let WelchSide::Exact(value, count) = of {
        return Some(Interval::exact(value, count));
    }
    let logs = Logs::of_side(of)?;
    let none = Logs { mean: 0.0, error: Some((0.0, None)), count: logs.count };
    Some(difference(&logs, &none, level))
}

/// The geometric mean of `of` ÷ that of `to`, with its interval at `level`. Where a side has one process
/// and no prior, the ratio has no level.
///
/// `None` where an exact number has no ratio to the other side, and where [`welch_mean`] has none.
#[must_use]
pub fn welch_ratio(of: WelchSide<'_>, to: WelchSide<'_>, level: f64) -> Option<Interval> {
    if let (WelchSide::Exact(of, count), WelchSide::Exact(to, count_to)) = (of, to) {
        return (to != 0.0).then(|| Interval::exact(of / to, count.min(count_to)));
    }
    Some(difference(&Logs::of_side(of)?, &Logs::of_side(to)?, level))
}

/// Mean and error of a side's logarithms.
struct Logs {
    mean: f64,
    /// The square of the mean's standard error with its degrees of freedom; an exact number needs
    /// none. `None` for one process without a prior.
    error: Option<(f64, Option<f64>)>,
    count: usize,
}

impl Logs {
    fn of_side(side: WelchSide<'_>) -> Option<Self> {
        match side {
            WelchSide::Processes(values) => Self::of(values),
            WelchSide::Moderated(values, prior) => Some(Self::of(values)?.moderated(prior)),
            WelchSide::Exact(value, _) if !(value.is_finite() && value > 0.0) => None,
            WelchSide::Exact(value, count) => {
                Some(Self { mean: value.ln(), error: Some((0.0, None)), count })
            }
        }
    }

    fn of(values: &[f64]) -> Option<Self> {
        if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
            return None;
        }
        let range = spread(values)?;
        let count = values.len() as f64;
        if range.low == range.high {
            // Rounding must not give equal values a width.
            let error = (values.len() > 1).then_some((0.0, Some(count - 1.0)));
            return Some(Self { mean: values[0].ln(), error, count: values.len() });
        }
        let mean = values.iter().map(|value| value.ln()).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value.ln() - mean).powi(2)).sum();
        let error = Some((squares / (count - 1.0) / count, Some(count - 1.0)));
        Some(Self { mean, error, count: values.len() })
    }

    /// With the variance that prior and processes have together, each by its degrees of freedom. Of one
    /// process only the prior is known.
    fn moderated(self, prior: Prior) -> Self {
        let (square, freedom) = match self.error {
            Some((square, Some(freedom))) => (square, freedom),
            Some((_, None)) => return self,
            None => (0.0, 0.0),
        };
        let count = self.count as f64;
        let squares = prior.freedom * prior.deviation.powi(2) + freedom * square * count;
        let freedom = prior.freedom + freedom;
        Self { error: Some((squares / freedom / count, Some(freedom))), ..self }
    }
}

fn difference(of: &Logs, to: &Logs, level: f64) -> Interval {
    let estimate = of.mean - to.mean;
    let half = of.error.zip(to.error).map(|(of, to)| half_width(of, to, level));
    let method = if half.is_some() { Method::Welch } else { Method::Range };
    let [low, high] = [-1.0, 1.0].map(|sign| estimate + sign * half.unwrap_or(0.0));
    let count = of.count.min(to.count);
    Interval { estimate, low, high, level: half.map(|_| level), count, method }.exp()
}

/// Half of Welch's interval, the degrees of freedom after Welch and Satterthwaite.
fn half_width(of: (f64, Option<f64>), to: (f64, Option<f64>), level: f64) -> f64 {
    let sum = of.0 + to.0;
    if sum == 0.0 {
        return 0.0;
    }
    let part = |(square, freedom): (f64, Option<f64>)| {
        freedom.map_or(0.0, |freedom| square * square / freedom)
    };
    student(level, sum * sum / (part(of) + part(to))) * sum.sqrt()
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::WelchSide::{Exact, Moderated, Processes};
    use super::*;
    use crate::noise::Noise;

    const LEVEL: f64 = 0.95;

    #[test]
    fn one_side_has_students_interval() {
        // Logarithms −0.1, 0, 0.1: deviation 0.1, t = 4.303, half-width 0.24844.
        let values = [(-0.1_f64).exp(), 1.0, 0.1_f64.exp()];
        let found = welch_mean(Processes(&values), LEVEL).unwrap();
        assert!((found.estimate - 1.0).abs() < 1e-12);
        assert!((found.low.ln() + 0.248_44).abs() < 1e-4, "{found:?}");
        assert!((found.high.ln() - 0.248_44).abs() < 1e-4, "{found:?}");
        let ratio = welch_ratio(Processes(&values), Exact(2.0, 1), LEVEL).unwrap();
        assert!((ratio.low - found.low / 2.0).abs() < 1e-12, "what cannot vary adds no width");
    }

    #[test]
    fn a_side_of_one_process_has_no_level() {
        let one = welch_mean(Processes(&[3.0]), LEVEL).unwrap();
        assert!((one.estimate - 3.0).abs() < 1e-12 && one.low == one.high && !one.has_level());
        let ratio = welch_ratio(Processes(&[3.0]), Processes(&[1.0, 1.5, 2.0]), LEVEL).unwrap();
        assert_eq!((ratio.level, ratio.count, ratio.method), (None, 1, Method::Range));
    }

    #[test]
    fn a_prior_moderates_the_spread_of_few_processes() {
        // Logarithms −0.1 and 0.1: variance 0.02 of one degree of freedom. With 0.01 of two: 0.04 ÷ 3 of
        // three, error √(0.04 ÷ 6) = 0.081650, t = 3.18245 at 95 %.
        let values = [(-0.1_f64).exp(), 0.1_f64.exp()];
        let prior = Prior { deviation: 0.1, freedom: 2.0 };
        let found = welch_mean(Moderated(&values, prior), LEVEL).unwrap();
        assert!((found.high.ln() - 0.259_85).abs() < 1e-4, "{found:?}");
        // Equal processes are not certain: t = 2.57058 of five degrees of freedom, error √(0.02 ÷ 5 ÷ 4).
        let found = welch_mean(Moderated(&[1.0; 4], prior), LEVEL).unwrap();
        assert!((found.high.ln() - 0.081_289).abs() < 1e-5, "{found:?}");
        let one = welch_mean(Moderated(&[3.0], prior), LEVEL).unwrap();
        // One process: t = 4.30265 of the prior's two degrees of freedom, error 0.1.
        assert!((one.high.ln() - 3.0_f64.ln() - 0.430_265).abs() < 1e-5, "{one:?}");
        assert!((prior.of_ratio().deviation.powi(2) - 0.02).abs() < 1e-12);
    }

    #[test]
    fn exact_numbers_are_points_and_zero_has_no_ratio() {
        let ratio = welch_ratio(Exact(3.0, 5), Exact(2.0, 2), LEVEL).unwrap();
        assert_eq!((ratio.low, ratio.estimate, ratio.high, ratio.count), (1.5, 1.5, 1.5, 2));
        assert!(ratio.has_level());
        assert_eq!(welch_mean(Exact(0.0, 3), LEVEL).map(|zero| zero.high), Some(0.0));
        assert_eq!(welch_ratio(Exact(3.0, 1), Exact(0.0, 1), LEVEL), None);
        assert_eq!(welch_ratio(Exact(0.0, 1), Processes(&[1.0, 2.0]), LEVEL), None);
        assert_eq!(welch_ratio(Processes(&[1.0, 2.0]), Exact(0.0, 1), LEVEL), None);
    }

    #[test]
    fn equal_values_are_a_point_and_impossible_ones_nothing() {
        let ratio = welch_ratio(Processes(&[0.3; 7]), Processes(&[0.3; 3]), LEVEL).unwrap();
        assert_eq!((ratio.low, ratio.high), (1.0, 1.0));
        for values in [&[][..], &[1.0, 0.0], &[1.0, f64::NAN], &[f64::INFINITY; 3]] {
            assert_eq!(welch_mean(Processes(values), LEVEL), None, "{values:?}");
        }
    }

    /// The promise of the interval, with sides of unlike numbers and spreads.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let mut rng = Seed(29).rng();
        let mut draw = |count: usize, deviation: f64| -> Vec<f64> {
            let noise = Noise { deviation, outliers: 0.0 };
            (0..count).map(|_| noise.draw(&mut rng).exp()).collect()
        };
        let (experiments, mut covered) = (2000, 0);
        for _ in 0..experiments {
            let [of, to] = [draw(4, 0.08), draw(9, 0.02)];
            let found = welch_ratio(Processes(&of), Processes(&to), LEVEL).unwrap();
            covered += u32::from(found.contains(1.0));
        }
        assert!((1860..=1960).contains(&covered), "{covered} of {experiments}");
    }
}
