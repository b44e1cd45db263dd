//! What one side measured of one metric of one cell: a value for each block or each process.

use serde::{Deserialize, Serialize};
use stats::{Interval, median, of_processes, spread};

/// The values of one side, in the order in which they were measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Values(Vec<f64>);

/// As they stand in files: the values, and beside them what [`Values::interval`] makes of them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    median: Option<f64>,
    from: Option<f64>,
    to: Option<f64>,
    values: Vec<f64>,
}

impl Values {
    /// Those of `values` that are numbers: JSON has no NaN.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        Self(values.iter().copied().filter(|value| value.is_finite()).collect())
    }

    /// Their median; `None` of no values.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        median(&self.0)
    }

    /// Their median with its 95 % interval; with the lowest and the highest where they are fewer than
    /// three, or not all positive.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        of_processes(&self.0).or_else(|| spread(&self.0))
    }
}

impl From<Values> for Written {
    fn from(values: Values) -> Self {
        let found = values.interval();
        Self {
            median: found.map(|found| found.estimate),
            from: found.map(|found| found.low),
            to: found.map(|found| found.high),
            values: values.0,
        }
    }
}

impl From<Written> for Values {
    fn from(written: Written) -> Self {
        Self(written.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_does_not_count() {
        let values = Values::of(&[2.0, f64::NAN, 4.0]);
        let found = values.interval().unwrap();
        assert_eq!((found.low, found.estimate, found.high, found.count), (2.0, 3.0, 4.0, 2));
        assert_eq!((Values::of(&[f64::NAN]).median(), Values::default().interval()), (None, None));
    }

    #[test]
    fn values_are_written_with_their_interval_and_read_back() {
        for values in
            [Values::of(&[1.0, 2.0]), Values::of(&[1.0, 1.1, 1.2, 0.9]), Values::default()]
        {
            let text = serde_json::to_string(&values).unwrap();
            assert_eq!(serde_json::from_str::<Values>(&text).unwrap(), values, "{text}");
        }
        let text = serde_json::to_string(&Values::of(&[1.0, 2.0])).unwrap();
        assert_eq!(text, r#"{"median":1.5,"from":1.0,"to":2.0,"values":[1.0,2.0]}"#);
    }
}
