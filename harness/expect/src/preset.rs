//! Presets: settings that an engine offers as a whole. A question about such an engine is put to each
//! of them.

use std::collections::BTreeMap;

use crate::place::place;
use crate::{Question, Relation, Selection, Summary};

/// One of an engine's presets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Rows of other engines have nothing to do with it.
    pub engine: String,
    pub name: String,
    /// Whether rows that name no preset run this one.
    pub is_default: bool,
    /// A setting that it has of itself, such as `update=append`: no row's name has it.
    pub implies: Option<String>,
}

impl Preset {
    /// Whether `row` runs it, or is of another engine.
    fn allows(&self, row: &Summary) -> bool {
        if row.labels.get("engine") != Some(&self.engine) {
            return true;
        }
        match row.labels.get("set.preset") {
            Some(preset) => *preset == self.name,
            None => self.is_default,
        }
    }

    /// The name of a system without this preset: `nibble@update=in-place` of
    /// `nibble@preset=paper@update=in-place`.
    fn without(&self, system: &str) -> Option<String> {
        self.without_setting(system, &format!("preset={}", self.name))
    }

    /// The name of a system that runs it as rows have it: without what it implies.
    fn plain(&self, system: &str) -> Option<String> {
        self.without_setting(system, self.implies.as_deref()?)
    }

    /// `None` if the system is of another engine, or its name has no such setting.
    fn without_setting(&self, system: &str, setting: &str) -> Option<String> {
        let mut parts: Vec<&str> = system.split('@').collect();
        let at = parts.iter().position(|part| *part == setting)?;
        (parts[0] == self.engine).then(|| parts.remove(at))?;
        Some(parts.join("@"))
    }
}

impl Selection {
    /// Whether `row` has every label with one of its values. With a preset, rows of its engine have to
    /// run it, and selections name them without it.
    fn matches(&self, row: &Summary, preset: Option<&Preset>) -> bool {
        preset.is_none_or(|preset| preset.allows(row))
            && self.labels.iter().all(|(label, allowed)| {
                row.labels.get(label).is_some_and(|value| {
                    let plain = preset.filter(|_| label == "system");
                    let plain = plain.and_then(|preset| preset.without(value));
                    allowed.contains(plain.as_ref().unwrap_or(value))
                })
            })
    }

    /// Whether it names the engine as `engine`, or as `system` with or without settings.
    fn names_engine(&self, engine: &str) -> bool {
        let names = |label: &str| self.labels.get(label).into_iter().flatten();
        names("engine").any(|name| name == engine)
            || names("system").any(|name| name.split('@').next() == Some(engine))
    }
}

impl Question {
    /// The question as it is put to `preset`.
    pub(crate) fn put_to(&self, preset: &Preset) -> Self {
        let mut question = Self { preset: Some(preset.clone()), ..self.clone() };
        let sides = question.relation.sides_mut();
        for side in sides.into_iter().chain([&mut question.rows]) {
            for system in side.labels.get_mut("system").into_iter().flatten() {
                if let Some(plain) = preset.plain(system) {
                    *system = plain;
                }
            }
        }
        question
    }

    /// Whether it is about `row` at all: the selection `where`.
    pub(crate) fn is_about(&self, row: &Summary) -> bool {
        self.rows.matches(row, self.preset.as_ref())
    }

    /// Whether `row` is on that `side` of it, if it is about the row.
    pub(crate) fn has_on_side(&self, side: &Selection, row: &Summary) -> bool {
        side.matches(row, self.preset.as_ref())
    }

    /// Whether it is about rows with these labels, at any of the steps that it names, and within the range
    /// along which values are expected to move.
    #[must_use]
    pub fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        if let Relation::Monotone { along, span: [first, last], .. } = &self.relation {
            let at = labels.get(along).and_then(|text| place(text));
            if at.is_some_and(|at| !(*first..=*last).contains(&at)) {
                return false;
            }
        }
        let sides = self.relation.sides();
        let all = sides.iter().copied().chain([&self.rows]);
        let named = all.filter_map(|side| side.labels.get("step"));
        let mut steps: Vec<&String> = named.flatten().collect();
        let any = String::new();
        if steps.is_empty() {
            steps.push(&any);
        }
        steps.into_iter().any(|step| {
            let mut row = Summary { labels: labels.clone(), ..Summary::default() };
            row.labels.insert("step".to_owned(), step.clone());
            self.is_about(&row) && sides.iter().any(|side| self.has_on_side(side, &row))
        })
    }

    /// Whether a selection of it names that engine.
    pub(crate) fn names_engine(&self, engine: &str) -> bool {
        let sides = self.relation.sides();
        sides.into_iter().chain([&self.rows]).any(|side| side.names_engine(engine))
    }
}

impl Relation {
    /// Its selections: `of`, and `to` of a comparison.
    pub(crate) fn sides(&self) -> Vec<&Selection> {
        match self {
            Self::Select { of, .. } | Self::Monotone { of, .. } => vec![of],
            Self::Ratio { of, to, .. } | Self::Crossover { of, to, .. } => vec![of, to],
        }
    }

    fn sides_mut(&mut self) -> Vec<&mut Selection> {
        match self {
            Self::Select { of, .. } | Self::Monotone { of, .. } => vec![of],
            Self::Ratio { of, to, .. } | Self::Crossover { of, to, .. } => vec![of, to],
        }
    }
}
