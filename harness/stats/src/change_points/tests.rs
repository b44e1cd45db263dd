//! Simulated histories: steps that are there are found, and nothing else is.

use super::*;

/// What a session does to a run.
#[derive(Clone, Copy, Debug)]
enum Bias {
    /// A factor up to this share above or below 1, each as likely.
    Uniform(f64),
    /// A log-normal factor of this deviation.
    LogNormal(f64),
}

impl Bias {
    fn factor(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Uniform(share) => 1.0 + share * (2.0 * rng.unit_f64() - 1.0),
            Self::LogNormal(deviation) => {
                let sum: f64 = (0..12).map(|_| rng.unit_f64()).sum();
                (deviation * (sum - 6.0)).exp()
            }
        }
    }
}

/// A history of `levels`, each a number of runs and what they would measure without sessions.
fn simulated(levels: &[(usize, f64)], bias: Bias, seed: u64) -> Vec<f64> {
    let mut rng = Seed(seed).stream("simulated history").rng();
    levels
        .iter()
        .flat_map(|&(runs, level)| std::iter::repeat_n(level, runs))
        .map(|level| level * bias.factor(&mut rng))
        .collect()
}

fn places(values: &[f64]) -> Vec<usize> {
    let found = change_points(values, &ChangeSettings::default()).unwrap();
    assert_eq!(found.segments.len(), found.changes.len() + 1);
    found.changes.iter().map(|change| change.at).collect()
}

const SESSIONS: Bias = Bias::Uniform(0.05);

#[test]
fn a_step_of_3_percent_is_found_under_sessions_of_5_percent() {
    let mut found_near = 0;
    for seed in 0..10 {
        let values = simulated(&[(80, 1e6), (80, 0.97e6)], SESSIONS, seed);
        let found = change_points(&values, &ChangeSettings::default()).unwrap();
        let [change] = found.changes[..] else { continue };
        found_near += usize::from(change.at.abs_diff(80) <= 15);
        let ratio = change.ratio;
        assert!(ratio.estimate < 1.0 && ratio.high < 1.01, "{change:?}");
        assert!(ratio.contains(ratio.estimate), "{change:?}");
        assert!(change.p_value <= 0.001);
    }
    assert!(found_near >= 9, "{found_near} of 10");
}

#[test]
fn log_normal_sessions_of_5_percent_hide_3_percent_in_120_runs_and_not_in_500() {
    let bias = Bias::LogNormal(0.05);
    let found = |half: usize| {
        let history = |seed| simulated(&[(half, 1e6), (half, 0.97e6)], bias, seed);
        (0..10).filter(|&seed| !places(&history(seed)).is_empty()).count()
    };
    assert!(found(60) <= 7, "120 runs are not enough, and the documentation says so");
    assert!(found(250) >= 9);
}

#[test]
fn a_history_of_one_level_has_no_change() {
    for bias in [SESSIONS, Bias::LogNormal(0.05)] {
        let seen = (100..140)
            .filter(|&seed| !places(&simulated(&[(160, 1e6)], bias, seed)).is_empty())
            .count();
        assert!(seen <= 1, "{bias:?}: {seen} of 40");
    }
}

#[test]
fn a_lucky_run_is_never_a_change_wherever_it_is() {
    for bias in [SESSIONS, Bias::Uniform(0.002)] {
        for seed in 200..206 {
            for runs in [12, 40, 120] {
                let values = simulated(&[(runs, 1e6)], bias, seed);
                assert_eq!(places(&values), [0; 0], "no change without it either: seed {seed}");
                for at in [0, 1, 2, runs / 2, runs - 3, runs - 2, runs - 1] {
                    let mut lucky = values.clone();
                    lucky[at] *= 1.2;
                    assert_eq!(places(&lucky), [0; 0], "{bias:?}, seed {seed}, run {at} of {runs}");
                }
            }
        }
    }
}

#[test]
fn two_lucky_runs_side_by_side_are_no_level() {
    for seed in 300..310 {
        let mut values = simulated(&[(60, 1e6)], Bias::Uniform(0.01), seed);
        values[58] *= 1.2;
        values[59] *= 1.2;
        assert_eq!(places(&values), [0; 0], "seed {seed}");
    }
}

#[test]
fn three_runs_of_a_clearly_new_level_are_one_when_enough_runs_came_before() {
    for seed in 400..410 {
        let values = simulated(&[(60, 1e6), (3, 1.2e6)], Bias::Uniform(0.01), seed);
        assert_eq!(places(&values), [60], "seed {seed}");
        assert_eq!(places(&values[..62]), [0; 0], "two are not yet: seed {seed}");
        // 2 of all orders of 10 runs, 120, look like this one: too many for 0.1 %.
        let short = simulated(&[(7, 1e6), (3, 1.2e6)], Bias::Uniform(0.01), seed);
        assert_eq!(places(&short), [0; 0], "seed {seed}");
    }
}

#[test]
fn several_steps_are_found_each_at_its_place() {
    let levels = [(40, 1e6), (40, 1.1e6), (40, 1e6), (30, 0.9e6)];
    for seed in 500..505 {
        let found = places(&simulated(&levels, Bias::Uniform(0.02), seed));
        assert_eq!(found.len(), 3, "seed {seed}: {found:?}");
        for (found, place) in found.iter().zip([40, 80, 120]) {
            assert!(found.abs_diff(place) <= 2, "seed {seed}: {found} for {place}");
        }
    }
}

