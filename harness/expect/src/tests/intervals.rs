//! Intervals against numbers that were computed elsewhere, and verdicts at their edges.

use crate::{Measured, Summary, Verdict};

use super::made_up::{SMALL, answer, exact, expectations, file, row};

fn ratio(of: Summary, to: Summary, bounds: &str) -> Measured {
    let word =
        format!("ratio = {{ of = {{ system = \"a\" }}, to = {{ system = \"b\" }}, {bounds} }}");
    answer(&word, &[of, to]).measured.remove(0)
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-6, "{found}, expected {expected}");
}

/// Logarithms 1.0, 1.1, 1.2 and 0.0, 0.1, 0.2: variances of the means 0.01 ÷ 3 each, so that Welch
/// and Satterthwaite's degrees of freedom are 4. t(0.975, 4) = 2.776445, from tables; the half width
/// is 2.776445 · √(0.02 ÷ 3) = 0.2266958.
#[test]
fn welchs_interval_of_equal_variances_is_that_of_tables() {
    let of = row("a", "", &[1.0_f64.exp(), 1.1_f64.exp(), 1.2_f64.exp()]);
    let to = row("b", "", &[1.0, 0.1_f64.exp(), 0.2_f64.exp()]);
    let measured = ratio(of, to, "at-least = 1");
    close(measured.value, 1.0_f64.exp());
    close(measured.low.unwrap(), (1.0 - 0.226_695_8_f64).exp());
    close(measured.high.unwrap(), (1.0 + 0.226_695_8_f64).exp());
    assert_eq!((measured.processes_of, measured.processes_to), (3, Some(3)));
}

/// Computed by numerical integration of Student's density (Simpson's rule) and bisection: 2.5468792
/// degrees of freedom, t = 3.5280164.
#[test]
fn welchs_interval_of_unequal_sides_has_fractions_of_freedom() {
    let of = row("a", "", &[12.0, 11.0, 13.0, 12.5]);
    let to = row("b", "", &[5.0, 7.0, 6.0]);
    let measured = ratio(of, to, "at-least = 1");
    close(measured.value, 2.036_027_904_578_923_6);
    close(measured.low.unwrap(), 1.412_612_893_461_824_7);
    close(measured.high.unwrap(), 2.934_568_732_460_794_3);
    assert_eq!((measured.processes_of, measured.processes_to), (4, Some(3)));
}

/// Against a value that cannot vary the freedom is that of the other side: t(0.975, 2) = 4.302653.
#[test]
fn what_is_exact_adds_no_width() {
    let measured = ratio(exact("a", "", 4.0), row("b", "", &[2.0, 2.2, 1.9]), "at-least = 1");
    close(measured.value, 1.970_869_636_951_944_5);
    close(measured.low.unwrap(), 1.638_314_053_821_856_8);
    close(measured.high.unwrap(), 2.370_929_503_288_906_4);
    let points = ratio(exact("a", "", 3.0), exact("b", "", 2.0), "at-least = 1.5, at-most = 1.5");
    assert_eq!((points.low, points.high), (Some(1.5), Some(1.5)));
    assert_eq!(points.verdict, Verdict::Holds, "a point that touches both bounds");
}

/// Geometric mean of 9, 10, 11.5 with t(0.975, 2) = 4.302653.
#[test]
fn a_row_alone_has_students_interval() {
    let word = "select = { of = {}, at-least = 7.4 }";
    let measured = answer(word, &[row("a", "", &[9.0, 10.0, 11.5])]).measured.remove(0);
    close(measured.value, 10.115_331_419_494_408);
    close(measured.low.unwrap(), 7.452_842_044_180_741);
    close(measured.high.unwrap(), 13.728_981_389_871_699);
    assert_eq!(measured.verdict, Verdict::Holds);
    assert_eq!(measured.processes_to, None);
}

