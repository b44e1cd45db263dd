//! `components`: what the epoch, the placement and the heads contribute.

use super::{cells, mix, numbered, of_preset, of_suite, option, size, spot};
use crate::figures::axes::number;
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::requests;
use crate::figures::samples::{Label, Spot, THROUGHPUT};
use record::{Row, repetition::Repetition};

/// Throughput over threads by epoch, over value sizes by placement, over heads by their choice.
pub(in crate::figures) fn components(suite: &str, rows: &[Row]) -> Data {
    let all = cells(suite, rows);
    of_suite(&all, (Drawing::Lines, Axes::default()), |one| pick(one).into_iter().collect())
}

/// Which component a cell is about follows from the setting that its suite turns.
fn pick(one: &Repetition<'_>) -> Option<Spot> {
    let work = requests(one)?;
    let size = size(work);
    let at = |panel: Label, series: &str, x: Label, title: &str| {
        let below = title.to_owned();
        Some(Spot {
            panel,
            below,
            ..spot(THROUGHPUT, "throughput", Label::named(of_preset(one, series)), x)
        })
    };
    if let Some(epoch) = option(one, "epoch") {
        let mix = mix(work);
        let panel = Label::new(mix.at, format!("epoch, {}", mix.text));
        return at(panel, epoch, numbered(work.threads as f64), "threads");
    }
    // One thread alone is what predictions are fitted to (`figures/model/`).
    if work.threads == 1 {
        return None;
    }
    if let Some(placement) = option(one, "placement") {
        let nodes = option(one, "virtual-nodes").unwrap_or("1");
        let panel = Label::new(1e3, format!("placement, {nodes} virtual nodes"));
        // Each doubling of the size is as far.
        return at(panel, placement, Label::new(size.at.log2(), size.text), "value size");
    }
    let (heads, choice) = (option(one, "heads")?, option(one, "head-choice")?);
    let panel = Label::new(1e4 + size.at, format!("choice of head, values of {}", size.text));
    at(panel, choice, numbered(number(heads)?), "heads")
}
