//! Whether B differs from A, judged from blocks in which both were measured, and A once more.

use stats::{Better, Interval, level_of_each, trimmed_ratio};
use workloads::Seed;

use crate::blocks::Blocks;
use crate::{Finding, Judged, Unknown, Values};

/// A change must exceed this multiple of the difference between A and A measured again.
///
/// B is compared with both measurements of A. A bias that spares only the first of them is half in
/// the ratio and whole in the control, so one times the control's deviation is enough. The table
/// shows how many of 3000 simulated metrics (20 blocks, 3 % noise, each at the confidence of 18
/// together) are called changed if a change must exceed:
///
/// | | B 5 % slower | B 4 % slower | B and the control 5 % off |
/// |---|---|---|---|
/// | nothing | 100 % | 96 % | 38 % |
/// | the control's deviation | 100 % | 96 % | 0 % |
/// | twice that | 100 % | 95 % | 0 % |
/// | the far end of the control's interval | 94 % | 71 % | 0 % |
const TIMES_THE_CONTROL: f64 = 1.0;

/// Judges all of `blocks` together: among suites in which nothing differs, a share of at most
/// `error_rate` reports any change (every interval has the [`level_of_each`]).
///
/// A block's value of A is the mean of both its measurements, the first and the control.
///
/// - *Changed* where the interval of B ÷ A excludes 1, and the ratio is off 1 by more than that of A
///   measured again ÷ A, and by half the tolerance or more: smaller differences are of no interest,
///   however sure.
/// - Else *unchanged* where the whole interval lies within the tolerance and so does the floor: the
///   end of the control's interval that is farthest from 1; 0 without a control.
/// - Else unknown: because of the floor if that is above the tolerance, or of the interval.
///
/// A block counts where every side has a positive number (or B and the control are 0 like A); fewer
/// than three such blocks are too few. The same blocks with the same `seed` have the same
/// intervals, up to the correction, whatever else is judged with them.
///
/// # Panics
///
/// If `error_rate` is not between 0 and 1.
#[must_use]
pub fn judge(blocks: &[Blocks], error_rate: f64, seed: u64) -> Vec<Judged> {
    let level = level_of_each(error_rate, blocks.len());
    blocks.iter().map(|blocks| judge_at(blocks, level, seed)).collect()
}

/// Judges one entry by intervals of this `level`.
pub(crate) fn judge_at(blocks: &Blocks, level: f64, seed: u64) -> Judged {
    let logs = blocks.log_ratios();
    let seed = Seed(seed).stream(&blocks.cell).stream(&blocks.metric);
    let ratio = trimmed_ratio(&logs.ratio, level, seed.stream("ratio"));
    let control = trimmed_ratio(&logs.control, level, seed.stream("control"));
    let floor = control.as_ref().map_or(0.0, floor_of);
    let shown = control.as_ref().map_or(0.0, |control| (control.estimate - 1.0).abs());
    let bar = Bar { floor, exceeds: TIMES_THE_CONTROL * shown, tolerance: blocks.tolerance };
    Judged {
        cell: blocks.cell.clone(),
        metric: blocks.metric.clone(),
        unit: blocks.unit.clone(),
        better: blocks.better,
        tolerance: blocks.tolerance,
        baseline: Values::of(&blocks.a),
        candidate: Values::of(&blocks.b),
        ratio,
        control,
        floor,
        looked_twice: false,
        finding: bar.judge(ratio.as_ref(), blocks.better),
    }
}

fn floor_of(control: &Interval) -> f64 {
    (control.low - 1.0).abs().max((control.high - 1.0).abs())
}

/// What a difference is held against; all are shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    /// What two measurements of the same thing may differ by.
    pub(crate) floor: f64,
    /// What a change has to be larger than.
    pub(crate) exceeds: f64,
    /// The effect asked about.
    pub(crate) tolerance: f64,
}

