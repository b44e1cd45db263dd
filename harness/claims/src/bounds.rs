//! Where a value has to lie, and whether an interval does.

use stats::Interval;

use crate::Unit;
use crate::Verdict;

/// What rounding of sums and logarithms may move an end of an interval by, as a share: an interval
/// that touches its bound lies within.
const ROUNDING: f64 = 1e-12;

/// At least one bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower one.
    pub at_least: Option<f64>,
    /// The upper one.
    pub at_most: Option<f64>,
    /// Whether a bound itself lies within.
    pub touching: bool,
}

impl Bounds {
    /// `bound` or more.
    pub(crate) fn at_least(bound: f64) -> Self {
        Self { at_least: Some(bound), at_most: None, touching: true }
    }

    /// `bound` or less.
    pub(crate) fn at_most(bound: f64) -> Self {
        Self { at_least: None, at_most: Some(bound), touching: true }
    }

    /// From `low` to `high`.
    pub(crate) fn within(low: f64, high: f64) -> Self {
        Self { at_least: Some(low), at_most: Some(high), touching: true }
    }

    /// Above `bound`.
    pub(crate) fn above(bound: f64) -> Self {
        Self { touching: false, ..Self::at_least(bound) }
    }

    /// Below `bound`.
    pub(crate) fn below(bound: f64) -> Self {
        Self { touching: false, ..Self::at_most(bound) }
    }

    /// Holds of an interval that lies within as a whole, fails of one that lies wholly outside a
    /// bound.
    pub(crate) fn judge(&self, interval: Interval) -> Verdict {
        let Interval { low, high, .. } = interval;
        let slack = |bound: f64| bound.abs() * ROUNDING;
        let sign = if self.touching { 1.0 } else { -1.0 };
        let below = self.at_least.is_some_and(|bound| high < bound - slack(bound));
        let above = self.at_most.is_some_and(|bound| low > bound + slack(bound));
        if below || above {
            return Verdict::Fails;
        }
        let inside = self.at_least.is_none_or(|bound| low >= bound - sign * slack(bound))
            && self.at_most.is_none_or(|bound| high <= bound + sign * slack(bound));
        if inside { Verdict::Holds } else { Verdict::Undecided }
    }

    /// How far `value` is inside the nearest bound, as a share of the bound; negative outside.
    pub(crate) fn margin(&self, value: f64) -> f64 {
        let share = |difference: f64, bound: f64| difference / bound.abs().max(f64::MIN_POSITIVE);
        let low = self.at_least.map_or(f64::INFINITY, |bound| share(value - bound, bound));
        let high = self.at_most.map_or(f64::INFINITY, |bound| share(bound - value, bound));
        low.min(high)
    }

    /// `≥ 1.50×`.
    pub(crate) fn shown(&self, unit: Unit) -> String {
        let [more, less] = if self.touching { ["≥", "≤"] } else { [">", "<"] };
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => format!("{} … {}", unit.shown(low), unit.shown(high)),
            (Some(low), None) => format!("{more} {}", unit.shown(low)),
            (None, Some(high)) => format!("{less} {}", unit.shown(high)),
            (None, None) => "anything".to_owned(),
        }
    }
}
