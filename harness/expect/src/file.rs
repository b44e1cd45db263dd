//! A file of expectations. The wire types are strict: an unknown key is an error that names the line
//! and the keys that are allowed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use toml::Value;

use crate::bounds::{Bounds, Edge};
use crate::error::{Mistake, ReadError};
use crate::names::{is_kebab_case, is_label};
use crate::place::place;
use crate::vary::combinations;
use crate::{
    Expectation, Method, Metric, Moves, Needs, ONE_LOOK, On, Preset, Question, Relation, Selection,
};

/// `P` and `C` are the caller's: what to measure for the whole file, and for one expectation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound = "P: Deserialize<'de>, C: Deserialize<'de>")]
struct File<P, C> {
    #[serde(default)]
    seed: u64,
    plan: Option<P>,
    presets: Option<PresetsTable>,
    #[serde(rename = "expectation")]
    entries: Vec<Entry<C>>,
}

/// The presets that every question about the engine is put to.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PresetsTable {
    engine: String,
    names: Vec<String>,
    default: String,
    /// By preset.
    #[serde(default)]
    implies: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<C> {
    id: String,
    source: String,
    says: String,
    figure: Option<String>,
    #[serde(default)]
    vary: Labels,
    cells: Option<C>,
    #[serde(rename = "ask", default)]
    questions: Vec<QuestionTable>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct QuestionTable {
    on: On,
    needs: Option<Needs>,
    /// Those of the file's presets that can answer; empty if rows of any preset can.
    presets: Option<Vec<String>>,
    from_scale: Option<FromScale>,
    expects: String,
    metric: String,
    #[serde(default)]
    interval: Interval,
    #[serde(rename = "where", default)]
    rows: Labels,
    select: Option<Select>,
    ratio: Option<Ratio>,
    monotone: Option<Monotone>,
    crossover: Option<Crossover>,
}

/// For every preset, or by preset.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum FromScale {
    All(String),
    Presets(BTreeMap<String, String>),
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Interval {
    #[default]
    Welch,
    Rounds,
}

/// Stands for `plan` and `cells` in files that measure nothing of their own.
#[derive(Clone)]
struct Unplanned;

impl<'de> Deserialize<'de> for Unplanned {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("`plan` and `cells` are of files that are measured, as targets are"))
    }
}

