//! Which values a setting takes, and which of them is nearest to one that it does not take.

use std::fmt;
use std::ops::RangeInclusive;

/// The values that a setting takes, each written in one way only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `true` or `false`.
    Switch,
    /// One of these words.
    OneOf(Vec<String>),
    /// A whole number.
    Whole(Whole),
    /// A number from 0 to this one, fractions allowed.
    Decimal {
        /// The largest.
        most: u32,
    },
}

/// Whole numbers of a range, all of them or in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    least: u64,
    most: u64,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    MultipleOf(u64),
    PowerOfTwo,
}

impl Whole {
    /// Multiples of `step` in a range.
    #[must_use]
    pub fn multiples_of(step: u64, range: RangeInclusive<u64>) -> Self {
        let (least, most) = range.into_inner();
        let least = least.checked_next_multiple_of(step).unwrap_or(u64::MAX);
        Self { least, most: most / step * step, step: Step::MultipleOf(step) }
    }

    /// Powers of two in a range.
    #[must_use]
    pub fn powers_of_two(range: RangeInclusive<u64>) -> Self {
        let (least, most) = range.into_inner();
        let least = least.checked_next_power_of_two().unwrap_or(u64::MAX);
        let most = most.checked_ilog2().map_or(0, |bits| 1 << bits);
        Self { least, most, step: Step::PowerOfTwo }
    }

    /// The smallest and the largest of them; `None` where there are none.
    #[must_use]
    pub fn ends(&self) -> Option<(u64, u64)> {
        (self.least <= self.most).then_some((self.least, self.most))
    }

    /// The one nearest to `asked`, the smaller of two.
    fn nearest(&self, asked: u64) -> Option<u64> {
        let (least, most) = self.ends()?;
        let asked = asked.clamp(least, most);
        let (below, above) = match self.step {
            Step::MultipleOf(step) => (asked / step * step, asked.next_multiple_of(step)),
            Step::PowerOfTwo => (1 << asked.max(1).ilog2(), asked.next_power_of_two()),
        };
        Some(if asked - below <= above - asked { below } else { above })
    }
}

impl From<RangeInclusive<u64>> for Whole {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self::multiples_of(1, range)
    }
}

impl Rule {
    /// Whether a setting takes `value`.
    #[must_use]
    pub fn accepts(&self, value: &str) -> bool {
        match self {
            Self::Switch => matches!(value, "true" | "false"),
            Self::OneOf(words) => words.iter().any(|word| word == value),
            // What the setting reports is what was asked, to the letter.
            Self::Whole(_) | Self::Decimal { .. } => self.nearest(value).as_deref() == Some(value),
        }
    }

    /// The value nearest to `value`; `None` where that is no number, or there is none.
    #[must_use]
    pub fn nearest(&self, value: &str) -> Option<String> {
        let asked = value.parse::<f64>().ok().filter(|asked| !asked.is_nan());
        match self {
            Self::Switch | Self::OneOf(_) => None,
            Self::Whole(whole) => {
                // Conversion from a float ends at the range of whole numbers, as is meant here.
                let asked = value.parse().ok().or(asked.map(|asked| asked as u64))?;
                whole.nearest(asked).map(|nearest| nearest.to_string())
            }
            Self::Decimal { most } => Some(asked?.clamp(0.0, f64::from(*most)).to_string()),
        }
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, step } = self;
        if self.ends().is_none() {
            return formatter.write_str("no values: there is too little memory for any");
        }
        match step {
            Step::MultipleOf(1) => write!(formatter, "whole numbers from {least} to {most}"),
            Step::MultipleOf(step) => {
                write!(formatter, "multiples of {step} from {least} to {most}")
            }
            Step::PowerOfTwo => write!(formatter, "powers of two from {least} to {most}"),
        }
    }
}

/// Completes the sentence "accepted are …".
impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch => formatter.write_str("true and false"),
            Self::OneOf(words) => formatter.write_str(&words.join(", ")),
            Self::Whole(whole) => whole.fmt(formatter),
            Self::Decimal { most } => {
                write!(formatter, "numbers from 0 to {most}, such as 5 or 2.5")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_value_is_accepted() {
        let blocks = Rule::Whole(Whole::multiples_of(4096, 4096..=70_000));
        let powers = Rule::Whole(Whole::powers_of_two(3..=100));
        let count = Rule::Whole((1..=1024).into());
        let share = Rule::Decimal { most: 90 };
        for (rule, asked, nearest) in [
            (&blocks, "0", Some("4096")),
            (&blocks, "-5", Some("4096")),
            (&blocks, "1000", Some("4096")),
            (&blocks, "6145", Some("8192")),
            (&blocks, "6144", Some("4096")),
            (&blocks, "70000", Some("69632")),
            (&blocks, "99999999999999999999999", Some("69632")),
            (&powers, "0", Some("4")),
            (&powers, "23", Some("16")),
            (&powers, "25", Some("32")),
            (&powers, "100", Some("64")),
            (&count, "04", Some("4")),
            (&count, "2.5", Some("2")),
            (&count, "two", None),
            (&share, "95", Some("90")),
            (&share, "2.50", Some("2.5")),
            (&share, "NaN", None),
            (&Rule::Switch, "yes", None),
        ] {
            assert!(!rule.accepts(asked), "{rule}: {asked}");
            assert_eq!(rule.nearest(asked).as_deref(), nearest, "{rule}: {asked}");
            assert!(nearest.is_none_or(|nearest| rule.accepts(nearest)), "{rule}: {nearest:?}");
        }
        assert!(share.accepts("2.5") && count.accepts("4") && Rule::Switch.accepts("true"));
    }

    #[test]
    fn ends_are_of_the_steps_and_an_empty_range_takes_nothing() {
        assert_eq!(Whole::multiples_of(4096, 1..=70_000).ends(), Some((4096, 69_632)));
        assert_eq!(Whole::powers_of_two(3..=100).ends(), Some((4, 64)));
        let none = Whole::powers_of_two(5..=7);
        assert_eq!(none.ends(), None);
        let rule = Rule::Whole(none);
        assert!(!rule.accepts("1") && !rule.accepts("0") && rule.nearest("1").is_none());
        assert!(rule.to_string().starts_with("no values"), "{rule}");
    }
}
