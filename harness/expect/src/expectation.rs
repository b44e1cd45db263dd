//! Expectations as they are evaluated: checked and typed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bounds::Bounds;
use crate::{Look, ONE_LOOK, Preset, Unit};

/// What is claimed or wanted, and what is asked of measurements for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Unique in its file. Words in kebab-case; behind a `/` the values of what the file varies.
    pub id: String,
    /// Where it is published, or who wants it.
    pub source: String,
    /// What is claimed.
    pub says: String,
    /// The report's figure that shows it.
    pub figure: Option<String>,
    /// At least one; one for each preset where the file names presets.
    pub questions: Vec<Question>,
}

/// A relation that is expected of summary rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its place among the questions of the expectation, from 1: the same for all presets.
    pub number: usize,
    /// The preset that rows of the preset's engine have to run.
    pub preset: Option<Preset>,
    /// On which machines it is expected.
    pub on: On,
    /// What a machine must have; only for [`On::Large`].
    pub needs: Needs,
    /// The smallest scale of a run that is asked, where smaller ones are not likely to decide.
    pub from_scale: Option<String>,
    /// Why the run is not asked, once its scale is known ([`at_scale`](crate::at_scale)).
    pub left: Option<String>,
    /// The relation in words, with why it may differ from what is published.
    pub expects: String,
    /// The metric that is judged.
    pub metric: Metric,
    /// The labels that every row must have.
    pub rows: Selection,
    /// What is expected of them.
    pub relation: Relation,
    /// How values become an interval.
    pub method: Method,
    /// Whether it holds only if all that it selects can be judged, because its cells were measured for
    /// it. Then also every comparison has to hold.
    pub complete: bool,
}

/// The name of a metric, with what its numbers are.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// As in the rows; of a quotient `ABOVE / BELOW`.
    pub name: String,
    /// How its values are shown.
    pub unit: Unit,
    /// The two counters of a quotient.
    pub quotient: Option<[String; 2]>,
}

/// How the values of processes become an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Of the mean logarithms of independent processes, judged in these looks.
    Welch {
        /// In their order; at least one.
        looks: &'static [Look],
    },
    /// 99.9 %, of the median of rounds, by resampling them.
    Rounds {
        /// The seed of the resampling.
        seed: u64,
    },
}

impl Method {
    /// How often a comparison may be judged.
    #[must_use]
    pub fn looks(self) -> &'static [Look] {
        match self {
            Self::Welch { looks } => looks,
            Self::Rounds { .. } => ONE_LOOK,
        }
    }
}

/// Which machine a relation is expected on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// Every machine.
    Any,
    /// Machines that are not large: asked where the `large` question beside it cannot be tested.
    Small,
    /// Machines that have what the question needs.
    Large,
}

impl On {
    /// As in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}

/// What a machine must have; 0 where nothing is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Needs {
    /// Cores that the process may use.
    pub cores: usize,
    /// NUMA nodes with memory.
    pub sockets: usize,
    /// What the kernel must be able to do, which no stock kernel is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Kernel>,
}

/// What a kernel other than a stock one may be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// A thread changes to another page table by a system call.
    AddressSpaces,
}

impl Kernel {
    /// What is needed, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::AddressSpaces => "a kernel that changes page tables for user code",
        }
    }
}

/// Labels with the values that are allowed: a row is selected by all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Each with at least one value.
    pub labels: BTreeMap<String, Vec<String>>,
}

/// One of the four relations.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The metric itself, of each row.
    Select {
        /// The rows.
        of: Selection,
        /// Where it has to lie, in the metric's own unit.
        bounds: Bounds,
        /// Whether only the row that is farthest towards the bound is judged.
        worst: bool,
    },
    /// The metric of some rows ÷ that of others.
    Ratio {
        /// The numerators.
        of: Selection,
        /// The denominators.
        to: Selection,
        /// Where the ratio has to lie.
        bounds: Bounds,
    },
    /// How the metric moves along a label.
    Monotone {
        /// The rows.
        of: Selection,
        /// The label.
        along: String,
        /// The first and last number of the label that count.
        span: [f64; 2],
        /// The direction.
        moves: Moves,
        /// The least factor, or for [`Moves::Flat`] the largest. At least 1.
        by: f64,
    },
    /// Where along a label the ratio crosses 1.
    Crossover {
        /// The numerators.
        of: Selection,
        /// The denominators.
        to: Selection,
        /// The label.
        along: String,
        /// Up to the first number the ratio is below 1, from the second on it is above.
        between: [f64; 2],
    },
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// The last is lower than the first.
    Falls,
    /// The last is higher than the first.
    Rises,
    /// None is far from the first.
    Flat,
}
