//! Student's quantiles.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Student's t of a two-sided interval at `level`, a share, with so many degrees of `freedom`.
///
/// # Panics
///
/// If `freedom` is not above 0.
#[must_use]
pub fn student(level: f64, freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom above 0");
    -distribution.inverse_cdf((1.0 - level) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_tables() {
        for (level, freedom, table) in [
            (0.95, 1.0, 12.706),
            (0.95, 19.0, 2.093),
            (0.999, 1.0, 636.619),
            (0.999, 11.0, 4.437),
            (0.999, 30.0, 3.646),
        ] {
            let quantile = student(level, freedom);
            assert!((quantile - table).abs() < 6e-4, "{level} {freedom}: {quantile}");
        }
        // 1 − 0.02 of 1000 intervals together.
        assert!((student(1.0 - 2e-5, 1e6) - 4.2649).abs() < 1e-3);
    }
}
