//! Runs that several nodes measured: nodes that differ decide nothing.

use record::made_up;

use crate::{Summary, Verdict, evaluate};

use super::made_up::{SMALL, expectations, file, row};

/// How far the logarithms of nodes, and of processes on one of them, differ.
const NODE: f64 = 0.2;
const PROCESS: f64 = 0.02;

/// About a standard normal variable, drawn from a name.
fn normal(name: &str) -> f64 {
    (0..12).map(|part| made_up::of(&format!("{name} {part}"))).sum::<f64>() - 6.0
}

/// Values of so many processes on each of the nodes, which are so fast; those of this system are `factor`
/// times as fast as they would be.
fn measured(experiment: u32, system: &str, factor: f64, on: &[(usize, f64)]) -> Summary {
    let (mut values, mut nodes) = (Vec::new(), Vec::new());
    for (name, (processes, speed)) in on.iter().enumerate() {
        for process in 0..*processes {
            let own = normal(&format!("{experiment} {system} {name} {process}"));
            values.push(factor * (speed + PROCESS * own).exp());
            nodes.push(format!("node{name}"));
        }
    }
    Summary { nodes, ..row(system, "", &values) }
}

/// The speeds of four nodes, the slowest first.
fn speeds(experiment: u32) -> [f64; 4] {
    let mut speeds = [0, 1, 2, 3].map(|node| NODE * normal(&format!("{experiment} {node}")));
    speeds.sort_by(f64::total_cmp);
    speeds
}

fn verdict(rows: &[Summary], bounds: &str) -> Verdict {
    let word =
        format!("ratio = {{ of = {{ system = \"a\" }}, to = {{ system = \"b\" }}, {bounds} }}");
    evaluate(&expectations(&file(&word)), rows, &SMALL)[0].measured[0].verdict
}

/// Both systems are equally fast, so a claim that one is faster lies on its bound. Nodes differ by 20 %, and
/// more processes of one system than of the other ran on the fast ones: of processes as such that is a
/// difference.
#[test]
fn nodes_that_differ_bring_no_false_verdict() {
    let (experiments, mut wrong, mut misled) = (200, 0, 0);
    for experiment in 0..experiments {
        let speeds = speeds(experiment);
        let on = |processes: [usize; 4]| -> Vec<(usize, f64)> {
            processes.into_iter().zip(speeds).collect()
        };
        let rows = [
            measured(experiment, "a", 1.0, &on([1, 2, 6, 9])),
            measured(experiment, "b", 1.0, &on([9, 6, 2, 1])),
        ];
        wrong += u32::from(verdict(&rows, "at-least = 1") != Verdict::Undecided);
        let blind = rows.map(|row| Summary { nodes: Vec::new(), ..row });
        misled += u32::from(verdict(&blind, "at-least = 1") != Verdict::Undecided);
    }
    assert!(wrong * 100 <= experiments * 7, "{wrong} of {experiments}");
    assert!(misled * 100 >= experiments * 50, "{misled} of {experiments}: the test tests nothing");
}

#[test]
fn what_differs_on_every_node_is_found() {
    let on = speeds(0).map(|speed| (5, speed));
    let rows = [measured(0, "a", 1.2, &on), measured(0, "b", 1.0, &on)];
    assert_eq!(verdict(&rows, "at-least = 1.05"), Verdict::Holds);
    assert_eq!(verdict(&rows, "at-most = 1.05"), Verdict::Fails);
}

#[test]
fn what_no_node_measured_on_both_sides_is_not_compared() {
    let rows = [
        measured(0, "a", 1.0, &[(9, 0.2), (0, 0.0)]),
        measured(0, "b", 1.0, &[(0, 0.2), (9, 0.0)]),
    ];
    let word = "ratio = { of = { system = \"a\" }, to = { system = \"b\" }, at-least = 1.05 }";
    let answer = evaluate(&expectations(&file(word)), &rows, &SMALL).remove(0);
    assert!(answer.verdict != Verdict::Holds && answer.verdict != Verdict::Fails, "{answer:?}");
    assert!(format!("{answer:?}").contains("no node measured both"), "{answer:?}");
}
