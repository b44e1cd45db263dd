//! The one interval of the project.

/// An estimate with the interval it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate itself: a median, a mean or a ratio, as the method says.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The share of such intervals that hold what they estimate, as in 0.95. `None` where the ends
    /// promise nothing: those of a range, or those read from a file that names no level.
    pub level: Option<f64>,
    /// How many independent values stand behind it: processes, repetitions or blocks. Of a ratio,
    /// those of the side that has fewer.
    pub count: usize,
    /// How it was made.
    pub method: Method,
}

/// How an interval is made. Each method is a file of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One number that cannot vary, such as a count.
    Exact,
    /// The median with the lowest and the highest value.
    Range,
    /// Student's interval of a mean of logarithms.
    Student,
    /// The percentile bootstrap of a median.
    Bootstrap,
    /// The trimmed mean with Student's interval on the bootstrap's standard error.
    TrimmedMean,
    /// The difference of two medians, both resampled.
    BootstrapShift,
    /// Welch's interval of a difference of mean logarithms.
    Welch,
}

impl Interval {
    /// A number that cannot vary.
    #[must_use]
    pub fn exact(value: f64, count: usize) -> Self {
        Self {
            estimate: value,
            low: value,
            high: value,
            level: Some(1.0),
            count,
            method: Method::Exact,
        }
    }

    /// Whether the ends promise anything. If not, they are a range, and nothing follows from them.
    #[must_use]
    pub fn has_level(&self) -> bool {
        self.level.is_some()
    }

    /// Whether `value` lies within.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether the intervals have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Half the interval's width, as a share of the estimate in percent.
    #[must_use]
    pub fn half_width_percent(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.estimate * 100.0
    }

    /// From logarithms back to the numbers themselves. An end beyond the range of floating point,
    /// as a few wild values can give, becomes the largest number.
    #[must_use]
    pub(crate) fn exp(self) -> Self {
        let exp = |log: f64| log.exp().min(f64::MAX);
        Self { estimate: exp(self.estimate), low: exp(self.low), high: exp(self.high), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_touch_overlap() {
        let of = |low, high| Interval { low, high, ..Interval::exact(low, 3) };
        assert!(of(1.0, 2.0).overlaps(&of(2.0, 3.0)) && of(2.0, 3.0).overlaps(&of(1.0, 2.0)));
        assert!(!of(1.0, 2.0).overlaps(&of(2.1, 3.0)) && !of(2.1, 3.0).overlaps(&of(1.0, 2.0)));
        assert!(of(1.0, 9.0).overlaps(&of(4.0, 5.0)));
    }

    #[test]
    fn logarithms_become_numbers_that_every_file_can_hold() {
        let logs = Interval { low: -1e9, high: 1e9, ..Interval::exact(0.0, 3) };
        let numbers = logs.exp();
        assert_eq!((numbers.low, numbers.estimate, numbers.high), (0.0, 1.0, f64::MAX));
        assert_eq!((numbers.count, numbers.method), (3, Method::Exact));
    }
}
