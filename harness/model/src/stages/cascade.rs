//! Write amplification of a cache-oblivious lookahead array and of a sorted array merge tree
//! (Algorithm 4, §4.4).

use super::parameters::Cascade;
use super::popularity::Popularity;
use super::step::Step;
use super::unique::unique;

/// How a level receives what comes from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receives {
    /// COLA: merged into the level's only table.
    Merged,
    /// SAMT: beside the level's other tables.
    Beside,
}

/// The steps of `store`.
pub(super) fn steps(popularity: &Popularity, store: &Cascade, receives: Receives) -> Vec<Step> {
    let growth = f64::from(store.growth);
    let buffer = store.write_buffer_bytes as f64 / store.item_bytes as f64;
    let keys = popularity.keys();
    let levels = store.levels.unwrap_or_else(|| fewest_levels(keys / buffer, growth));
    let mut steps = vec![Step::log()];
    let mut interval = buffer;
    let mut from = "memory".to_owned();
    for level in 1..levels {
        let arrival = interval;
        interval *= growth;
        let written = match receives {
            // The j-th arrival finds a table of j intervals. Merging tables adds their requests
            // (Theorem 4.3), so no inverse is needed.
            Receives::Merged => (1..store.growth)
                .map(|arrivals| unique(popularity, arrival * f64::from(arrivals)))
                .sum(),
            Receives::Beside => growth * unique(popularity, arrival),
        };
        let to = format!("level {level}");
        let step = Step::new(from, to.clone(), written / interval).over(interval);
        steps.push(step.into_room_for(unique(popularity, interval)));
        from = to;
    }
    let last = Step::new(from, format!("level {levels}"), keys / interval);
    steps.push(last.over(interval).into_room_for(keys));
    steps
}

/// Levels of `growth` until they hold `buffers` write buffers.
fn fewest_levels(buffers: f64, growth: f64) -> u32 {
    let mut levels = 1;
    let mut held = growth;
    while held < buffers {
        held *= growth;
        levels += 1;
    }
    levels
}
