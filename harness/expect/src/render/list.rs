//! What a file of claims asks, without any run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::{Expectation, Needs, On, Question, Relation, Selection, Unit};

/// A claim, as text or JSON tells it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listed {
    pub id: String,
    pub source: String,
    pub says: String,
    pub figure: Option<String>,
    pub questions: Vec<ListedQuestion>,
}

/// A question, once for all presets that it is put to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListedQuestion {
    pub number: usize,
    pub on: On,
    pub needs: Needs,
    pub expects: String,
    /// The relation with its numbers: `throughput of A ÷ B: ≥ 1.60×`.
    pub bound: String,
    /// Labels that every row has.
    #[serde(rename = "where")]
    pub rows: BTreeMap<String, Vec<String>>,
    pub of: BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<BTreeMap<String, Vec<String>>>,
    /// Empty where it is about no engine with presets, or about all of them at once.
    pub presets: Vec<String>,
    /// The smallest scale that is asked, by preset, or under no name where there are none. Every scale is
    /// asked where nothing stands here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub from_scale: BTreeMap<String, String>,
}

/// What each of `expectations` asks, in their order.
#[must_use]
pub fn listed(expectations: &[Expectation]) -> Vec<Listed> {
    let listed = expectations.iter().map(|expectation| {
        let mut questions: Vec<ListedQuestion> = Vec::new();
        for question in &expectation.questions {
            let preset = question.preset.as_ref().map(|preset| preset.name.clone());
            let scale = question.from_scale.clone();
            let from_scale = scale.map(|scale| (preset.clone().unwrap_or_default(), scale));
            match questions.last_mut().filter(|last| last.number == question.number) {
                Some(last) => {
                    last.presets.extend(preset);
                    last.from_scale.extend(from_scale);
                }
                None => questions.push(ListedQuestion::of(question, preset, from_scale)),
            }
        }
        Listed {
            id: expectation.id.clone(),
            source: expectation.source.clone(),
            says: expectation.says.clone(),
            figure: expectation.figure.clone(),
            questions,
        }
    });
    listed.collect()
}

impl ListedQuestion {
    fn of(
        question: &Question,
        preset: Option<String>,
        from_scale: Option<(String, String)>,
    ) -> Self {
        let sides = question.relation.sides();
        let labels = |side: &&Selection| side.labels.clone();
        Self {
            number: question.number,
            on: question.on,
            needs: question.needs,
            expects: question.expects.clone(),
            bound: bound(question),
            rows: question.rows.labels.clone(),
            of: sides.first().map(labels).unwrap_or_default(),
            to: sides.get(1).map(labels),
            presets: preset.into_iter().collect(),
            from_scale: from_scale.into_iter().collect(),
        }
    }

    fn machines(&self) -> String {
        let Needs { cores, sockets, kernel } = self.needs;
        let needs: Vec<String> = [(cores, "core"), (sockets, "socket")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }))
            .collect();
        match self.on {
            On::Any => "any".to_owned(),
            On::Small => "small: those that lack what the large question needs".to_owned(),
            On::Large => match kernel {
                Some(kernel) => format!("large: {}", kernel.words()),
                None => format!("large: at least {}", needs.join(" and ")),
            },
        }
    }
}

/// The relation with its numbers.
fn bound(question: &Question) -> String {
    let metric = &question.metric;
    match &question.relation {
        Relation::Select { bounds, worst, .. } => {
            let each = if *worst { "the worst" } else { "each" };
            format!("{} of {each}: {}", metric.name, bounds.shown(metric.unit))
        }
        Relation::Ratio { bounds, .. } => {
            format!("{} of `of` ÷ `to`: {}", metric.name, bounds.shown(Unit::Times))
        }
        Relation::Monotone { along, span: [from, to], moves, by, .. } => {
            let moves = format!("{moves:?}").to_lowercase();
            format!("{} {moves} by {by} along {along} from {from} to {to}", metric.name)
        }
        Relation::Crossover { along, between: [before, after], .. } => format!(
            "{} of `of` ÷ `to`: below 1 up to {along} {before}, above 1 from {after} on",
            metric.name
        ),
    }
}

/// All claims for a terminal: a paragraph each. Ends in a newline.
#[must_use]
pub fn list(claims: &[Listed]) -> String {
    let mut text = String::new();
    for (at, claim) in claims.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{}", claim.id);
        let mut line = |indent: usize, key: &str, value: &str| {
            let _ = writeln!(text, "{:indent$}{key:<8} {value}", "");
        };
        line(2, "source", &claim.source);
        line(2, "says", &claim.says);
        line(2, "figure", claim.figure.as_deref().unwrap_or("none"));
        for question in &claim.questions {
            line(2, "question", &question.number.to_string());
            line(4, "machines", &question.machines());
            line(4, "expects", &question.expects);
            line(4, "bound", &question.bound);
            line(4, "where", &words(&question.rows));
            line(4, "of", &words(&question.of));
            if let Some(to) = &question.to {
                line(4, "to", &words(to));
            }
            if !question.presets.is_empty() {
                line(4, "presets", &question.presets.join(", "));
            }
            for (preset, scale) in &question.from_scale {
                let whose = if preset.is_empty() { "" } else { " for " };
                line(4, "asked", &format!("from scale {scale} on{whose}{preset}"));
            }
        }
    }
    text
}

fn words(labels: &BTreeMap<String, Vec<String>>) -> String {
    Selection { labels: labels.clone() }.words()
}
