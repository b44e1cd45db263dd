//! Comparisons for the tests of every format.

use std::collections::BTreeMap;

use stats::{Better, Interval, Method};

use crate::{
    COMPARISON_SCHEMA, Comparison, Finding, How, Instructions, Judged, Side, Unknown, Values,
};

/// An estimate of twelve blocks, with an interval of some 1.35 % to both sides.
fn estimate(ratio: f64) -> Interval {
    Interval {
        estimate: ratio,
        low: ratio - 0.013,
        high: ratio + 0.014,
        level: None,
        count: 12,
        method: Method::TrimmedMean,
    }
}

/// Throughput of `ycsb-a` that fell to `ratio`.
pub(super) fn worse(ratio: f64) -> Judged {
    Judged {
        cell: "ycsb-a".to_owned(),
        metric: "throughput".to_owned(),
        unit: "1/s".to_owned(),
        better: Better::Higher,
        tolerance: 0.05,
        baseline: Values::of(&[1_250_000.0]),
        candidate: Values::of(&[1_250_000.0 * ratio]),
        ratio: Some(estimate(ratio)),
        control: Some(estimate(1.003)),
        floor: 0.021,
        looked_twice: true,
        finding: Finding::WORSE,
    }
}

/// A percentile of `ycsb-b` that fell by 12 %.
pub(super) fn better() -> Judged {
    Judged {
        cell: "ycsb-b".to_owned(),
        metric: "p99".to_owned(),
        unit: "ns".to_owned(),
        better: Better::Lower,
        tolerance: 0.1,
        baseline: Values::of(&[2_000.0]),
        candidate: Values::of(&[1_760.0]),
        ratio: Some(estimate(0.88)),
        looked_twice: false,
        finding: Finding::BETTER,
        ..worse(1.0)
    }
}

/// Memory of `ycsb-c` as it was.
pub(super) fn unchanged() -> Judged {
    Judged {
        cell: "ycsb-c".to_owned(),
        metric: "memory".to_owned(),
        unit: "bytes".to_owned(),
        better: Better::Lower,
        baseline: Values::of(&[52_428_800.0]),
        candidate: Values::of(&[52_428_800.0]),
        ratio: Some(estimate(1.0)),
        looked_twice: false,
        finding: Finding::UNCHANGED,
        ..worse(1.0)
    }
}

/// Throughput of `ycsb-d` of which nothing can be told.
pub(super) fn unknown(because: Unknown) -> Judged {
    let few = because == Unknown::TooFew;
    Judged {
        cell: "ycsb-d".to_owned(),
        ratio: (!few).then(|| estimate(0.97)),
        control: None,
        looked_twice: because == Unknown::Unconfirmed,
        finding: Finding::unknown(because),
        ..worse(0.97)
    }
}

/// A comparison of two revisions with these verdicts.
pub(super) fn of(judged: Vec<Judged>) -> Comparison {
    let side = |name: &str, facts: &[(&str, &str)]| Side {
        name: name.to_owned(),
        facts: facts.iter().map(|(name, fact)| ((*name).to_owned(), (*fact).to_owned())).collect(),
    };
    Comparison {
        schema: COMPARISON_SCHEMA,
        command: "nibble-bench gate --baseline main".to_owned(),
        baseline: side(
            "main",
            &[("cpu", "one & only"), ("revision", "2a82516"), ("run", "2026-01-02")],
        ),
        candidate: side("HEAD", &[("cpu", "one & only"), ("revision", "b1946ac")]),
        how: How::Interleaved { blocks: 12 },
        error_rate: 0.02,
        unlike: Vec::new(),
        notes: Vec::new(),
        judged,
        instructions: Vec::new(),
        elapsed_s: 425.0,
        folder: String::new(),
    }
}

/// A comparison with every kind of verdict, in no particular order.
pub(super) fn every_kind() -> Comparison {
    of(vec![
        unchanged(),
        unknown(Unknown::Floor),
        better(),
        worse(0.93),
        unknown(Unknown::Interval),
        unknown(Unknown::TooFew),
        worse(0.8),
        unknown(Unknown::Unconfirmed),
    ])
}

/// A comparison with everything there can be in it, and names that every format has to escape.
pub(super) fn hostile() -> Comparison {
    let mut comparison = every_kind();
    let name = "a|b `c`\n<script> &amp; @someone \u{1b}[31m #12 *x* _y_ [z](http://h) \"q\"";
    comparison.command = format!("gate '{name}' ```");
    comparison.baseline.name = name.to_owned();
    comparison.candidate.facts = BTreeMap::from([(name.to_owned(), name.to_owned())]);
    comparison.how = How::Apart;
    comparison.unlike = vec![format!("kernel: 6.1 and {name}")];
    comparison.notes = vec![format!("note {name}")];
    comparison.folder = format!("results/{name}");
    comparison.instructions = vec![Instructions {
        cell: name.to_owned(),
        baseline_per_operation: 312.25,
        candidate_per_operation: 300.5,
    }];
    for judged in &mut comparison.judged {
        judged.cell = format!("{} {name}", judged.cell);
        judged.metric = format!("{} {name}", judged.metric);
    }
    comparison
}
