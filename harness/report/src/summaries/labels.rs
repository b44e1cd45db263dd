//! What was measured, as words: the labels by which claims select rows. `docs/src/format.md` lists
//! them.

use std::collections::BTreeMap;

use record::Repetition;

/// The labels of one step of a cell.
pub(super) fn of(one: &Repetition<'_>, step: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut label = |name: &str, text: String| labels.insert(name.to_owned(), text);
    label("system", one.system.to_owned());
    label("step", step.to_owned());
    let settings = one.cell.system.options();
    let engine = one.system.split('@').next().unwrap_or(one.system);
    label("engine", engine.to_owned());
    for (name, value) in settings.into_iter().flatten() {
        label(&format!("set.{name}"), value.clone());
    }
    for (name, text) in one.cell.work.family().labels() {
        label(name, text);
    }
    labels
}
