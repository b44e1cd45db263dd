//! Whether B differs from A, where each was measured at its own time.

use stats::{Better, level_of_each, trimmed_ratio, trimmed_ratio_apart};
use workloads::Seed;

use crate::judge::Bar;
use crate::{Finding, Judged, Unknown, Values};

/// Values of two sides that share no blocks: one value per process, all in one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    pub cell: String,
    pub metric: String,
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share above 0: 0.05 is 5 %.
    pub tolerance: f64,
    pub a: Vec<f64>,
    /// Of B; not necessarily as many.
    pub b: Vec<f64>,
    /// Whether value K of both sides is that of one node, the mean of its processes: then each pair gives a
    /// ratio, and what makes nodes differ cancels.
    pub paired: bool,
    /// Whether the sides ask different things of the cell: then nothing is judged, and the ratio is for
    /// the reader alone.
    pub unlike: bool,
    /// By how much the machine itself changed between the two measurements, as a share: the
    /// difference of a control cell that was measured with both.
    pub floor: Option<f64>,
}

/// Judges sides that were measured apart by the rule of [`judge`](fn@crate::judge), with the same
/// correction for all entries together. There are no blocks, so each side is resampled by itself;
/// and no control, so a change has to be larger than the `floor`.
///
/// Values that are not positive numbers do not count, unless all values of both sides are 0. The
/// estimate counts the values of the side that has fewer; below three they are too few.
///
/// # Panics
///
/// If `error_rate` is not between 0 and 1.
#[must_use]
pub fn judge_apart(apart: &[Apart], error_rate: f64, seed: u64) -> Vec<Judged> {
    let level = level_of_each(error_rate, apart.len());
    apart.iter().map(|apart| judge_at(apart, level, seed)).collect()
}

fn judge_at(apart: &Apart, level: f64, seed: u64) -> Judged {
    let seed = Seed(seed).stream(&apart.cell).stream(&apart.metric);
    let [a, b] = logs_of(apart);
    let ratio = match apart.paired {
        true => {
            let ratios: Vec<f64> = b.iter().zip(&a).map(|(b, a)| b - a).collect();
            trimmed_ratio(&ratios, level, seed)
        }
        false => trimmed_ratio_apart([&a, &b], level, seed),
    };
    let floor = apart.floor.unwrap_or(0.0);
    let bar = Bar { floor, exceeds: floor, tolerance: apart.tolerance };
    Judged {
        cell: apart.cell.clone(),
        metric: apart.metric.clone(),
        unit: apart.unit.clone(),
        better: apart.better,
        tolerance: apart.tolerance,
        baseline: Values::of(&apart.a),
        candidate: Values::of(&apart.b),
        ratio,
        control: None,
        floor,
        looked_twice: false,
        finding: match apart.unlike {
            true => Finding::unknown(Unknown::Unlike),
            false => bar.judge(ratio.as_ref(), apart.better),
        },
    }
}

/// The logarithms of A and of B.
fn logs_of(apart: &Apart) -> [Vec<f64>; 2] {
    let sides = [&apart.a, &apart.b];
    if sides.iter().all(|side| side.iter().all(|value| *value == 0.0)) {
        // All zeros on both sides are equal; a single logarithm of each says so.
        return sides.map(|side| vec![0.0; side.len()]);
    }
    sides.map(|side| side.iter().map(|value| value.ln()).filter(|log| log.is_finite()).collect())
}

#[cfg(test)]
mod tests {
    use stats::noise::Noise;

    use super::*;

    fn of(a: Vec<f64>, b: Vec<f64>, floor: Option<f64>) -> Judged {
        judge_apart(&[sides(a, b, floor)], 0.02, 1).remove(0)
    }

    fn sides(a: Vec<f64>, b: Vec<f64>, floor: Option<f64>) -> Apart {
        Apart {
            cell: "cell".to_owned(),
            metric: "throughput".to_owned(),
            unit: "1/s".to_owned(),
            better: Better::Higher,
            tolerance: 0.05,
            a,
            b,
            paired: false,
            unlike: false,
            floor,
        }
    }

    /// Values around `middle`, with 1 % noise.
    fn values(count: usize, middle: f64, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).rng();
        let noise = Noise { deviation: 0.01, outliers: 0.0 };
        (0..count).map(|_| middle * noise.draw(&mut rng).exp()).collect()
    }

    #[test]
    fn a_difference_has_to_be_larger_than_the_floor() {
        let slower = |floor| of(values(15, 1e6, 1), values(12, 0.9e6, 2), floor);
        let judged = slower(Some(0.03));
        assert_eq!(judged.finding, Finding::WORSE);
        assert_eq!((judged.control, judged.floor, judged.looked_twice), (None, 0.03, false));
        let ratio = judged.ratio.unwrap();
        assert!((ratio.estimate - 0.9).abs() < 0.01 && ratio.contains(0.9), "{ratio:?}");
        assert_eq!(ratio.count, 12);
        assert_eq!(slower(None).finding, Finding::WORSE);
        assert_eq!(slower(Some(0.2)).finding, Finding::unknown(Unknown::Floor));
        assert_eq!(of(values(15, 1e6, 3), values(15, 1e6, 4), None).finding, Finding::UNCHANGED);
    }

    #[test]
    fn what_asks_different_things_has_a_ratio_and_no_verdict() {
        let (a, b) = (values(5, 1e6, 1), values(5, 0.5e6, 2));
        let mut apart = Apart { unlike: true, ..sides(a, b, None) };
        let judged = judge_apart(std::slice::from_ref(&apart), 0.02, 1).remove(0);
        assert_eq!(judged.finding, Finding::unknown(Unknown::Unlike));
        assert!(judged.ratio.is_some_and(|ratio| (ratio.estimate - 0.5).abs() < 0.02));
        apart.unlike = false;
        assert_eq!(judge_apart(&[apart], 0.02, 1)[0].finding, Finding::WORSE);
    }

    #[test]
    fn few_or_impossible_values_tell_nothing_and_equal_ones_a_point() {
        let unusable = vec![f64::NAN, 0.0, -1.0, 2.0, 2.0];
        assert_eq!(of(unusable, vec![2.0; 5], None).finding, Finding::unknown(Unknown::TooFew));
        assert_eq!(of(vec![], vec![2.0; 5], None).finding, Finding::unknown(Unknown::TooFew));
        for equal in [0.0, 7.0] {
            let judged = of(vec![equal; 4], vec![equal; 6], None);
            let ratio = judged.ratio.unwrap();
            assert_eq!((ratio.low, ratio.high), (1.0, 1.0));
            assert_eq!(judged.finding, Finding::UNCHANGED);
        }
        // One side that does not vary leaves the degrees of freedom to the other.
        let judged = of(vec![1e6; 5], values(5, 0.8e6, 5), None);
        assert_eq!(judged.finding, Finding::WORSE);
    }
}
