//! The range of a few values.
//!
//! *Assumes* nothing, and so *promises* nothing: the lowest and the highest value say how far apart
//! repetitions were, not where the next one will lie. The range of two hardly ever holds 95 % of
//! anything. It stands where a figure shows all that was measured, and where values are too few for
//! an interval.

use crate::{Interval, Method, median};

/// The median of `values` with the lowest and the highest; `None` of no values.
#[must_use]
pub fn spread(values: &[f64]) -> Option<Interval> {
    Some(Interval {
        estimate: median(values)?,
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        level: None,
        count: values.len(),
        method: Method::Range,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_ends_and_no_level() {
        let all = spread(&[2.0, 9.0, 4.0]).unwrap();
        assert_eq!((all.low, all.estimate, all.high, all.count), (2.0, 4.0, 9.0, 3));
        assert!(!all.has_level());
        assert_eq!(spread(&[]), None);
    }
}
