//! Bonferroni's correction: the level of each of many intervals that are judged together.
//!
//! *Source*: Dunn, "Multiple Comparisons Among Means", 1961. *Assumes* nothing of how the intervals
//! depend on each other; where they agree, as throughput and elapsed time do, it asks for more than
//! it has to.

/// The level that each of `count` intervals needs for all of them together to err with
/// `error_rate`.
///
/// # Panics
///
/// If `error_rate` is not between 0 and 1.
#[must_use]
pub fn level_of_each(error_rate: f64, count: usize) -> f64 {
    assert!(error_rate > 0.0 && error_rate < 1.0, "error rate {error_rate}: say one in 0..1");
    1.0 - error_rate / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_many_needs_a_higher_level() {
        assert_eq!(level_of_each(0.02, 1), 0.98);
        assert_eq!(level_of_each(0.02, 20), 0.999);
        assert_eq!(level_of_each(0.02, 0), 0.98, "of none as of one");
    }

    #[test]
    #[should_panic(expected = "error rate 1: say one in 0..1")]
    fn an_error_rate_is_a_share() {
        let _ = level_of_each(1.0, 3);
    }
}