/// Labels as written: a text, a number or a list; `set.NAME` may be a table of its own.
type Labels = BTreeMap<String, Value>;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Select {
    of: Labels,
    at_least: Option<f64>,
    at_most: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    #[serde(default)]
    margin: f64,
    #[serde(default)]
    worst: bool,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Ratio {
    of: Labels,
    to: Labels,
    at_least: Option<f64>,
    at_most: Option<f64>,
    above: Option<f64>,
    below: Option<f64>,
    #[serde(default)]
    margin: f64,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Monotone {
    of: Labels,
    along: String,
    from: Value,
    to: Value,
    moves: Moves,
    by: Option<f64>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crossover {
    of: Labels,
    to: Labels,
    along: String,
    between: [Value; 2],
}

/// Reads a file of expectations that are asked of rows measured for something else.
///
/// # Errors
///
/// The first mistake, with the expectation, the value and the remedy.
pub fn read(text: &str) -> Result<Vec<Expectation>, ReadError> {
    let file: File<Unplanned, Unplanned> = parse(text)?;
    let all = expectations(file, false)?;
    Ok(all.into_iter().map(|(expectation, _)| expectation).collect())
}

/// A file of expectations with what is measured for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned<P, C> {
    /// The seed of every random choice.
    pub seed: u64,
    /// The table `plan`.
    pub plan: P,
    /// Each with its `cells`, all of which must be measured for it to hold.
    pub expectations: Vec<(Expectation, C)>,
}

/// Reads a file of expectations that says what to measure for them.
///
/// # Errors
///
/// As for [`read`].
pub fn read_planned<P, C>(text: &str) -> Result<Planned<P, C>, ReadError>
where
    P: DeserializeOwned,
    C: DeserializeOwned + Clone + Default,
{
    let mut file: File<P, C> = parse(text)?;
    let plan = file.plan.take();
    let plan = plan.ok_or_else(|| ReadError::Toml("it has no table [plan]".to_owned()))?;
    let seed = file.seed;
    let expectations = expectations(file, true)?;
    let expectations = expectations
        .into_iter()
        .map(|(expectation, cells)| (expectation, cells.unwrap_or_default()))
        .collect();
    Ok(Planned { seed, plan, expectations })
}

fn parse<P: DeserializeOwned, C: DeserializeOwned>(text: &str) -> Result<File<P, C>, ReadError> {
    let file: File<P, C> =
        toml::from_str(text).map_err(|error| ReadError::Toml(error.to_string()))?;
    if file.entries.is_empty() {
        let said = "it has no expectation: write an [[expectation]] table";
        return Err(ReadError::Toml(said.to_owned()));
    }
    Ok(file)
}

fn expectations<P, C: Clone>(
    file: File<P, C>,
    complete: bool,
) -> Result<Vec<(Expectation, Option<C>)>, ReadError> {
    let presets = presets(file.presets)?;
    let common = Common { seed: file.seed, complete, presets: &presets };
    let mut ids = BTreeSet::new();
    let mut all = Vec::new();
    for entry in file.entries {
        let cells = entry.cells.clone();
        for expectation in varied(entry, &common)? {
            if !ids.insert(expectation.id.clone()) {
                return Err(ReadError::Duplicate { id: expectation.id });
            }
            all.push((expectation, cells.clone()));
        }
    }
    Ok(all)
}

fn presets(table: Option<PresetsTable>) -> Result<Vec<Preset>, ReadError> {
    let Some(PresetsTable { engine, names, default, implies }) = table else {
        return Ok(Vec::new());
    };
    let of_others = implies.keys().map(|name| ("the one that implies a setting,", name));
    for (what, name) in [("the default", &default)].into_iter().chain(of_others) {
        if !names.contains(name) {
            let known = names.join(", ");
            let said = format!("`presets`: {what} `{name}` is none of its names: {known}");
            return Err(ReadError::Toml(said));
        }
    }
    let preset = |name: String| Preset {
        is_default: name == default,
        engine: engine.clone(),
        implies: implies.get(&name).cloned(),
        name,
    };
    Ok(names.into_iter().map(preset).collect())
}

/// What all questions of a file share.
struct Common<'a> {
    seed: u64,
    complete: bool,
    presets: &'a [Preset],
}

/// One expectation for each combination of the varied labels.
fn varied<C>(entry: Entry<C>, common: &Common<'_>) -> Result<Vec<Expectation>, ReadError> {
    let Entry { id, source, says, figure, vary, questions, .. } = entry;
    if !is_kebab_case(&id) {
        return Err(ReadError::Id { id });
    }
    let figure_text = figure.as_deref().unwrap_or("none");
    for (key, text) in [("source", &*source), ("says", &*says), ("figure", figure_text)] {
        if text.trim().is_empty() {
            return Err(ReadError::Empty { id, key });
        }
    }
    if questions.is_empty() {
        return Err(ReadError::NoQuestion { id });
    }
    let in_question =
        |at: usize, mistake| ReadError::Question { id: id.clone(), question: at + 1, mistake };
    let vary = selection(vary).map_err(|mistake| in_question(0, mistake))?;
    let mut all = Vec::new();
    for (suffix, values) in combinations(&vary) {
        let mut asked = Vec::new();
        for (at, table) in questions.iter().enumerate() {
            let question = question(table.clone(), at + 1, common)
                .and_then(|question| with_values(question, &values));
            let each = question.and_then(|one| for_presets(one, table, common));
            asked.extend(each.map_err(|mistake| in_question(at, mistake))?);
        }
        all.push(Expectation {
            id: format!("{id}{suffix}"),
            source: source.clone(),
            says: says.clone(),
            figure: figure.clone(),
            questions: asked,
        });
    }
    Ok(all)
}

/// Limits `question` to rows with these values of the varied labels.
fn with_values(mut question: Question, values: &[(String, String)]) -> Result<Question, Mistake> {
    for (label, value) in values {
        let sides = question.relation.sides();
        if sides.into_iter().chain([&question.rows]).any(|side| side.labels.contains_key(label)) {
            return Err(Mistake::Varied { label: label.clone() });
        }
        question.rows.labels.insert(label.clone(), vec![value.clone()]);
    }
    Ok(question)
}

/// Repeats `question` for each preset, if it is about the engine that has presets.
fn for_presets(
    question: Question,
    table: &QuestionTable,
    common: &Common<'_>,
) -> Result<Vec<Question>, Mistake> {
    let wanted = table.presets.as_deref();
    let from_scale = match &table.from_scale {
        Some(FromScale::Presets(scales)) => scales.clone(),
        _ => BTreeMap::new(),
    };
    let mut unknown = wanted.into_iter().flatten().chain(from_scale.keys());
    if let Some(name) = unknown.find(|name| common.presets.iter().all(|one| one.name != **name)) {
        let known = common.presets.iter().map(|preset| preset.name.clone()).collect();
        return Err(Mistake::Preset { name: name.clone(), known });
    }
    let about = common.presets.first().is_some_and(|one| question.names_engine(&one.engine));
    if !about && (wanted.is_some() || !from_scale.is_empty()) {
        return Err(Mistake::PresetsUnasked);
    }
    let is_wanted = |preset: &&Preset| wanted.is_none_or(|names| names.contains(&preset.name));
    let presets = common.presets.iter().filter(is_wanted).filter(|_| about);
    let each = presets.map(|preset| Question {
        from_scale: from_scale.get(&preset.name).or(question.from_scale.as_ref()).cloned(),
        ..question.put_to(preset)
    });
    let each: Vec<Question> = each.collect();
    Ok(if each.is_empty() { vec![question] } else { each })
}

fn question(table: QuestionTable, number: usize, common: &Common<'_>) -> Result<Question, Mistake> {
    if table.expects.trim().is_empty() {
        return Err(Mistake::Empty { key: "expects" });
    }
    let needs = table.needs.unwrap_or_default();
    match table.on {
        On::Large if needs == Needs::default() => return Err(Mistake::NoNeeds),
        on @ (On::Any | On::Small) if table.needs.is_some() => {
            return Err(Mistake::NeedsUnasked { on });
        }
        _ => {}
    }
    let metric = Metric::parse(&table.metric)
        .ok_or_else(|| Mistake::Metric { name: table.metric.clone() })?;
    let found = [
        table.select.is_some().then_some("select"),
        table.ratio.is_some().then_some("ratio"),
        table.monotone.is_some().then_some("monotone"),
        table.crossover.is_some().then_some("crossover"),
    ];
    let relation = match (table.select, table.ratio, table.monotone, table.crossover) {
        (Some(word), None, None, None) => select(word)?,
        (None, Some(word), None, None) => ratio(word)?,
        (None, None, Some(word), None) => monotone(word)?,
        (None, None, None, Some(word)) => crossover(word)?,
        _ => return Err(Mistake::Words { found: found.into_iter().flatten().collect() }),
    };
    Ok(Question {
        number,
        preset: None,
        on: table.on,
        needs,
        from_scale: match table.from_scale {
            Some(FromScale::All(scale)) => Some(scale),
            _ => None,
        },
        left: None,
        expects: table.expects,
        metric,
        rows: selection(table.rows)?,
        relation,
        method: match table.interval {
            Interval::Welch => Method::Welch { looks: ONE_LOOK },
            Interval::Rounds => Method::Rounds { seed: common.seed },
        },
        complete: common.complete,
    })
}

fn select(word: Select) -> Result<Relation, Mistake> {
    let Select { at_least, at_most, above, below, margin, worst, .. } = word;
    let bounds = bounds("select", [at_least, at_most, above, below], margin)?;
    if worst && bounds.at_least.is_some() && bounds.at_most.is_some() {
        return Err(Mistake::WorstOfTwo);
    }
    Ok(Relation::Select { of: selection(word.of)?, bounds, worst })
}

fn ratio(word: Ratio) -> Result<Relation, Mistake> {
    let Ratio { at_least, at_most, above, below, margin, .. } = word;
    let bounds = bounds("ratio", [at_least, at_most, above, below], margin)?;
    Ok(Relation::Ratio { of: selection(word.of)?, to: selection(word.to)?, bounds })
}

fn monotone(word: Monotone) -> Result<Relation, Mistake> {
    let by = match (word.moves, word.by) {
        (Moves::Flat, None) => return Err(Mistake::NoBy),
        (_, by) => by.unwrap_or(1.0),
    };
    if !(by.is_finite() && by >= 1.0) {
        return Err(Mistake::By { by });
    }
    Ok(Relation::Monotone {
        of: selection(word.of)?,
        along: label(word.along)?,
        span: span([("from", word.from), ("to", word.to)])?,
        moves: word.moves,
        by,
    })
}

fn crossover(word: Crossover) -> Result<Relation, Mistake> {
    let (of, to, along) = (selection(word.of)?, selection(word.to)?, label(word.along)?);
    if of.labels.contains_key(&along) || to.labels.contains_key(&along) {
        return Err(Mistake::AlongFixed { along });
    }
    let between = span(word.between.map(|value| ("between", value)))?;
    Ok(Relation::Crossover { of, to, along, between })
}

/// From the values of `at-least`, `at-most`, `above` and `below`.
fn bounds(
    word: &'static str,
    [at_least, at_most, above, below]: [Option<f64>; 4],
    margin: f64,
) -> Result<Bounds, Mistake> {
    let keys = ["at-least", "at-most", "above", "below"];
    for (key, bound) in keys.into_iter().zip([at_least, at_most, above, below]) {
        if let Some(value) = bound.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Mistake::Bound { key, value });
        }
    }
    if !(0.0..1.0).contains(&margin) {
        return Err(Mistake::Margin { margin });
    }
    let edge = match ([at_least, at_most], [above, below]) {
        ([None, None], [None, None]) => return Err(Mistake::NoBound { word }),
        (_, [None, None]) => Edge::Within,
        ([None, None], _) => Edge::Outside,
        _ => return Err(Mistake::MixedBounds),
    };
    let (low, high) = (at_least.or(above), at_most.or(below));
    match (low, high) {
        (Some(low), Some(high)) if low > high => Err(Mistake::Crossed { low, high }),
        _ => Ok(Bounds { at_least: low, at_most: high, edge, margin }),
    }
}

