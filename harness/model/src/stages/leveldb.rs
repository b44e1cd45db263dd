//! Write amplification of a levelled tree whose levels are compacted table by table, in turn
//! (Algorithm 3, §4.3).

use super::density::density_interval;
use super::parameters::LevelDb;
use super::popularity::Popularity;
use super::step::Step;
use super::unique::{unique, unique_inverse};

/// The steps of `store`, whose levels from 1 on have room for `level_items` items.
pub(super) fn steps(popularity: &Popularity, store: &LevelDb, level_items: &[f64]) -> Vec<Step> {
    let buffer = store.buffer_items();
    let mut steps = vec![
        Step::log(),
        Step::new("memory", "level 0", unique(popularity, buffer) / buffer).over(buffer),
    ];
    let mut interval = store.level0_requests();
    for (level, &next_items) in level_items.iter().enumerate() {
        if level > 0 {
            // Upper levels go first, and what they push down fills a lower level beyond its size: the
            // intervals add up.
            interval += density_interval(popularity, level_items[level - 1]);
        }
        // The merge of what arrived in the interval with the next level.
        let mut written = unique(popularity, interval + unique_inverse(popularity, next_items));
        if level > 0 {
            // Tables overlap with more of the next level than their keys do, about as much as they
            // hold. Level 0 is compacted as a whole, without such edges.
            written += unique(popularity, interval);
        }
        let step =
            Step::new(format!("level {level}"), format!("level {}", level + 1), written / interval);
        steps.push(step.over(interval).into_room_for(next_items));
    }
    steps
}
