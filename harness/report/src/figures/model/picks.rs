//! Which cells each figure of predictions is fitted to.

use std::collections::BTreeMap;

use super::lines::{Shown, predict};
use super::{CLSMS, NIBBLES, Pick, options};
use crate::figures::asked_by;
use crate::figures::axes::number;
use crate::figures::data::Data;
use crate::figures::key_value::{mix, panel, size};
use crate::figures::requests;
use crate::figures::samples::Label;
use record::{Row, repetition::Repetition};

/// Heads of a socket that the paper's figure ends with: one for each core.
const HEADS_OF_A_SOCKET: &str = "15";

/// `model-fig8`: epoch, placement, heads.
pub(in crate::figures) fn breakdown(rows: &[Row]) -> Data {
    let all = asked_by("components", rows);
    predict("components", (NIBBLES, Shown::Throughput), &all, component)
}

/// `model-fig13`: the paper's rivals, a panel for each distribution and mix.
pub(in crate::figures) fn throughput(rows: &[Row]) -> Data {
    let all = asked_by("rivals", rows);
    predict("rivals", (NIBBLES, Shown::Throughput), &all, |one| {
        let Some(work) = requests(one).filter(|work| work.get_percent() >= 50.0) else {
            return Vec::new();
        };
        vec![own(one, panel(work), Label::named(one.system))]
    })
}

/// `model-clsm`: the two schemes of merge trees, a panel for each distribution and mix.
pub(in crate::figures) fn merge_trees(rows: &[Row]) -> Data {
    let all = asked_by("lsm-threads", rows);
    predict("lsm-threads", (CLSMS, Shown::Throughput), &all, |one| {
        // The model has no scans.
        let work = requests(one).filter(|work| work.workload.mix.scan == 0.0);
        work.map(|work| own(one, panel(work), Label::named(one.system))).into_iter().collect()
    })
}

/// `model-fig11`: time to complete a trace each.
pub(in crate::figures) fn completion(rows: &[Row]) -> Data {
    let all = asked_by("postmark-scaling", rows);
    predict("postmark-scaling", (NIBBLES, Shown::Completion), &all, |one| {
        vec![own(one, Label::none(), Label::named(one.system))]
    })
}

/// A line with the cell's own settings.
fn own(one: &Repetition<'_>, panel: Label, series: Label) -> Pick {
    Pick { panel, series, options: options(one), is_checked: true }
}

fn component(one: &Repetition<'_>) -> Vec<Pick> {
    let Some(work) = requests(one).filter(|work| work.workload.mean_value_bytes() < 1024.0) else {
        return Vec::new();
    };
    let options = options(one);
    let option = |name: &str| options.get(name).map(String::as_str);
    let size = size(work).text;
    if let Some(epoch) = option("epoch") {
        let mix = mix(work);
        let panel = Label::new(mix.at, format!("(a) epoch, {}", mix.text));
        return vec![own(one, panel, Label::named(epoch))];
    }
    if let Some(placement) = option("placement") {
        let panel = Label::new(1e3, format!("(b) placement, {}, {size}", mix(work).text));
        return vec![own(one, panel, Label::named(placement))];
    }
    let (Some(heads), Some(choice)) = (option("heads"), option("head-choice")) else {
        return Vec::new();
    };
    let panel = Label::new(1e4, format!("(c) heads a socket, {}, {size}", mix(work).text));
    let with = |heads: Option<&str>, text: String, is_checked: bool| {
        let mut options: BTreeMap<String, String> = options.clone();
        match heads {
            Some(heads) => options.insert("heads".to_owned(), heads.to_owned()),
            None => options.remove("heads"),
        };
        let at = heads.and_then(number).unwrap_or(f64::INFINITY);
        Pick { panel: panel.clone(), series: Label::new(at, text), options, is_checked }
    };
    let named = |heads: &str| format!("{heads} at {choice}");
    match (choice, heads) {
        // More heads than threads here, so each core has one.
        ("core", "4") => vec![with(None, "one a core".to_owned(), true)],
        ("random", "4") => vec![
            with(Some(heads), named(heads), true),
            with(Some(HEADS_OF_A_SOCKET), named(HEADS_OF_A_SOCKET), false),
        ],
        ("random", "1") => vec![with(Some(heads), named(heads), true)],
        _ => Vec::new(),
    }
}