impl Bar {
    /// The rule of [`judge`].
    pub(crate) fn judge(self, ratio: Option<&Interval>, better: Better) -> Finding {
        let Some(ratio) = ratio else { return Finding::unknown(Unknown::TooFew) };
        let difference = (ratio.estimate - 1.0).abs();
        let is_large = difference > self.exceeds && difference >= self.tolerance / 2.0;
        if !ratio.contains(1.0) && is_large {
            if better.is_worse(ratio.estimate) { Finding::WORSE } else { Finding::BETTER }
        } else if self.floor > self.tolerance {
            Finding::unknown(Unknown::Floor)
        } else if ratio.low >= 1.0 - self.tolerance && ratio.high <= 1.0 + self.tolerance {
            Finding::UNCHANGED
        } else {
            Finding::unknown(Unknown::Interval)
        }
    }
}

#[cfg(test)]
mod tests {
    use stats::noise::Noise;

    use super::*;
    use crate::simulation::{SUITE, Suite};

    const ERROR_RATE: f64 = 0.02;

    fn changed(judged: &[Judged]) -> usize {
        let is_change = |judged: &&Judged| judged.finding.is_change();
        judged.iter().filter(is_change).count()
    }

    fn of_values(a: &[f64], b: &[f64], control: &[f64]) -> Judged {
        let [a, b, control] = [a, b, control].map(<[f64]>::to_vec);
        let empty = Blocks::empty("cell", "memory", "B", Better::Lower, 0.05);
        judge(&[Blocks { a, b, control, ..empty }], ERROR_RATE, 1).remove(0)
    }

    #[test]
    fn the_rule() {
        let bar = Bar { floor: 0.03, exceeds: 0.02, tolerance: 0.05 };
        let of = |bar: Bar, from, ratio, to| {
            let ratio = Interval { low: from, high: to, ..Interval::exact(ratio, 9) };
            bar.judge(Some(&ratio), Better::Lower)
        };
        assert_eq!(of(bar, 1.01, 1.04, 1.07), Finding::WORSE);
        assert_eq!(of(bar, 0.90, 0.94, 0.98), Finding::BETTER);
        assert_eq!(of(bar, 0.99, 1.02, 1.05), Finding::UNCHANGED);
        assert_eq!(of(bar, 0.99, 1.04, 1.09), Finding::unknown(Unknown::Interval));
        assert_eq!(of(bar, 1.01, 1.02, 1.03), Finding::UNCHANGED, "less than half of 5 %");
        let biased = Bar { exceeds: 0.05, ..bar };
        assert_eq!(of(biased, 1.01, 1.04, 1.07), Finding::unknown(Unknown::Interval));
        let noisy = Bar { floor: 0.06, ..bar };
        assert_eq!(of(noisy, 0.99, 1.0, 1.01), Finding::unknown(Unknown::Floor));
        assert_eq!(of(noisy, 1.20, 1.25, 1.30), Finding::WORSE, "whatever the floor");
        assert_eq!(bar.judge(None, Better::Lower), Finding::unknown(Unknown::TooFew));
    }

    #[test]
    fn equal_values_are_unchanged_and_have_a_point() {
        for value in [0.0, 4096.0 * 12_345.0] {
            let judged = of_values(&[value; 8], &[value; 8], &[value; 8]);
            let ratio = judged.ratio.unwrap();
            assert_eq!((ratio.low, ratio.estimate, ratio.high), (1.0, 1.0, 1.0));
            assert_eq!((judged.finding, judged.floor), (Finding::UNCHANGED, 0.0));
            let medians = (judged.baseline.median(), judged.candidate.median());
            assert_eq!(medians, (Some(value), Some(value)));
        }
        let larger = of_values(&[1000.0; 8], &[1100.0; 8], &[1000.0; 8]);
        assert_eq!(larger.finding, Finding::WORSE);
    }

