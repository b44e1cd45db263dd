//! What a table of targets (`harness/suites/targets.toml`) says beside its expectations: how large
//! cells are, and what systems elsewhere reached. The wire types are strict.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::mean::Mean;
use super::sizes::Sizes;
use super::target::Target;
use crate::suites::Bytes;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct File {
    /// Of every random choice.
    pub(crate) seed: u64,
    pub(crate) plan: Plan,
    /// Combinations expanded.
    pub(crate) targets: Vec<Target>,
}

/// The table `plan`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Plan {
    /// Sizes by the name of their scale.
    #[serde(rename = "scale")]
    pub(crate) scales: BTreeMap<String, Sizes>,
    /// What the machine of the yardsticks measured.
    #[serde(default)]
    pub(crate) calibration: Option<Reference>,
    #[serde(default, rename = "yardstick")]
    pub(crate) yardsticks: Vec<Yardstick>,
    #[serde(default, rename = "mean")]
    pub(crate) means: Vec<Mean>,
}

/// `cells` of an expectation: what is measured for it, as far as no label says it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CellSizes {
    pub(crate) object_memory: Option<Bytes>,
    /// Segments of the object memory, for stores with a setting `segment-bytes`.
    pub(crate) segments: Option<u64>,
    /// Operations of each thread, where the scale's are too many.
    pub(crate) operations: Option<u64>,
    /// The scale's operations times this.
    pub(crate) operations_factor: Option<f64>,
    /// How often the PUTs within the clock write the object memory, instead of the scale's
    /// operations.
    pub(crate) rewrites: Option<f64>,
    /// Targets of one expectation that differ in the mix or the keys alone are measured by one process,
    /// which loads the store once.
    #[serde(default)]
    pub(crate) shared_loads: bool,
}

/// What a machine's memory is capable of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Reference {
    /// Time for each independent random cache line.
    pub(crate) random_line_ns: f64,
    /// Copies of 1 KiB from random places.
    pub(crate) copy_gb_per_s: f64,
}

/// A system's throughput, all threads together, as measured elsewhere.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Yardstick {
    pub(crate) name: String,
    pub(crate) mops: Vec<YardstickValue>,
}

/// One workload's.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct YardstickValue {
    pub(crate) value_bytes: usize,
    pub(crate) get_percent: u32,
    pub(crate) is: f64,
}

/// What is wrong with a file of targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileError {
    pub(crate) file: String,
    pub(crate) message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.message)
    }
}

impl File {
    /// Parses `text`, which came from `file`.
    ///
    /// # Errors
    /// What is wrong, with its place and the remedy.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        Self::of_text(text).map_err(|message| FileError { file: file.to_owned(), message })
    }

    fn of_text(text: &str) -> Result<Self, String> {
        let read = expect::read_planned::<Plan, CellSizes>(text);
        let expect::Planned { seed, plan, expectations } =
            read.map_err(|error| error.to_string())?;
        for (name, sizes) in &plan.scales {
            sizes.check().map_err(|error| format!("scale `{name}`: {error}"))?;
        }
        let targets = expectations.into_iter().map(|(expectation, sizes)| {
            let id = expectation.id.clone();
            Target::new(&plan, expectation, &sizes)
                .map_err(|error| format!("target `{id}`: {error}"))
        });
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        for mean in &plan.means {
            mean.check(&targets)?;
        }
        Ok(Self { seed, plan, targets })
    }
}

impl Plan {
    /// What the yardstick `name` reached at such values and shares of GETs, in Mops/s.
    pub(crate) fn mops(&self, name: &str, value_bytes: usize, get_percent: u32) -> Option<f64> {
        let yardstick = self.yardsticks.iter().find(|yardstick| yardstick.name == name)?;
        let asked = (value_bytes, get_percent);
        let is = |value: &&YardstickValue| (value.value_bytes, value.get_percent) == asked;
        yardstick.mops.iter().find(is).map(|value| value.is)
    }
}
