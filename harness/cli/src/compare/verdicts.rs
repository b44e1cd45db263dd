//! Whether two runs come to the same verdicts: a question agrees where both decide it alike.

use std::collections::BTreeMap;

use expect::{Answer, Verdict};

use super::agreement::reaches;

/// A question that both runs decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided<'a> {
    pub a: &'a Answer,
    pub b: &'a Answer,
}

impl Decided<'_> {
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.a.verdict == self.b.verdict
    }
}

/// Two runs, question by question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SameVerdicts<'a> {
    /// In the order of the first run's answers.
    pub both: Vec<Decided<'a>>,
    /// How many only the first run decides, and how many only the second.
    pub only_one: [usize; 2],
    /// How many neither run decides.
    pub neither: usize,
}

impl SameVerdicts<'_> {
    /// Number of questions on which both runs come to the same verdict.
    #[must_use]
    pub fn agreeing(&self) -> usize {
        self.both.iter().filter(|question| question.agrees()).count()
    }

    /// Whether at least `percent` of the questions that both decide agree; of none none do.
    #[must_use]
    pub fn reaches(&self, percent: u32) -> bool {
        reaches(self.agreeing(), self.both.len(), percent)
    }
}

/// Compares the answers of two runs to the same claims.
#[must_use]
pub fn same_verdicts<'a>(a: &'a [Answer], b: &'a [Answer]) -> SameVerdicts<'a> {
    let key = |answer: &'a Answer| (&answer.id, answer.question, &answer.preset);
    let decides = |answer: &Answer| matches!(answer.verdict, Verdict::Holds | Verdict::Fails);
    let others: BTreeMap<_, &Answer> = b.iter().map(|answer| (key(answer), answer)).collect();
    let mut same = SameVerdicts::default();
    for a in a {
        let Some(b) = others.get(&key(a)).copied() else { continue };
        match (decides(a), decides(b)) {
            (true, true) => same.both.push(Decided { a, b }),
            (true, false) => same.only_one[0] += 1,
            (false, true) => same.only_one[1] += 1,
            (false, false) => same.neither += 1,
        }
    }
    same
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use expect::{Machine, Summary, evaluate, read};

    /// Answers of a made-up run: whether each system is at least as fast as 10, in its order. A
    /// system of one process is undecided.
    pub(crate) fn answers(throughputs: &[(&str, &[f64])]) -> Vec<Answer> {
        let claims: String = throughputs
            .iter()
            .map(|(system, _)| {
                format!(
                    "[[expectation]]\nid = \"{system}-fast\"\nsource = \"a paper\"\nsays = \"so\"\n\
                     [[expectation.ask]]\non = \"any\"\nexpects = \"so\"\nmetric = \"throughput\"\n\
                     select = {{ of = {{ system = \"{system}\" }}, at-least = 10 }}\n"
                )
            })
            .collect();
        let rows: Vec<Summary> = throughputs
            .iter()
            .map(|(system, values)| Summary {
                labels: [("system".to_owned(), (*system).to_owned())].into(),
                metrics: [("throughput".to_owned(), values.to_vec())].into(),
                ..Summary::default()
            })
            .collect();
        evaluate(&read(&claims).unwrap(), &rows, &Machine { cores: 2, sockets: 1 })
    }

    const FAST: &[f64] = &[11.0, 11.1, 11.2];
    const SLOW: &[f64] = &[8.0, 8.1, 8.2];

    #[test]
    fn what_both_decide_agrees_or_not_and_the_rest_is_counted() {
        let a = answers(&[("p", FAST), ("q", FAST), ("r", FAST), ("s", &[10.0]), ("t", &[9.0])]);
        let b = answers(&[("p", FAST), ("q", SLOW), ("r", &[9.0]), ("s", SLOW), ("t", &[9.0])]);
        let same = same_verdicts(&a, &b);
        let both: Vec<(&str, bool)> =
            same.both.iter().map(|one| (one.a.id.as_str(), one.agrees())).collect();
        assert_eq!(both, [("p-fast", true), ("q-fast", false)]);
        assert_eq!((same.only_one, same.neither), ([1, 1], 1));
        assert!(same.reaches(50) && !same.reaches(51));
    }

    #[test]
    fn of_nothing_decided_nothing_agrees() {
        let undecided = answers(&[("p", &[10.0])]);
        assert!(!same_verdicts(&undecided, &undecided).reaches(0));
    }
}
