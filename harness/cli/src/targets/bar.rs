//! A bar, and whether a measurement clears it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a target asks of its number, written as `>= 1.7`, `> 1`, `<= 3.6` or `< 4`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Bar {
    relation: Relation,
    pub(crate) value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtLeast,
    Above,
    AtMost,
    Below,
}

/// Longer signs first, or `>=` would be read as `>`.
const SIGNS: [(&str, &str, Relation); 4] = [
    (">=", "≥", Relation::AtLeast),
    ("<=", "≤", Relation::AtMost),
    (">", ">", Relation::Above),
    ("<", "<", Relation::Below),
];

impl TryFrom<String> for Bar {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parsed = SIGNS.iter().find_map(|(sign, _, relation)| {
            let value: f64 = text.trim().strip_prefix(sign)?.trim().parse().ok()?;
            (value.is_finite() && value > 0.0).then_some(Self { relation: *relation, value })
        });
        parsed.ok_or_else(|| {
            format!(
                "bar `{text}`: write a relation and a positive number, as in \">= 1.7\" or \"<= 4\""
            )
        })
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = SIGNS.iter().find(|(.., relation)| *relation == self.relation);
        write!(formatter, "{} {}", sign.map_or("", |(_, sign, _)| sign), self.value)
    }
}

/// What follows from a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The whole interval clears the bar.
    Holds,
    /// None of it does.
    FallsShort,
    /// The bar lies within the interval, or within the margin of what it is compared with.
    Undecided,
    /// Cells failed, so there is no number.
    NotMeasured,
}

impl Verdict {
    /// The words used in tables.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::FallsShort => "falls short",
            Self::Undecided => "undecided",
            Self::NotMeasured => "not measured",
        }
    }

    /// Of several comparisons that all have to hold: one that falls short settles it.
    pub(crate) fn all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let order = [Self::Holds, Self::Undecided, Self::NotMeasured, Self::FallsShort];
        let rank = |verdict: &Self| order.iter().position(|one| one == verdict);
        verdicts.into_iter().max_by_key(rank).unwrap_or(Self::NotMeasured)
    }
}

/// A number with the interval it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Estimate {
    pub(crate) median: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Blocks or repetitions.
    pub(crate) count: usize,
}

impl Bar {
    fn clears(&self, value: f64) -> bool {
        match self.relation {
            Relation::AtLeast => value >= self.value,
            Relation::Above => value > self.value,
            Relation::AtMost => value <= self.value,
            Relation::Below => value < self.value,
        }
    }

    /// Whether larger numbers are better.
    pub(crate) fn asks_for_more(&self) -> bool {
        matches!(self.relation, Relation::AtLeast | Relation::Above)
    }

    /// `margin`: how far from the bar the median has to be, as a share of it, where the bar itself
    /// is not exact.
    pub(crate) fn judge(&self, estimate: &Estimate, margin: Option<f64>) -> Verdict {
        let near = (estimate.median / self.value - 1.0).abs();
        if margin.is_some_and(|margin| near <= margin) {
            return Verdict::Undecided;
        }
        match (self.clears(estimate.from), self.clears(estimate.to)) {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::FallsShort,
            _ => Verdict::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(text: &str) -> Bar {
        Bar::try_from(text.to_owned()).unwrap()
    }

    fn estimate(from: f64, median: f64, to: f64) -> Estimate {
        Estimate { median, from, to, count: 5 }
    }

    #[test]
    fn bars_are_read_and_written() {
        assert_eq!(bar(">= 1.7").to_string(), "≥ 1.7");
        assert_eq!(bar(">1").to_string(), "> 1");
        assert_eq!(bar("<= 3.6").to_string(), "≤ 3.6");
        for wrong in ["1.7", "=> 1", ">= x", ">= -1", ">= inf", ""] {
            let error = Bar::try_from(wrong.to_owned()).unwrap_err();
            assert!(error.contains("as in \">= 1.7\""), "{error}");
        }
    }

    #[test]
    fn only_a_whole_interval_on_one_side_decides() {
        for (text, from, to, verdict) in [
            (">= 1.7", 1.7, 1.9, Verdict::Holds),
            (">= 1.7", 1.69, 1.9, Verdict::Undecided),
            (">= 1.7", 1.5, 1.69, Verdict::FallsShort),
            ("> 1", 1.0, 1.2, Verdict::Undecided),
            ("> 1", 0.9, 1.0, Verdict::FallsShort),
            ("<= 4", 1.0, 4.0, Verdict::Holds),
            ("<= 4", 3.9, 4.1, Verdict::Undecided),
            ("<= 4", 4.1, 9.0, Verdict::FallsShort),
            ("< 4", 4.0, 9.0, Verdict::FallsShort),
        ] {
            let middle = f64::midpoint(from, to);
            let judged = bar(text).judge(&estimate(from, middle, to), None);
            assert_eq!(judged, verdict, "{text}: {from} to {to}");
        }
    }

    #[test]
    fn within_the_margin_nothing_is_decided() {
        let margin = Some(0.15);
        assert_eq!(bar("> 1").judge(&estimate(1.13, 1.14, 1.16), margin), Verdict::Undecided);
        assert_eq!(bar("> 1").judge(&estimate(0.84, 0.86, 0.87), margin), Verdict::Undecided);
        assert_eq!(bar("> 1").judge(&estimate(1.15, 1.16, 1.18), margin), Verdict::Holds);
        assert_eq!(bar("> 1").judge(&estimate(0.82, 0.84, 0.86), margin), Verdict::FallsShort);
        assert_eq!(bar("> 1").judge(&estimate(0.98, 1.3, 1.4), margin), Verdict::Undecided);
    }

    #[test]
    fn of_several_the_worst_counts() {
        use Verdict::{FallsShort, Holds, NotMeasured, Undecided};
        assert_eq!(Verdict::all([Holds, Holds]), Holds);
        assert_eq!(Verdict::all([Holds, Undecided]), Undecided);
        assert_eq!(Verdict::all([NotMeasured, Undecided]), NotMeasured);
        assert_eq!(Verdict::all([FallsShort, NotMeasured]), FallsShort);
        assert_eq!(Verdict::all([]), NotMeasured);
    }
}
