//! The `[[key-value]]` table of a suite: a grid of stores, workloads and drivers, and of any setting of
//! a store.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use workloads::requests::Workload;

use super::{Bytes, Threads};
use record::{
    Arrivals, KeyValue,
    dimensions::{DIMENSIONS, Dimension, Given},
};

/// Every combination of these is a key-value cell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeyValueGrid {
    /// Stores, as `nibble`, `heapstore:jemalloc`, `nibble@block-bytes=16384`.
    pub stores: Vec<String>,
    /// Workloads by name: built-in ones, or the suite's own.
    #[serde(default)]
    pub workloads: Vec<String>,
    /// Shares of GETs, the rest updates: workloads `get-N`.
    #[serde(default)]
    pub get_percent: Vec<u32>,
    /// Numbers of threads; `"to-cores"` adds doublings up to the cores of the machine.
    pub threads: Vec<Threads>,
    /// Operations per call.
    #[serde(default = "default_batch")]
    pub batch: Vec<usize>,
    /// Open loops instead: requests a second of all threads together.
    #[serde(default)]
    pub rate_ops_per_s: Vec<f64>,
    /// How the requests of an open loop follow one another.
    pub arrivals: Option<Arrivals>,
    /// Object memory instead of the scale's, as `32MiB`.
    pub object_memory: Option<Bytes>,
    /// The most object memory, where the scale has more.
    pub object_memory_at_most: Option<Bytes>,
    /// Operations of each thread instead of the scale's, as a multiple of it. They are executed however
    /// long they take; without it a closed loop ends when the scale's time is over.
    pub operations_factor: Option<f64>,
    /// Whether the roofline store is measured under the same requests.
    #[serde(default = "default_roofline")]
    pub roofline: bool,
    /// Repetitions instead of the scale's, and never more: a larger number is told.
    pub repetitions: Option<u32>,
    /// Other settings of requests, by their dimension, each with its values.
    #[serde(skip)]
    pub(super) settings: Settings,
    /// Settings of stores, each with its values: `nibble.segment-bytes = ["1MiB", "4MiB"]`.
    #[serde(skip)]
    pub(super) knobs: Knobs,
}

/// Values by the name of a dimension, in the order of the table.
pub(super) type Settings = Vec<(&'static str, Vec<String>)>;

/// Values by store and setting.
pub(super) type Knobs = BTreeMap<(String, String), Vec<String>>;

fn default_batch() -> Vec<usize> {
    vec![1]
}
fn default_roofline() -> bool {
    true
}

impl KeyValueGrid {
    /// The settings of requests that the table of dimensions describes, each with its values.
    pub fn settings(&self) -> impl Iterator<Item = (&'static Dimension, &[String])> {
        let settings = self.settings.iter();
        settings.filter_map(|(name, values)| Some((Dimension::by_name(name)?, values.as_slice())))
    }

    /// The stores and settings of the knobs that are turned.
    pub fn knob_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.knobs.keys().map(|(store, knob)| (store.as_str(), knob.as_str()))
    }

    /// The stores with every combination of their knobs.
    ///
    /// # Errors
    /// A knob of a store that the grid does not name.
    pub fn stores_with_knobs(&self) -> Result<Vec<String>, String> {
        let base = |store: &str| store.split(['@', ':']).next().unwrap_or(store).to_owned();
        for (store, knob) in self.knobs.keys() {
            if !self.stores.iter().any(|named| base(named) == *store) {
                return Err(format!(
                    "`{store}.{knob}` turns a knob of `{store}`, which is not among the stores {}",
                    self.stores.join(", ")
                ));
            }
        }
        let mut all = Vec::new();
        for store in &self.stores {
            let mut forms = vec![store.clone()];
            for ((_, knob), values) in self.knobs.iter().filter(|(key, _)| key.0 == base(store)) {
                forms = forms
                    .iter()
                    .flat_map(|form| {
                        values.iter().map(move |value| format!("{form}@{knob}={value}"))
                    })
                    .collect();
            }
            all.extend(forms);
        }
        Ok(all)
    }
}

/// What is wrong, after its place in the file.
type Fault = (usize, String);

