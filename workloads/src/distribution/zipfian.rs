//! Zipfian ranks of any skew.

use super::gray::Gray;
use super::rejection::RejectionInversion;
use crate::Rng;

/// Draws ranks `0..records`; rank 0 is the most popular, with weight 1 / (rank + 1)^theta.
///
/// Below theta = 1 it uses the formula of Gray et al., as YCSB does, with its known deviations.
/// From 1 on that formula fails; rejection-inversion takes over, which is exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Zipfian(Law);

#[derive(Clone, Debug, PartialEq)]
enum Law {
    Gray(Gray),
    RejectionInversion(RejectionInversion),
}

impl Zipfian {
    /// Computes zeta once, which takes microseconds even for billions of records.
    ///
    /// # Panics
    ///
    /// If `records` is zero, or `theta` is not a finite number above 0. (theta = 0 is the uniform
    /// distribution.)
    pub fn new(records: u64, theta: f64) -> Self {
        assert!(records > 0, "records = 0: there is nothing to draw");
        assert!(theta > 0.0 && theta.is_finite(), "theta = {theta}: must be a number above 0");
        Self(if theta < 1.0 {
            Law::Gray(Gray::new(records, theta))
        } else {
            Law::RejectionInversion(RejectionInversion::new(records, theta))
        })
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        match &self.0 {
            Law::Gray(gray) => gray.draw(rng),
            Law::RejectionInversion(rejection) => rejection.draw(rng),
        }
    }

    /// The probability that [`Zipfian::draw`] returns `rank`.
    pub fn probability(&self, rank: u64) -> f64 {
        match &self.0 {
            Law::Gray(gray) => gray.probability(rank),
            Law::RejectionInversion(rejection) => rejection.probability(rank),
        }
    }

    /// The probability that [`Zipfian::draw`] returns a rank in `from..to`.
    pub fn probability_between(&self, from: u64, to: u64) -> f64 {
        debug_assert!(from <= to);
        match &self.0 {
            Law::Gray(gray) => gray.probability_below(to) - gray.probability_below(from),
            Law::RejectionInversion(rejection) => {
                rejection.probability_below(to) - rejection.probability_below(from)
            }
        }
    }

    /// The mean of the ranks that [`Zipfian::draw`] returns.
    pub fn mean_rank(&self) -> f64 {
        match &self.0 {
            Law::Gray(gray) => gray.mean_rank(),
            Law::RejectionInversion(rejection) => rejection.mean_rank(),
        }
    }
}