    #[test]
    fn what_has_no_ratio_does_not_count_and_nothing_panics() {
        let few = of_values(&[1.0, 1.0], &[2.0, 2.0], &[]);
        assert_eq!(few.finding, Finding::unknown(Unknown::TooFew));
        let none = of_values(&[f64::NAN; 9], &[f64::INFINITY; 9], &[]);
        assert_eq!(
            (none.finding, none.baseline.median()),
            (Finding::unknown(Unknown::TooFew), None)
        );
        let grown = of_values(&[0.0; 9], &[1.0; 9], &[]);
        assert_eq!(grown.finding, Finding::unknown(Unknown::TooFew));
        let short = of_values(&[1.0; 9], &[2.0; 9], &[1.0; 2]);
        assert_eq!(short.finding, Finding::unknown(Unknown::TooFew), "two blocks are complete");
        let wild = of_values(&[1e-150, 1.0, 1e150], &[1e150, 1.0, 1e-150], &[]);
        let ends = wild.ratio.unwrap();
        assert!(ends.low == 0.0 && ends.high == f64::MAX, "{ends:?}: a number for every file");
    }

    #[test]
    #[should_panic(expected = "error rate 1: say one in 0..1")]
    fn an_error_rate_is_a_share() {
        let _ = judge(&[], 1.0, 1);
    }

    #[test]
    fn the_company_changes_the_confidence_and_nothing_else() {
        let suite = SUITE.measure(Seed(3));
        let together = judge(&suite, ERROR_RATE, 1);
        let alone = judge(&suite[4..5], ERROR_RATE / suite.len() as f64, 1);
        assert_eq!(together[4], alone[0]);
        let [wide, narrow] = [&together[4], &judge(&suite[4..5], ERROR_RATE, 1)[0]]
            .map(|judged| judged.ratio.unwrap());
        assert!(wide.low < narrow.low && narrow.high < wide.high);
    }

    /// Suites without any difference report a change no more often than promised.
    #[test]
    fn equal_sides_are_hardly_ever_called_changed() {
        let alarms = (0..200)
            .filter(|seed| changed(&judge(&SUITE.measure(Seed(*seed)), ERROR_RATE, *seed)) > 0)
            .count();
        assert!(alarms <= 10, "{alarms} of 200");
    }

    /// Without a control and with small differences of interest, the intervals alone keep the
    /// promise; at the confidence of a single one they would not.
    #[test]
    fn the_correction_for_all_entries_is_what_keeps_the_promise() {
        let suite = Suite { control: false, tolerance: 1e-6, ..SUITE };
        let (mut corrected, mut uncorrected) = (0, 0);
        for seed in 0..200 {
            let entries = suite.measure(Seed(seed));
            let one_by_one = |entry| changed(&judge(std::slice::from_ref(entry), ERROR_RATE, seed));
            corrected += usize::from(changed(&judge(&entries, ERROR_RATE, seed)) > 0);
            uncorrected += usize::from(entries.iter().any(|entry| one_by_one(entry) > 0));
        }
        assert!(corrected <= 10, "{corrected} of 200");
        assert!(uncorrected > 20, "{uncorrected} of 200");
    }

    #[test]
    fn a_slowdown_is_found_where_it_is() {
        let suite = Suite { slower: 1.05, ..SUITE };
        let (mut found, mut wrong) = (0, 0);
        for seed in 0..100 {
            let judged = judge(&suite.measure(Seed(1000 + seed)), ERROR_RATE, seed);
            found += judged[..3].iter().filter(|one| one.finding == Finding::WORSE).count();
            wrong += changed(&judged[3..]);
        }
        assert!(found >= 270 && wrong <= 5, "{found} of 300 metrics, {wrong} wrong");
    }

    #[test]
    fn a_noisy_machine_tells_nothing() {
        let noise = Noise { deviation: 0.15, ..SUITE.noise };
        for slower in [1.0, 1.05] {
            let suite = Suite { noise, slower, ..SUITE };
            let (mut said, mut unknown) = (0, 0);
            for seed in 0..20 {
                let judged = judge(&suite.measure(Seed(seed)), ERROR_RATE, seed);
                said += changed(&judged);
                let is_unknown = |one: &&Judged| one.finding.is_unknown();
                unknown += judged.iter().filter(is_unknown).count();
            }
            assert_eq!(said + unknown, 360, "nothing is unchanged");
            assert!(unknown >= 355, "{slower}: {unknown} of 360");
        }
    }