#[test]
fn counts_that_do_not_depend_on_time_change_at_once_or_never() {
    let mut values = vec![4096.0; 50];
    assert_eq!(places(&values), [0; 0]);
    values.extend([4200.0; 4]);
    let found = change_points(&values, &ChangeSettings::default()).unwrap();
    let [change] = found.changes[..] else { panic!("{found:?}") };
    assert_eq!(change.at, 50);
    assert!((change.ratio.estimate - 4200.0 / 4096.0).abs() < 1e-12);
    let centres: Vec<f64> = found.segments.iter().map(|segment| segment.centre).collect();
    assert_eq!(centres, [4096.0, 4200.0]);
    assert_eq!(found.segments[1].runs, 50..54);
}

#[test]
fn more_noise_is_no_new_level() {
    for seed in 600..610 {
        let mut values = simulated(&[(60, 1e6)], Bias::Uniform(0.005), seed);
        values.extend(simulated(&[(60, 1e6)], Bias::Uniform(0.05), seed + 50));
        assert_eq!(places(&values), [0; 0], "seed {seed}");
    }
}

#[test]
fn the_same_values_have_the_same_change_points() {
    let values = simulated(&[(40, 1e6), (40, 0.95e6)], SESSIONS, 7);
    let settings = ChangeSettings::default();
    let first = change_points(&values, &settings);
    assert!(first.as_ref().is_some_and(|found| !found.changes.is_empty()));
    assert_eq!(change_points(&values, &settings), first);
}

#[test]
fn few_or_impossible_values_have_none() {
    let settings = ChangeSettings::default();
    assert_eq!(change_points(&[], &settings), Some(Segmentation::default()));
    let two = change_points(&[1.0, 9.0], &settings).unwrap();
    assert_eq!(
        two,
        Segmentation { segments: vec![Segment { runs: 0..2, centre: 5.0 }], changes: vec![] }
    );
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(change_points(&[1.0, value, 1.0], &settings), None, "{value}");
    }
}

#[test]
fn settings_out_of_range_are_errors_with_the_range() {
    let error = ChangeSettings::new(2, 0.001, Seed(1)).unwrap_err();
    assert!(error.contains("level of 2 runs") && error.contains("3 or more"), "{error}");
    for level in [0.0, 0.5, -1.0, f64::NAN] {
        let error = ChangeSettings::new(3, level, Seed(1)).unwrap_err();
        assert!(error.contains("0.0001") && error.contains("0.1"), "{error}");
    }
    let wider = ChangeSettings::new(10, 0.01, Seed(1)).unwrap();
    let values = simulated(&[(40, 1e6), (6, 1.2e6)], Bias::Uniform(0.01), 3);
    assert_eq!(places(&values), [40]);
    let found = change_points(&values, &wider).unwrap();
    assert!(found.segments.iter().all(|segment| segment.runs.len() >= 10), "{found:?}");
}

/// Counts for the table of the module's documentation.
#[test]
#[ignore = "a simulation of a minute or so"]
fn power() {
    let histories = 100;
    let mut found = 0;
    for (bias, halves) in [
        (Bias::Uniform(0.05), &[20, 30, 40, 60, 80][..]),
        (Bias::LogNormal(0.05), &[60, 80, 100, 150, 200, 250][..]),
    ] {
        for &half in halves {
            let mut distances: Vec<usize> = (0..histories)
                .filter_map(|seed| {
                    let values = simulated(&[(half, 1e6), (half, 0.97e6)], bias, 1000 + seed);
                    places(&values).iter().map(|at| at.abs_diff(half)).min()
                })
                .collect();
            distances.sort_unstable();
            found = distances.len();
            let at = |share: usize| distances.get(distances.len() * share / 100);
            println!(
                "{bias:?}, {} runs: found in {} of {histories}; its place is off by {:?} in half \
                 of them, {:?} in nine of ten",
                2 * half,
                distances.len(),
                at(50),
                at(90),
            );
        }
        assert!(found >= 95, "{bias:?}: {found} of the longest histories");
    }
}

/// Counts what lucky runs at the end of a history do, for the module's documentation.
#[test]
#[ignore = "a simulation of a minute or so"]
fn luck() {
    const LUCKY: [&[usize]; 4] = [&[], &[1], &[3], &[1, 2]];
    for bias in [SESSIONS, Bias::LogNormal(0.05), Bias::Uniform(0.005)] {
        for runs in [14, 20, 40, 120] {
            let mut changed = [0; LUCKY.len()];
            for seed in 0..400 {
                let values = simulated(&[(runs, 1e6)], bias, 5000 + seed);
                for (from_end, changed) in LUCKY.iter().zip(&mut changed) {
                    let mut values = values.clone();
                    from_end.iter().for_each(|place| values[runs - place] *= 1.2);
                    *changed += usize::from(!places(&values).is_empty());
                }
            }
            println!("{bias:?}, {runs} runs: {changed:?} of 400, lucky from the end: {LUCKY:?}");
            assert!(changed[1] <= 1 && changed[2] <= 1, "one lucky run is no level");
        }
    }
}
