//! Bounds of a value, and whether an interval lies within them.

use std::fmt;

use stats::Interval;

use crate::Unit;
use crate::Verdict;

/// How far rounding may move an end of an interval, as a share. An interval that touches its bound
/// lies within.
const ROUNDING: f64 = 1e-12;

/// At least one bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The lower one.
    pub at_least: Option<f64>,
    /// The upper one.
    pub at_most: Option<f64>,
    /// On which side a bound itself lies.
    pub edge: Edge,
    /// A value this near to a bound, as a share of it, is undecided whatever its interval.
    pub margin: f64,
}

/// The verdict on an interval that touches a bound without crossing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Within: `at-least`, `at-most`.
    Within,
    /// Outside: `above`, `below`.
    Outside,
    /// Nowhere: it is undecided.
    Undecided,
}

impl Bounds {
    const NONE: Self = Self { at_least: None, at_most: None, edge: Edge::Within, margin: 0.0 };

    /// `bound` or more.
    #[must_use]
    pub fn at_least(bound: f64) -> Self {
        Self { at_least: Some(bound), ..Self::NONE }
    }

    /// `bound` or less.
    pub(crate) fn at_most(bound: f64) -> Self {
        Self { at_most: Some(bound), ..Self::NONE }
    }

    /// From `low` to `high`.
    pub(crate) fn within(low: f64, high: f64) -> Self {
        Self { at_least: Some(low), at_most: Some(high), ..Self::NONE }
    }

    /// Holds only if certainly above 1, fails only if certainly below.
    pub(crate) fn above_one() -> Self {
        Self { edge: Edge::Undecided, ..Self::at_least(1.0) }
    }

    /// The mirror of [`Bounds::above_one`].
    pub(crate) fn below_one() -> Self {
        Self { edge: Edge::Undecided, ..Self::at_most(1.0) }
    }

    /// *Holds* if the whole interval lies within, *fails* if the whole interval lies outside a bound.
    #[must_use]
    pub fn judge(&self, interval: &Interval) -> Verdict {
        let Interval { estimate, low, high, .. } = *interval;
        let near = |bound: f64| (estimate / bound - 1.0).abs() <= self.margin;
        if self.margin > 0.0 && [self.at_least, self.at_most].into_iter().flatten().any(near) {
            return Verdict::Undecided;
        }
        let slack = |bound: f64| bound.abs() * ROUNDING;
        let inwards = |edge: Edge| if self.edge == edge { 1.0 } else { -1.0 };
        let (holds, fails) = (inwards(Edge::Within), inwards(Edge::Outside));
        let below = self.at_least.is_some_and(|bound| high < bound + fails * slack(bound));
        let above = self.at_most.is_some_and(|bound| low > bound - fails * slack(bound));
        if below || above {
            return Verdict::Fails;
        }
        let inside = self.at_least.is_none_or(|bound| low >= bound - holds * slack(bound))
            && self.at_most.is_none_or(|bound| high <= bound + holds * slack(bound));
        if inside { Verdict::Holds } else { Verdict::Undecided }
    }

    /// How far `value` is inside the nearest bound, as a share of the bound; negative outside.
    pub(crate) fn inside(&self, value: f64) -> f64 {
        let share = |difference: f64, bound: f64| difference / bound.abs().max(f64::MIN_POSITIVE);
        let low = self.at_least.map_or(f64::INFINITY, |bound| share(value - bound, bound));
        let high = self.at_most.map_or(f64::INFINITY, |bound| share(bound - value, bound));
        low.min(high)
    }

    /// `≥ 1.50×`.
    pub(crate) fn shown(&self, unit: Unit) -> String {
        self.with(|bound| unit.shown(bound))
    }

    fn with(&self, shown: impl Fn(f64) -> String) -> String {
        let [more, less] = if self.edge == Edge::Within { ["≥", "≤"] } else { [">", "<"] };
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => format!("{} … {}", shown(low), shown(high)),
            (Some(low), None) => format!("{more} {}", shown(low)),
            (None, Some(high)) => format!("{less} {}", shown(high)),
            (None, None) => "anything".to_owned(),
        }
    }
}

/// As in the file, without a unit: `≥ 1.5`.
impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.with(|bound| bound.to_string()))
    }
}
