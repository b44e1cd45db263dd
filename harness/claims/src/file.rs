//! The file `claims.toml`. The wire types are strict: an unknown key is an error that names the line
//! and the keys that are allowed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Value;

use crate::bounds::Bounds;
use crate::error::{ClaimsError, Mistake};
use crate::names::{is_kebab_case, is_label};
use crate::place::place;
use crate::{Ask, Claim, Claims, Metric, Moves, Needs, On, Relation, Selection, Unit};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "claim")]
    claims: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    source: String,
    says: String,
    figure: Option<String>,
    #[serde(rename = "ask", default)]
    asks: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    on: On,
    needs: Option<Needs>,
    expects: String,
    metric: String,
    #[serde(rename = "where", default)]
    rows: Labels,
    select: Option<Select>,
    ratio: Option<Ratio>,
    monotone: Option<Monotone>,
    crossover: Option<Crossover>,
}

/// Labels as they stand there: a text, a number, a list; `set.NAME` may be a table of its own.
type Labels = BTreeMap<String, Value>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Select {
    of: Labels,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Ratio {
    of: Labels,
    to: Labels,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Monotone {
    of: Labels,
    along: String,
    from: Value,
    to: Value,
    moves: Moves,
    by: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Crossover {
    of: Labels,
    to: Labels,
    along: String,
    between: [Value; 2],
}

/// Reads the text of `claims.toml`.
///
/// # Errors
///
/// The first thing that is wrong, with the claim, the value and the remedy.
pub fn read(text: &str) -> Result<Claims, ClaimsError> {
    let file: File = toml::from_str(text).map_err(|error| ClaimsError::Toml(error.to_string()))?;
    if file.claims.is_empty() {
        return Err(ClaimsError::Toml("it has no claim: write a [[claim]] table".to_owned()));
    }
    let mut ids = BTreeSet::new();
    let mut claims = Vec::new();
    for entry in file.claims {
        let claim = claim(entry)?;
        if !ids.insert(claim.id.clone()) {
            return Err(ClaimsError::Duplicate { claim: claim.id });
        }
        claims.push(claim);
    }
    Ok(Claims { claims })
}

fn claim(entry: Entry) -> Result<Claim, ClaimsError> {
    let Entry { id, source, says, figure, asks } = entry;
    if !is_kebab_case(&id) {
        return Err(ClaimsError::Id { id });
    }
    let figure_text = figure.as_deref().unwrap_or("none");
    for (key, text) in [("source", &*source), ("says", &*says), ("figure", figure_text)] {
        if text.trim().is_empty() {
            return Err(ClaimsError::Empty { claim: id, key });
        }
    }
    if asks.is_empty() {
        return Err(ClaimsError::NoAsk { claim: id });
    }
    let asks = asks.into_iter().enumerate().map(|(at, question)| {
        let named = |mistake| ClaimsError::Ask { claim: id.clone(), ask: at + 1, mistake };
        ask(question).map_err(named)
    });
    let asks = asks.collect::<Result<_, _>>()?;
    Ok(Claim { id, source, says, figure, asks })
}

fn ask(question: Question) -> Result<Ask, Mistake> {
    if question.expects.trim().is_empty() {
        return Err(Mistake::Empty { key: "expects" });
    }
    let needs = question.needs.unwrap_or_default();
    match question.on {
        On::Large if needs == Needs::default() => return Err(Mistake::NoNeeds),
        on @ (On::Any | On::Small) if question.needs.is_some() => {
            return Err(Mistake::NeedsUnasked { on });
        }
        _ => {}
    }
    let unit = Unit::of_metric(&question.metric)
        .ok_or_else(|| Mistake::Metric { name: question.metric.clone() })?;
    let found = [
        question.select.is_some().then_some("select"),
        question.ratio.is_some().then_some("ratio"),
        question.monotone.is_some().then_some("monotone"),
        question.crossover.is_some().then_some("crossover"),
    ];
    let relation = match (question.select, question.ratio, question.monotone, question.crossover) {
        (Some(word), None, None, None) => select(word)?,
        (None, Some(word), None, None) => ratio(word)?,
        (None, None, Some(word), None) => monotone(word)?,
        (None, None, None, Some(word)) => crossover(word)?,
        _ => return Err(Mistake::Words { found: found.into_iter().flatten().collect() }),
    };
    Ok(Ask {
        on: question.on,
        needs,
        expects: question.expects,
        metric: Metric { name: question.metric, unit },
        rows: selection(question.rows)?,
        relation,
    })
}

fn select(word: Select) -> Result<Relation, Mistake> {
    let bounds = bounds("select", word.at_least, word.at_most)?;
    Ok(Relation::Select { of: selection(word.of)?, bounds })
}

fn ratio(word: Ratio) -> Result<Relation, Mistake> {
    let bounds = bounds("ratio", word.at_least, word.at_most)?;
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

fn bounds(
    word: &'static str,
    at_least: Option<f64>,
    at_most: Option<f64>,
) -> Result<Bounds, Mistake> {
    for (key, bound) in [("at-least", at_least), ("at-most", at_most)] {
        if let Some(value) = bound.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Mistake::Bound { key, value });
        }
    }
    match (at_least, at_most) {
        (None, None) => Err(Mistake::NoBound { word }),
        (Some(at_least), Some(at_most)) if at_least > at_most => {
            Err(Mistake::Crossed { at_least, at_most })
        }
        _ => Ok(Bounds { at_least, at_most, touching: true }),
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

/// As rows write it.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}