fn span(ends: [(&'static str, Value); 2]) -> Result<[f64; 2], Mistake> {
    let number = |(key, value): (&'static str, Value)| {
        scalar(&value)
            .and_then(|text| place(&text))
            .ok_or_else(|| Mistake::Place { key, value: value.to_string() })
    };
    let [first, last] = ends.map(number);
    let (first, last) = (first?, last?);
    if first >= last {
        return Err(Mistake::Span { first, last });
    }
    Ok([first, last])
}

fn label(name: String) -> Result<String, Mistake> {
    if is_label(&name) { Ok(name) } else { Err(Mistake::Label { name }) }
}

fn selection(wire: Labels) -> Result<Selection, Mistake> {
    let mut labels = BTreeMap::new();
    for (name, value) in wire {
        // `set.update = "in-place"` without quotes around the key.
        if let ("set", Value::Table(settings)) = (name.as_str(), &value) {
            for (setting, value) in settings {
                let name = label(format!("set.{setting}"))?;
                labels.insert(name.clone(), values(name, value)?);
            }
            continue;
        }
        let name = label(name)?;
        labels.insert(name.clone(), values(name, &value)?);
    }
    Ok(Selection { labels })
}

fn values(label: String, value: &Value) -> Result<Vec<String>, Mistake> {
    let texts = match value {
        Value::Array(values) => values.iter().map(scalar).collect(),
        value => scalar(value).map(|text| vec![text]),
    };
    texts
        .filter(|texts: &Vec<String>| !texts.is_empty())
        .ok_or_else(|| Mistake::Value { label, value: value.to_string() })
}

/// The value as rows write it.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}
