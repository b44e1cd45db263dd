//! A `[[figure]]` table of a suite's file. The wire types are strict: what is wrong is named with its
//! line.

use std::collections::BTreeSet;

use record::unknown_name;
use serde::Deserialize;
use toml::Spanned;

use super::Figure;
use super::builders::{self, SHOWN};
use super::scripts::{self, Settings};

/// What this parser reads of a suite's file; the rest is for the planner.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    question: String,
    #[serde(default)]
    source: String,
    #[serde(default, rename = "figure")]
    figures: Vec<Spanned<Declaration>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Declaration {
    name: Spanned<String>,
    title: String,
    caption: String,
    /// The suite's own where it is left out; so is the source.
    question: Option<String>,
    source: Option<String>,
    /// Further suites whose cells are drawn.
    #[serde(default, alias = "suites")]
    also: Vec<String>,
    #[serde(default = "default_value")]
    value: String,
    build: Spanned<String>,
    #[serde(default)]
    show: Vec<Spanned<String>>,
    /// The label on the horizontal axis, where the builder takes any.
    x: Option<Spanned<String>>,
    script: Spanned<String>,
    // The settings of a script that several figures share.
    #[serde(default)]
    settings: bool,
    #[serde(default)]
    own_axes: bool,
    #[serde(default)]
    own_scale: bool,
    #[serde(default)]
    marked: bool,
    #[serde(default)]
    predicted: bool,
    columns: Option<u32>,
    reference: Option<String>,
    thin: Option<String>,
}

fn default_value() -> String {
    "value".to_owned()
}

/// What is wrong, and the byte of the text where it is.
type Wrong = (usize, String);

/// The figures that `text` declares, the file of `suite`; the name is empty where they belong to no
/// one suite.
///
/// # Errors
/// The line, what is wrong with it, and what is allowed.
pub fn parse(suite: &str, text: &str) -> Result<Vec<Figure>, String> {
    let at = |start: Option<usize>, message: &str| {
        let line = start.map(|start| text[..start].matches('\n').count() + 1);
        line.map_or_else(String::new, |line| format!("line {line}: ")) + message
    };
    let file: File = toml::from_str(text)
        .map_err(|error| at(error.span().map(|span| span.start), error.message()))?;
    let mut names = BTreeSet::new();
    let mut figures = Vec::new();
    for declared in &file.figures {
        let (start, declared) = (declared.span().start, declared.get_ref());
        let figure = figure(suite, &file, declared, start);
        let figure = figure.map_err(|(start, message)| at(Some(start), &message))?;
        if !names.insert(figure.name.clone()) {
            let message = format!("figure `{}` is declared twice", figure.name);
            return Err(at(Some(start), &message));
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn figure(suite: &str, file: &File, told: &Declaration, start: usize) -> Result<Figure, Wrong> {
    let name = told.name.get_ref();
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if name.is_empty() || !name.chars().all(plain) {
        let message =
            format!("name `{name}`: files are called by it, so it takes a-z, 0-9 and - only");
        return Err((told.name.span().start, message));
    }
    let question = told.question.as_ref().unwrap_or(&file.question);
    if question.is_empty() {
        return Err((start, format!("figure `{name}` asks nothing: it needs a `question`")));
    }
    let own = (!suite.is_empty()).then(|| suite.to_owned());
    Ok(Figure {
        name: name.clone(),
        title: told.title.clone(),
        question: question.clone(),
        source: told.source.as_ref().unwrap_or(&file.source).clone(),
        suites: own.into_iter().chain(told.also.iter().cloned()).collect(),
        caption: told.caption.clone(),
        drawn_by: told.script.get_ref().clone(),
        settings: settings(told),
        script: script(told)?,
        value: told.value.clone(),
        show: shown(told, start)?,
        x: over(told, start)?,
        make: builders::by_name(told.build.get_ref()).ok_or_else(|| {
            let known = builders::names();
            (told.build.span().start, unknown_name("builder", told.build.get_ref(), known))
        })?,
    })
}

/// What is shown, from above.
fn shown(told: &Declaration, start: usize) -> Result<Vec<String>, Wrong> {
    let build = told.build.get_ref();
    let known = || SHOWN.iter().map(|(name, ..)| *name);
    let chooses = builders::leaves_a_choice(build);
    match told.show.first() {
        Some(first) if !chooses => {
            let message =
                format!("`show` is for the builders side-by-side and over-label, not for {build}");
            return Err((first.span().start, message));
        }
        None if chooses => {
            let known: Vec<&str> = known().collect();
            let message = format!("the builder {build} needs `show`: some of {}", known.join(", "));
            return Err((start, message));
        }
        _ => {}
    }
    for one in &told.show {
        if !known().any(|name| name == one.get_ref()) {
            return Err((one.span().start, unknown_name("measure", one.get_ref(), known())));
        }
    }
    Ok(told.show.iter().map(|one| one.get_ref().clone()).collect())
}

/// The label on the horizontal axis; empty where the builder knows it.
fn over(told: &Declaration, start: usize) -> Result<String, Wrong> {
    let build = told.build.get_ref();
    match (&told.x, builders::takes_any_axis(build)) {
        (Some(x), true) => Ok(x.get_ref().clone()),
        (None, false) => Ok(String::new()),
        (Some(x), false) => {
            Err((x.span().start, format!("`x` is for the builder over-label, not for {build}")))
        }
        (None, true) => Err((
            start,
            format!("the builder {build} needs `x`: a label of the cells, as in x = \"threads\""),
        )),
    }
}

fn settings(told: &Declaration) -> Settings {
    Settings {
        settings: told.settings,
        own_axes: told.own_axes,
        own_scale: told.own_scale,
        marked: told.marked,
        predicted: told.predicted,
        columns: told.columns,
        reference: told.reference.clone(),
        thin: told.thin.clone(),
    }
}

fn script(told: &Declaration) -> Result<String, Wrong> {
    scripts::text(told.name.get_ref(), told.script.get_ref(), &settings(told))
        .map_err(|message| (told.script.span().start, message))
}
