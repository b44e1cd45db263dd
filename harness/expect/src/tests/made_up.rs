//! Rows and files of expectations, made up.

use crate::{Answer, Expectation, Machine, Summary, evaluate, read};

pub(crate) const SMALL: Machine = Machine { cores: 2, sockets: 1 };

/// A row of `system` with `labels` (`threads=2 keys=uniform`) and values of `throughput`.
pub(crate) fn row(system: &str, labels: &str, values: &[f64]) -> Summary {
    let mut row = Summary::default();
    let engine = system.split('@').next().unwrap_or(system);
    let named = [("family", "key-value"), ("system", system), ("engine", engine)];
    let settings = system.split('@').skip(1).filter_map(|setting| setting.split_once('='));
    row.labels.extend(named.map(|(label, value)| (label.to_owned(), value.to_owned())));
    row.labels.extend(settings.map(|(name, value)| (format!("set.{name}"), value.to_owned())));
    for label in labels.split_whitespace() {
        let (label, value) = label.split_once('=').expect("label=value");
        row.labels.insert(label.to_owned(), value.to_owned());
    }
    if !values.is_empty() {
        row.metrics.insert("throughput".to_owned(), values.to_vec());
    }
    row.cells = (0..values.len()).map(|at| format!("{system}/{labels}/{at}")).collect();
    row
}

/// Three processes within 0.2 % of `value`.
pub(crate) fn near(system: &str, labels: &str, value: f64) -> Summary {
    row(system, labels, &[value * 0.999, value, value * 1.001])
}

/// A row of one value that cannot vary.
pub(crate) fn exact(system: &str, labels: &str, value: f64) -> Summary {
    Summary { exact: true, ..row(system, labels, &[value]) }
}

/// A row without values.
pub(crate) fn absent(system: &str, labels: &str, reason: &str) -> Summary {
    Summary { absent: Some(reason.to_owned()), ..row(system, labels, &[]) }
}

/// A file with one claim and one question, on any machine, of `throughput`, that says `word`.
pub(crate) fn file(word: &str) -> String {
    expectation("a-claim", &[&question("any", word)])
}

/// A claim with `questions`.
pub(crate) fn expectation(id: &str, questions: &[&str]) -> String {
    let head = format!(
        "[[expectation]]\nid = \"{id}\"\nsource = \"A paper, Fig. 1\"\nsays = \"it is so\"\n"
    );
    head + &questions.concat()
}

/// A question of `throughput` that says `word`, with further keys behind it.
pub(crate) fn question(on: &str, word: &str) -> String {
    format!(
        "[[expectation.ask]]\non = \"{on}\"\nexpects = \"that it is so\"\nmetric = \"throughput\"\n\
         where = {{ family = \"key-value\" }}\n{word}\n"
    )
}

pub(crate) fn expectations(text: &str) -> Vec<Expectation> {
    read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The only answer of a file with one question.
pub(crate) fn answer(word: &str, rows: &[Summary]) -> Answer {
    let mut answers = evaluate(&expectations(&file(word)), rows, &SMALL);
    assert_eq!(answers.len(), 1);
    let answer = answers.remove(0);
    assert!(!answer.reason.is_empty() && !answer.line().is_empty());
    answer
}

/// What was compared.
pub(crate) fn compared(answer: &Answer) -> Vec<&str> {
    answer.measured.iter().map(|measured| measured.compared.as_str()).collect()
}