#[test]
fn an_interval_that_touches_its_bound_lies_within() {
    let of = || row("a", "", &[3.0, 3.0]);
    let to = || row("b", "", &[0.7, 0.7]);
    let bound = 3.0 / 0.7;
    let judged = |bounds: String| ratio(of(), to(), &bounds).verdict;
    assert_eq!(judged(format!("at-least = {bound}")), Verdict::Holds);
    assert_eq!(judged(format!("at-most = {bound}")), Verdict::Holds);
    assert_eq!(judged(format!("at-least = {}", bound * (1.0 + 1e-9))), Verdict::Fails);
    assert_eq!(judged(format!("at-most = {}", bound * (1.0 - 1e-9))), Verdict::Fails);
}

#[test]
fn an_interval_holds_a_bound_or_lies_on_one_side() {
    // 2.036 (1.413 … 2.935), as above.
    for (bounds, verdict) in [
        ("at-least = 1.41", Verdict::Holds),
        ("at-least = 1.42", Verdict::Undecided),
        ("at-least = 2.93", Verdict::Undecided),
        ("at-least = 2.94", Verdict::Fails),
        ("at-most = 2.94", Verdict::Holds),
        ("at-most = 2.93", Verdict::Undecided),
        ("at-most = 1.41", Verdict::Fails),
        ("at-least = 1.41, at-most = 2.94", Verdict::Holds),
        ("at-least = 1.41, at-most = 2.0", Verdict::Undecided),
        ("at-least = 1.9, at-most = 2.1", Verdict::Undecided),
        ("at-least = 3, at-most = 4", Verdict::Fails),
    ] {
        let of = row("a", "", &[12.0, 11.0, 13.0, 12.5]);
        let to = row("b", "", &[5.0, 7.0, 6.0]);
        assert_eq!(ratio(of, to, bounds).verdict, verdict, "{bounds}");
    }
}

#[test]
fn one_process_has_no_interval() {
    let measured = ratio(row("a", "", &[9.0]), row("b", "", &[1.0, 1.1]), "at-least = 1");
    assert_eq!((measured.verdict, measured.low, measured.high), (Verdict::Undecided, None, None));
    assert_eq!(measured.shown(), "8.58× (one process: no interval)");
    let answer = answer("select = { of = {}, at-least = 1 }", &[row("a", "", &[9.0])]);
    assert_eq!(answer.verdict, Verdict::Undecided);
    assert_eq!(answer.reason, "one process: no interval");
    let exact = ratio(exact("a", "", 9.0), row("b", "", &[1.0]), "at-least = 1");
    assert_eq!(exact.verdict, Verdict::Undecided, "the other side has one process");
}

#[test]
fn what_has_no_logarithm_is_said() {
    let word = "ratio = { of = { system = \"a\" }, to = { system = \"b\" }, at-least = 1 }";
    let zero = answer(word, &[exact("a", "", 0.0), exact("b", "", 2.0)]);
    assert_eq!((zero.verdict, zero.measured[0].value), (Verdict::Fails, 0.0));
    let below = answer(word, &[exact("a", "", 2.0), exact("b", "", 0.0)]);
    assert_eq!(below.verdict, Verdict::NotTestable);
    assert_eq!(below.reason, "a value of 0 has no ratio to others");
    let negative = answer("select = { of = {}, at-least = 1 }", &[row("a", "", &[1.0, -1.0])]);
    assert_eq!(negative.verdict, Verdict::NotTestable);
    assert!(negative.reason.contains("throughput is -1, and only positive numbers"));
}

