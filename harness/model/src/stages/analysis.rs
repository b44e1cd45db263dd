//! The worst-case analysis that the model is held against (§4.3.4): no insert ever meets an older one of
//! its key, so popularity has no say.

use super::error::ParameterError;
use super::parameters::{LevelDb, Workload};
use super::step::Step;

/// The steps of `store` if merged tables are as large as both together, and a level passes on what it has
/// room for at every turn.
///
/// The thesis names this worst case without its equations. This form gives 11 for each level of a growth
/// of 10, which its discussion mentions (§4.8).
///
/// # Errors
/// A parameter is out of range.
pub fn without_redundancy(
    workload: &Workload,
    store: &LevelDb,
) -> Result<Vec<Step>, ParameterError> {
    workload.check()?;
    let level_items = store.level_items(workload.keys as f64)?;
    let mut steps = vec![Step::log(), Step::new("memory", "level 0", 1.0)];
    let mut above = store.level0_requests();
    for (level, &items) in level_items.iter().enumerate() {
        let (from, to) = (format!("level {level}"), format!("level {}", level + 1));
        let written = (above + items) / above;
        steps.push(Step::new(from, to, written).over(above).into_room_for(items));
        above = items;
    }
    Ok(steps)
}
