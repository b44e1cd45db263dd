//! What can be wrong with a file of expectations.

use std::error::Error;
use std::fmt;

use crate::On;
use record::dimensions::label_names;
use record::unknown_name;

/// Why a file cannot be used. Every message names the expectation, the value and the remedy.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// Not a TOML file of expectations; names the line, the key and what is allowed there.
    Toml(String),
    /// An id that is not kebab-case.
    Id { id: String },
    /// Two expectations have the same id.
    Duplicate { id: String },
    /// A key of an expectation is empty.
    Empty { id: String, key: &'static str },
    /// An expectation has no question.
    NoQuestion { id: String },
    /// Something is wrong with a question.
    Question {
        id: String,
        /// Which of its questions, from 1.
        question: usize,
        mistake: Mistake,
    },
}

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Mistake {
    /// A key is empty.
    Empty { key: &'static str },
    /// None of the four relations, or more than one.
    Words {
        /// Those that are there.
        found: Vec<&'static str>,
    },
    /// Neither `at-least` nor `at-most`.
    NoBound { word: &'static str },
    /// `flat` without `by`.
    NoBy,
    /// `by` is below 1 or not a number.
    By {
        /// What is there.
        by: f64,
    },
    /// A bound is negative or not a number.
    Bound {
        key: &'static str,
        /// What is there.
        value: f64,
    },
    /// The lower bound is above the upper one.
    Crossed {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// `at-least` or `at-most` beside `above` or `below`.
    MixedBounds,
    /// `margin` is not a share.
    Margin {
        /// What is there.
        margin: f64,
    },
    /// `worst` with a bound on either side.
    WorstOfTwo,
    /// A varied label is also fixed.
    Varied { label: String },
    /// `presets` names one that the file does not have.
    Preset {
        name: String,
        /// Those of the file.
        known: Vec<String>,
    },
    /// `presets` of a question that is about no engine with presets.
    PresetsUnasked,
    /// `needs` of a question that is not for large machines.
    NeedsUnasked {
        /// The machines it is put to.
        on: On,
    },
    /// `on = "large"` without saying what that is.
    NoNeeds,
    /// No row has this label.
    Label { name: String },
    /// No row has this metric.
    Metric { name: String },
    /// A value that no label can have.
    Value {
        label: String,
        /// What is there.
        value: String,
    },
    /// A place along a label is not a number.
    Place {
        key: &'static str,
        /// What is there.
        value: String,
    },
    /// The first place is not before the last one.
    Span { first: f64, last: f64 },
    /// `of` or `to` fixes the label that a crossover goes along.
    AlongFixed {
        /// The label.
        along: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toml(said) => write!(formatter, "no file of expectations: {said}"),
            Self::Id { id } => write!(
                formatter,
                "expectation \"{id}\": an id is lower-case words joined by `-`, as in \"fig8a-epoch\""
            ),
            Self::Duplicate { id } => write!(
                formatter,
                "expectation \"{id}\" is there twice; rename one, or make it another \
                 [[expectation.ask]] of the first"
            ),
            Self::Empty { id, key } => {
                write!(formatter, "expectation \"{id}\": `{key}` is empty; say it in a few words")
            }
            Self::NoQuestion { id } => {
                write!(
                    formatter,
                    "expectation \"{id}\" has no question; add an [[expectation.ask]]"
                )
            }
            Self::Question { id, question, mistake } => {
                write!(formatter, "expectation \"{id}\", question {question}: {mistake}")
            }
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { key } => write!(formatter, "`{key}` is empty; say it in a few words"),
            Self::Words { found } if found.is_empty() => formatter
                .write_str("no relation; add one of `select`, `ratio`, `monotone` and `crossover`"),
            Self::Words { found } => write!(
                formatter,
                "`{}` together; a question has one relation, so make each a question of its own",
                found.join("` and `")
            ),
            Self::NoBound { word } => write!(
                formatter,
                "`{word}` without a bound cannot fail; add `at-least`, `at-most` or both, or `above` \
                 or `below`"
            ),
            Self::NoBy => formatter.write_str(
                "`flat` without `by`; say by which factor values may differ, as in `by = 1.1`",
            ),
            Self::By { by } => write!(
                formatter,
                "`by = {by}` is no factor of 1 or more; turn `moves` around or say a larger one"
            ),
            Self::Bound { key, value } => write!(
                formatter,
                "`{key} = {value}`: measured values are 0 or more; say such a number"
            ),
            Self::Crossed { low, high } => write!(
                formatter,
                "the lower bound {low} is above the upper bound {high}; swap them or drop one"
            ),
            Self::MixedBounds => formatter.write_str(
                "`at-least` and `at-most` do not go with `above` and `below`; use one kind",
            ),
            Self::Margin { margin } => write!(
                formatter,
                "`margin = {margin}` is no share of a bound; say 0 or more, and less than 1"
            ),
            Self::WorstOfTwo => formatter.write_str(
                "`worst` needs one bound, which says what is worse; drop the other, or `worst`",
            ),
            Self::Varied { label } => write!(
                formatter,
                "`{label}` is varied and named by the question too; drop it from one of them"
            ),
            Self::Preset { name, known } => write!(
                formatter,
                "{}; the table [presets] at the file's head names them",
                unknown_name("preset", name, known.iter().map(String::as_str))
            ),
            Self::PresetsUnasked => formatter
                .write_str("`presets` of a question that names no engine with presets; drop it"),
            Self::NeedsUnasked { on } => write!(
                formatter,
                "`needs` of a question on \"{}\"; drop it, or put it on \"large\"",
                on.name()
            ),
            Self::NoNeeds => formatter.write_str(
                "on \"large\" without `needs`; say what is large, as in `needs = { cores = 16 }`",
            ),
            Self::Label { name } => write!(
                formatter,
                "no row has a label `{name}`; labels are {} and set.NAME",
                known_labels()
            ),
            Self::Metric { name } => write!(
                formatter,
                "no row has a metric `{name}`; metrics are throughput, overhead, overhead-WHEN and \
                 names that end in their unit: -ns, -s, -percent, -bytes, -per-SOMETHING; of two \
                 counters \"ABOVE / BELOW\""
            ),
            Self::Value { label, value } => write!(
                formatter,
                "`{label} = {value}`: say a text, a number, true or false, or a list of at least one"
            ),
            Self::Place { key, value } => write!(
                formatter,
                "`{key} = {value}` is no place along a label; say a number or bytes like \"64KiB\""
            ),
            Self::Span { first, last } => write!(
                formatter,
                "{first} is not before {last}; say the lower number first, and another one second"
            ),
            Self::AlongFixed { along } => write!(
                formatter,
                "`{along}` is both what `along` names and what `of` or `to` fixes; drop one, or put \
                 it into `where`"
            ),
        }
    }
}

impl Error for ReadError {}

/// The labels that rows may have, as a list.
fn known_labels() -> String {
    let mut names: Vec<&str> = label_names().collect();
    names.sort_unstable();
    names.join(", ")
}