/// Values in other units are the same ratios: verdicts do not move, and values within rounding.
#[test]
fn ratios_do_not_depend_on_units() {
    let values = |at: u32| -> Vec<f64> {
        let noise = |process: u32| f64::from((at + process * 5) % 7) / 100.0;
        (0..3).map(|process| f64::from(1 + at * 3 % 5) * (1.0 + noise(process))).collect()
    };
    let rows = |factor: f64| -> Vec<Summary> {
        (0..24)
            .map(|at| {
                let values: Vec<f64> = values(at).iter().map(|value| value * factor).collect();
                let system = ["a", "b"][at as usize % 2];
                row(system, &format!("threads={} keys=k{}", at / 2 % 3, at / 6), &values)
            })
            .collect()
    };
    let word =
        "ratio = { of = { system = \"a\" }, to = { system = \"b\" }, at-least = 0.6, at-most = 2 }";
    let plain = answer(word, &rows(1.0));
    let verdicts: Vec<Verdict> = plain.measured.iter().map(|measured| measured.verdict).collect();
    assert_eq!(verdicts.len(), 12);
    for verdict in [Verdict::Holds, Verdict::Fails, Verdict::Undecided] {
        assert!(verdicts.contains(&verdict), "{verdict:?} is among {verdicts:?}");
    }
    for factor in [1e-9, 0.3, 7.0, 1e12] {
        let scaled = answer(word, &rows(factor));
        let same: Vec<Verdict> = scaled.measured.iter().map(|measured| measured.verdict).collect();
        assert_eq!(same, verdicts, "{factor}");
        for (one, other) in plain.measured.iter().zip(&scaled.measured) {
            close(other.value, one.value);
            close(other.low.unwrap(), one.low.unwrap());
            close(other.high.unwrap(), one.high.unwrap());
        }
    }
}

/// Two processes that happen to agree do not show that processes agree; memory, which hardly varies, may.
#[test]
fn the_spread_of_rates_is_known_before() {
    let rows = [row("a", "", &[1.1, 1.1001]), row("b", "", &[1.0, 1.0001])];
    let word = "ratio = { of = { system = \"a\" }, to = { system = \"b\" }, at-least = 1 }";
    let verdict = |claims: &[crate::Expectation], rows: &[Summary]| {
        crate::evaluate(claims, rows, &SMALL)[0].measured[0].verdict
    };
    let once = expectations(&file(word));
    assert_eq!(verdict(&once, &rows), Verdict::Holds);
    let repeated = crate::in_repeated_looks(once);
    assert_eq!(verdict(&repeated, &rows), Verdict::Undecided);
    let far = [row("a", "", &[2.2, 2.3]), rows[1].clone()];
    assert_eq!(verdict(&repeated, &far), Verdict::Holds, "0.8 is many deviations of 0.12");
    let memory = expectations(&file(word).replace("\"throughput\"", "\"overhead\""));
    let of_memory = |row: Summary| Summary {
        metrics: [("overhead".to_owned(), row.metrics["throughput"].clone())].into(),
        ..row
    };
    let [a, b] = rows.map(of_memory);
    assert_eq!(verdict(&crate::in_repeated_looks(memory), &[a, b]), Verdict::Holds);
}

/// What slows a whole repetition cancels from the second look on, where four pairs are there.
#[test]
fn later_looks_compare_what_one_repetition_measured() {
    let slow = [1.0, 4.0, 2.0, 8.0, 1.0, 3.0];
    let own = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98];
    let of = row("a", "", &[0, 1, 2, 3, 4, 5].map(|at: usize| 1.3 * slow[at] * own[at]));
    let to = row("b", "", &slow);
    let word = "ratio = { of = { system = \"a\" }, to = { system = \"b\" }, at-least = 1 }";
    let once = expectations(&file(word));
    let repeated = crate::in_repeated_looks(once.clone());
    let measured = |claims: &[crate::Expectation], rows: &[Summary]| {
        crate::evaluate(claims, rows, &SMALL)[0].measured[0].clone()
    };
    let both = [of.clone(), to.clone()];
    assert_eq!(measured(&once, &both).verdict, Verdict::Undecided);
    let paired = measured(&repeated, &both);
    assert_eq!(paired.verdict, Verdict::Holds);
    close(paired.value, 1.3 * own[..4].iter().product::<f64>().powf(0.25));
    // A process that failed leaves values without their repetitions: they are not paired.
    let failed = Summary { cells: of.cells[1..].to_vec(), ..of };
    assert_eq!(measured(&repeated, &[failed, to]).verdict, Verdict::Undecided);
}
