//! How much a store is hindered, as settings.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use engine::OpenError;

/// A share in percent, fractions allowed, from 0 to `MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Percent<const MAX: u32>(f64);

impl<const MAX: u32> Percent<MAX> {
    /// A share; `None` if it is out of range.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=f64::from(MAX)).contains(&value).then_some(Self(value))
    }

    /// The share in percent.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl<const MAX: u32> fmt::Display for Percent<MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<const MAX: u32> FromStr for Percent<MAX> {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        text.parse().ok().and_then(Self::new).ok_or(())
    }
}

/// The largest drop in throughput, slowness and jitter together, in percent.
pub const SLOWED_PERCENT_MAX: u32 = 90;

/// How a store is hindered; by default not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hindrance {
    /// Throughput drops by this share.
    pub slow: Percent<SLOWED_PERCENT_MAX>,
    /// Each opened store draws a share from 0 to this, which is added to `slow`.
    pub jitter: Percent<SLOWED_PERCENT_MAX>,
    /// Memory held in addition to the store's, as a share of it.
    pub leak: Percent<100>,
}

impl Hindrance {
    /// Whether something is left of the throughput.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if a store would have to pause nearly all the time.
    pub fn check(&self) -> Result<(), OpenError> {
        let (slow, jitter) = (self.slow.value(), self.jitter.value());
        if slow + jitter > f64::from(SLOWED_PERCENT_MAX) {
            return Err(OpenError::BadSetting {
                setting: "jitter-percent".to_owned(),
                value: self.jitter.to_string(),
                accepted: format!(
                    "those that are {SLOWED_PERCENT_MAX} at most together with slow-percent = {slow}"
                ),
            });
        }
        Ok(())
    }

    /// Draws a uniform share of the jitter, in percent.
    pub(super) fn draw(&self) -> Result<f64, OpenError> {
        self.check()?;
        // The standard library takes the keys of hash maps from the system's randomness.
        let bits = RandomState::new().build_hasher().finish();
        let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        Ok(self.jitter.value() * unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_others_refused() {
        for (text, value) in [("0", 0.0), ("5", 5.0), ("2.5", 2.5), ("90", 90.0)] {
            assert_eq!(text.parse(), Ok(Percent::<90>(value)), "{text}");
        }
        for text in ["-1", "90.5", "95", "x", "", "5%", "NaN", "inf"] {
            assert_eq!(text.parse::<Percent<90>>(), Err(()), "{text}");
        }
        assert_eq!(Percent::<90>(2.5).to_string(), "2.5");
    }

    #[test]
    fn jitter_is_within_its_bounds_and_drawn_anew() {
        let hindrance = Hindrance { jitter: Percent(10.0), ..Hindrance::default() };
        let drawn: Vec<f64> = (0..200).map(|_| hindrance.draw().unwrap()).collect();
        assert!(drawn.iter().all(|drawn| (0.0..=10.0).contains(drawn)), "{drawn:?}");
        let mut distinct = drawn.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        assert!(distinct.len() > 190, "{distinct:?}");
        // With 200 draws, the chance that a quarter stays empty is 1 in 10^24.
        for quarter in 0..4 {
            let from = 2.5 * f64::from(quarter);
            assert!(drawn.iter().any(|drawn| (from..from + 2.5).contains(drawn)), "{from}");
        }
        assert_eq!(Hindrance::default().draw(), Ok(0.0));
    }

    #[test]
    fn nothing_stands_still_nearly_all_the_time() {
        let hindrance =
            Hindrance { slow: Percent(50.0), jitter: Percent(41.0), ..Hindrance::default() };
        let message = hindrance.draw().unwrap_err().to_string();
        assert_eq!(
            message,
            "setting `jitter-percent` = `41`: accepted are those that are 90 at most together with \
             slow-percent = 50"
        );
    }
}