    /// Shares of metrics called changed where a change has to exceed nothing, the control's
    /// deviation, twice that, or the far end of its interval.
    fn called_changed(suite: Suite, suites: u64) -> [f64; 4] {
        let mut shares = [0.0; 4];
        for seed in 0..suites {
            // Every metric has the confidence of 18, but only those that are slower are judged.
            let entries = &suite.measure(Seed(seed))[..3];
            for judged in judge(entries, ERROR_RATE * 3.0 / 18.0, seed) {
                let shown = (judged.control.unwrap().estimate - 1.0).abs();
                for (share, exceeds) in
                    shares.iter_mut().zip([0.0, shown, 2.0 * shown, judged.floor])
                {
                    let bar = Bar { floor: judged.floor, exceeds, tolerance: judged.tolerance };
                    let finding = bar.judge(judged.ratio.as_ref(), judged.better);
                    *share += f64::from(u8::from(finding == Finding::WORSE));
                }
            }
        }
        shares.map(|share| share / (suites * 3) as f64)
    }

    /// The table of [`TIMES_THE_CONTROL`].
    #[test]
    fn the_control_protects_and_costs_little() {
        let suite = Suite { noise: Noise { outliers: 0.0, ..SUITE.noise }, ..SUITE };
        let slower = called_changed(Suite { slower: 1.04, ..suite }, 100);
        let biased = called_changed(Suite { shift: 1.05, ..suite }, 100);
        let [nothing, once, twice, far] = slower;
        assert!(once > nothing - 0.02 && twice <= once && far < once - 0.03, "{slower:?}");
        let [nothing, once, twice, far] = biased;
        assert!(nothing > 0.3 && once < 0.02 && twice < 0.02 && far < 0.02, "{biased:?}");
    }

    /// Whatever is measured later in a block takes longer. B differs from A by that in every
    /// metric, and so does A measured again.
    #[test]
    fn a_control_that_differs_itself_prevents_changes() {
        let suite = Suite { shift: 1.06, ..SUITE };
        let without = Suite { control: false, ..suite };
        let (mut protected, mut misled) = (0, 0);
        for seed in 0..20 {
            protected += changed(&judge(&suite.measure(Seed(seed)), ERROR_RATE, seed));
            misled += changed(&judge(&without.measure(Seed(seed)), ERROR_RATE, seed));
        }
        assert!(protected <= 3 && misled >= 300, "{protected} and {misled} of 360");
    }

    /// A machine that gets slower from run to run favours what comes first. In mirrored order that
    /// falls on all sides alike.
    #[test]
    fn a_linear_drift_biases_any_but_the_mirrored_order() {
        let measured = |order: &str| {
            let mut rng = Seed(17).rng();
            let noise = Noise { deviation: 0.01, outliers: 0.0 };
            let mut blocks = Blocks::empty("cell", "elapsed", "s", Better::Lower, 0.05);
            let mut log = 0.0;
            for _ in 0..20 {
                let mut runs = [const { Vec::new() }; 2];
                for side in order.bytes() {
                    log += 0.02;
                    let run: f64 = log + noise.draw(&mut rng);
                    runs[usize::from(side - b'A')].push(run.exp());
                }
                let [a, b] = runs.map(|runs| [runs[0], runs[1]]);
                blocks.push(a, b, None);
            }
            judge(&[blocks], ERROR_RATE, 1)[0].finding
        };
        assert_eq!(measured("AABB"), Finding::WORSE);
        assert_eq!(measured("BBAA"), Finding::BETTER);
        assert_eq!(measured("ABBA"), Finding::UNCHANGED);
        assert_eq!(measured("BAAB"), Finding::UNCHANGED);
    }
}
