//! What blocks of made-up runs say.

use compare::Finding;

use super::made_up;
use crate::{MEASURES, Measure, Measured};

fn measured(of_b: impl Fn(u64) -> u64, rounds: u32) -> Measured {
    let mut measured = Measured::default();
    for round in 0..rounds {
        for at in 0..2 {
            let ms = 100 + u64::from(round % 3) + at;
            measured.push(0, 0, round, made_up(ms));
            measured.push(0, 1, round, made_up(of_b(ms)));
            measured.push(0, 2, round, made_up(ms));
        }
    }
    measured
}

fn finding(measured: &Measured, measure: &Measure, rounds: u32) -> Option<Finding> {
    let sides = (0, 1, Some(2));
    let blocks = measured.blocks((0, "cell"), sides, measure, None, &(0..rounds))?;
    Some(compare::judge(&[blocks], 0.02, 1)[0].finding)
}

#[test]
fn five_percent_are_found_in_time_and_none_in_memory() {
    let slower = measured(|ms| ms + 5, 10);
    assert_eq!(finding(&slower, &MEASURES[0], 10), Some(Finding::WORSE));
    let peak = Measure::by_name("peak-memory").unwrap();
    assert_eq!(finding(&slower, peak, 10), Some(Finding::UNCHANGED));
    let equal = measured(|ms| ms, 10);
    assert_eq!(finding(&equal, &MEASURES[0], 10), Some(Finding::UNCHANGED));
}

/// A process that sleeps has a millisecond of processor time, which varies more than any program.
#[test]
fn what_is_too_small_or_was_not_asked_for_is_not_judged() {
    let mut measured = measured(|ms| ms, 4);
    let cpu = Measure::by_name("cpu").unwrap();
    assert!(finding(&measured, cpu, 4).is_some());
    let faults = Measure::by_name("minor-faults").unwrap();
    assert_eq!(finding(&measured, faults, 4), None);
    let asked = measured.blocks((0, "cell"), (0, 1, Some(2)), faults, Some(0.05), &(0..4));
    assert_eq!(asked.unwrap().tolerance, 0.05);
    measured = Measured::default();
    for side in [0, 0, 1, 1] {
        let mut run = made_up(1);
        run.peak_bytes = 0;
        measured.push(0, side, 0, run);
    }
    assert_eq!(finding(&measured, cpu, 1), None, "a millisecond");
    let peak = Measure::by_name("peak-memory").unwrap();
    assert_eq!(finding(&measured, peak, 1), None, "it was not seen");
    measured = Measured::default();
    for side in [0, 0, 1, 1, 2, 2] {
        let mut run = made_up(100);
        run.peak_bytes = 2 << 20;
        measured.push(0, side, 0, run);
    }
    assert_eq!(finding(&measured, peak, 1), None, "samples of 2 MiB repeat badly");
    assert!(measured.blocks((0, "cell"), (0, 1, Some(2)), peak, Some(0.1), &(0..1)).is_some());
}

#[test]
fn the_mean_of_memory_weighs_by_time() {
    let mut run = made_up(100);
    let point = |ms: u64, bytes| crate::Point { elapsed_ns: ms * 1_000_000, bytes, processes: 1 };
    run.curve = vec![point(0, 100), point(90, 1000), point(100, 0)];
    let mean = Measure::by_name("mean-memory").unwrap();
    // 90 ms of 100 bytes, 10 ms of 1000.
    assert_eq!((mean.of)(&run), 190.0);
    run.curve.truncate(1);
    assert_eq!((mean.of)(&run), 100.0);
    run.curve.clear();
    assert!((mean.of)(&run).is_nan());
}
