//! Whether B differs from A, where each was measured at its own time.

use workloads::Seed;

use crate::centre::{Sample, student};
use crate::judge::{Bar, COMPARED, confidence_of_each, median_of_numbers};
use crate::{Better, Interval, Judged, RatioEstimate};

/// Values of two sides that share no blocks: one a process, in one unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// The cell.
    pub cell: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share above 0: 0.05 is 5 %.
    pub tolerance: f64,
    /// Of A.
    pub a: Vec<f64>,
    /// Of B; not necessarily as many.
    pub b: Vec<f64>,
    /// What the machine is known to have moved by between the two, as a share: how a control cell
    /// differs that was measured beside both.
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
    let confidence = confidence_of_each(error_rate, apart.len());
    apart.iter().map(|apart| judge_at(apart, confidence, seed)).collect()
}

fn judge_at(apart: &Apart, confidence: f64, seed: u64) -> Judged {
    let seed = Seed(seed).stream(&apart.cell).stream(&apart.metric);
    let ratio = ratio_of(&logs_of(apart), confidence, seed);
    let floor = apart.floor.unwrap_or(0.0);
    let bar = Bar { floor, exceeds: floor, tolerance: apart.tolerance };
    Judged {
        cell: apart.cell.clone(),
        metric: apart.metric.clone(),
        unit: apart.unit.clone(),
        better: apart.better,
        tolerance: apart.tolerance,
        a: median_of_numbers(&apart.a),
        b: median_of_numbers(&apart.b),
        ratio,
        control: None,
        floor,
        looked_twice: false,
        verdict: bar.verdict(ratio.as_ref(), apart.better),
    }
}

/// The logarithms of A and of B.
fn logs_of(apart: &Apart) -> [Vec<f64>; 2] {
    let sides = [&apart.a, &apart.b];
    if sides.iter().all(|side| side.iter().all(|value| *value == 0.0)) {
        // Nothing on either side is equal; any one logarithm says so.
        return sides.map(|side| vec![0.0; side.len()]);
    }
    sides.map(|side| side.iter().map(|value| value.ln()).filter(|log| log.is_finite()).collect())
}

/// Student's interval on the bootstrap's standard errors of both sides, with Welch's degrees of
/// freedom.
fn ratio_of([a, b]: &[Vec<f64>; 2], confidence: f64, seed: Seed) -> Option<RatioEstimate> {
    let samples = [Sample::new(a)?, Sample::new(b)?];
    let [of_a, of_b] = [("a", &samples[0]), ("b", &samples[1])]
        .map(|(side, sample)| sample.variance(COMPARED, &mut seed.stream(side).rng()));
    let variance = of_a + of_b;
    let half = if variance > 0.0 {
        let parts = of_a.powi(2) / (a.len() - 1) as f64 + of_b.powi(2) / (b.len() - 1) as f64;
        student(confidence, variance.powi(2) / parts) * variance.sqrt()
    } else {
        0.0
    };
    let log = samples[1].centre(COMPARED) - samples[0].centre(COMPARED);
    let interval = Interval { from: log - half, to: log + half };
    Some(RatioEstimate::of_logs((log, interval), a.len().min(b.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Noise;
    use crate::{Unknown, Verdict};

    fn of(a: Vec<f64>, b: Vec<f64>, floor: Option<f64>) -> Judged {
        let apart = Apart {
            cell: "cell".to_owned(),
            metric: "throughput".to_owned(),
            unit: "1/s".to_owned(),
            better: Better::Higher,
            tolerance: 0.05,
            a,
            b,
            floor,
        };
        judge_apart(&[apart], 0.02, 1).remove(0)
    }

    /// So many values around `middle`, with 1 % noise.
    fn values(count: usize, middle: f64, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).rng();
        let noise = Noise { deviation: 0.01, outliers: 0.0 };
        (0..count).map(|_| middle * noise.draw(&mut rng).exp()).collect()
    }

    #[test]
    fn a_difference_has_to_be_larger_than_the_floor() {
        let slower = |floor| of(values(15, 1e6, 1), values(12, 0.9e6, 2), floor);
        let judged = slower(Some(0.03));
        assert_eq!(judged.verdict, Verdict::Worse);
        assert_eq!((judged.control, judged.floor, judged.looked_twice), (None, 0.03, false));
        let ratio = judged.ratio.unwrap();
        assert!((ratio.ratio - 0.9).abs() < 0.01 && ratio.interval.contains(0.9), "{ratio:?}");
        assert_eq!(ratio.blocks, 12);
        assert_eq!(slower(None).verdict, Verdict::Worse);
        assert_eq!(slower(Some(0.2)).verdict, Verdict::Unknown(Unknown::Floor));
        assert_eq!(of(values(15, 1e6, 3), values(15, 1e6, 4), None).verdict, Verdict::Unchanged);
    }

    #[test]
    fn few_or_impossible_values_tell_nothing_and_equal_ones_a_point() {
        let unusable = vec![f64::NAN, 0.0, -1.0, 2.0, 2.0];
        assert_eq!(of(unusable, vec![2.0; 5], None).verdict, Verdict::Unknown(Unknown::TooFew));
        assert_eq!(of(vec![], vec![2.0; 5], None).verdict, Verdict::Unknown(Unknown::TooFew));
        for equal in [0.0, 7.0] {
            let judged = of(vec![equal; 4], vec![equal; 6], None);
            let ratio = judged.ratio.unwrap();
            assert_eq!((ratio.interval.from, ratio.interval.to), (1.0, 1.0));
            assert_eq!(judged.verdict, Verdict::Unchanged);
        }
        // One side that does not vary leaves the degrees of freedom to the other.
        let judged = of(vec![1e6; 5], values(5, 0.8e6, 5), None);
        assert_eq!(judged.verdict, Verdict::Worse);
    }

    /// The promise of the interval, with sides of unlike numbers and noise.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let mut rng = Seed(23).rng();
        let mut draw = |count: usize, deviation: f64| -> Vec<f64> {
            let noise = Noise { deviation, outliers: 0.05 };
            (0..count).map(|_| noise.draw(&mut rng)).collect()
        };
        let (experiments, mut covered) = (1000, 0);
        for experiment in 0..experiments {
            let sides = [draw(6, 0.05), draw(14, 0.02)];
            let interval = ratio_of(&sides, 0.95, Seed(experiment)).unwrap().interval;
            covered += u32::from(interval.contains(1.0));
        }
        assert!((935..=995).contains(&covered), "{covered} of {experiments}");
    }
}