/// Takes something out of every `[[key-value]]` table of a suite.
fn take_of_each<T>(
    suite: &mut DeTable<'_>,
    take: impl Fn(usize, &mut DeTable<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let Some(grids) = suite.get_mut("key-value") else { return Ok(Vec::new()) };
    let DeValue::Array(grids) = grids.get_mut() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for grid in grids.iter_mut() {
        let at = grid.span().start;
        let DeValue::Table(grid) = grid.get_mut() else { continue };
        all.push(take(at, grid)?);
    }
    Ok(all)
}

/// Takes the settings that the table of dimensions describes: a list of values, or one value.
///
/// # Errors
/// Where in the file, and what is wrong.
pub(super) fn take_settings(suite: &mut DeTable<'_>) -> Result<Vec<Settings>, Fault> {
    take_of_each(suite, |at, grid| {
        let mut settings = Settings::new();
        for dimension in DIMENSIONS.iter().filter(|row| row.given != Given::Otherwise) {
            let underscored = dimension.name.replace('-', "_");
            let Some(values) = grid.remove(dimension.name).or_else(|| grid.remove(&*underscored))
            else {
                continue;
            };
            let name = dimension.name;
            let fail = |message: String| (values.span().start, format!("{name}: {message}"));
            let texts = match values.get_ref() {
                DeValue::Array(_) => values_of(&values).map_err(fail)?,
                _ => vec![text_of(values.get_ref()).map_err(fail)?],
            };
            let workload = Workload::by_name("get-50").expect("it is built in");
            for text in &texts {
                (dimension.set)(&mut KeyValue::plain(workload.clone(), 0), text).map_err(fail)?;
            }
            settings.push((name, texts));
        }
        match settings.iter().any(|(name, _)| *name == FILL) {
            true => Ok(settings),
            false => Err((at, format!("missing field `{FILL}`"))),
        }
    })
}

/// The setting that every grid names: throughput means little without it.
const FILL: &str = "fill-percent";

/// Takes the tables of knobs: whatever is a table there is named after a store.
///
/// # Errors
/// Where in the file, and what is wrong.
pub(super) fn take_knobs(suite: &mut DeTable<'_>) -> Result<Vec<Knobs>, Fault> {
    take_of_each(suite, |_, grid| {
        let stores: Vec<String> = grid
            .iter()
            .filter(|(_, value)| matches!(value.get_ref(), DeValue::Table(_)))
            .map(|(key, _)| key.get_ref().to_string())
            .collect();
        let mut knobs = Knobs::new();
        for store in stores {
            let taken = grid.remove(store.as_str()).map(Spanned::into_inner);
            let Some(DeValue::Table(settings)) = taken else { continue };
            for (knob, values) in settings.iter() {
                let fail = |message: String| {
                    (values.span().start, format!("{store}.{}: {message}", knob.get_ref()))
                };
                let texts = values_of(values).map_err(fail)?;
                let name = knob.get_ref().replace('_', "-");
                if knobs.insert((store.clone(), name.clone()), texts).is_some() {
                    return Err(fail(format!("`{name}` is there twice: drop one")));
                }
            }
        }
        Ok(knobs)
    })
}

fn values_of(values: &Spanned<DeValue<'_>>) -> Result<Vec<String>, String> {
    let DeValue::Array(values) = values.get_ref() else {
        return Err("write a list of values, as in [\"1MiB\", \"4MiB\"]".to_owned());
    };
    let texts = values.iter().map(|value| text_of(value.get_ref()));
    let texts = texts.collect::<Result<Vec<String>, String>>()?;
    if texts.is_empty() { Err("the list is empty".to_owned()) } else { Ok(texts) }
}

pub(super) fn text_of(value: &DeValue<'_>) -> Result<String, String> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        DeValue::Boolean(value) => Ok(value.to_string()),
        _ => Err("values are texts, numbers, true or false".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Suite;

    const HEAD: &str = "question = \"?\"\n[[key-value]]\nstores = [\"nibble\", \"hashmap\"]\n\
                        get-percent = [50]\nfill-percent = [50]\nthreads = [1]\n";

    #[test]
    fn knobs_multiply_the_stores_they_belong_to() {
        let text =
            format!("{HEAD}nibble.segment_bytes = [\"1MiB\", \"4MiB\"]\nnibble.heads = [1, 2]\n");
        let suite = Suite::parse("my.toml", &text).unwrap();
        let stores = suite.key_value[0].stores_with_knobs().unwrap();
        assert_eq!(stores.len(), 5);
        assert_eq!(stores[0], "nibble@heads=1@segment-bytes=1MiB");
        assert_eq!(stores[4], "hashmap");
    }

    #[test]
    fn wrong_knobs_say_where_and_what() {
        for (line, expected) in [
            ("nibble.heads = 2\n", "line 7: nibble.heads: write a list of values"),
            ("nibble.heads = []\n", "line 7: nibble.heads: the list is empty"),
            (
                "nibble.segment-bytes = [1]\nnibble.segment_bytes = [2]\n",
                "nibble.segment_bytes: `segment-bytes` is there twice: drop one",
            ),
            ("storse = [1]\n", "line 7: unknown field `storse`"),
            ("object-memory = \"32MB\"\n", "line 7: size \"32MB\": write a whole number"),
        ] {
            let message =
                Suite::parse("my.toml", &format!("{HEAD}{line}")).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        let text = format!("{HEAD}masstree.heads = [1]\n");
        let suite = Suite::parse("my.toml", &text).unwrap();
        let error = suite.key_value[0].stores_with_knobs().unwrap_err();
        assert!(error.contains("`masstree`, which is not among the stores nibble"), "{error}");
    }
}
