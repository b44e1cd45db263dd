//! Write amplification of SILT by popularity (Algorithm 5, §4.5), and its costs in the worst case, which
//! is uniform popularity (§2.4).

use serde::Serialize;

use super::parameters::Silt;
use super::popularity::Popularity;
use super::step::Step;
use super::unique::unique_inverse;

/// The steps of one instance of `store`, over whose own keys `popularity` is.
pub(super) fn steps(popularity: &Popularity, store: &Silt) -> Vec<Step> {
    let slots = store.table_slots as f64;
    let interval = unique_inverse(popularity, slots * store.occupancy);
    let merge = interval * f64::from(store.hash_tables);
    let keys = popularity.keys();
    vec![
        Step::log(),
        // A hash table is written as it is, with its empty slots.
        Step::new("log", "hash table", slots / interval).over(interval).into_room_for(slots),
        Step::new("hash tables", "sorted store", keys / merge).over(merge).into_room_for(keys),
    ]
}

/// Costs under uniform inserts (Eq. 2.4 to 2.7).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstCase {
    pub write_amplification: f64,
    /// Hash tables present on average.
    pub hash_tables: f64,
    /// Reads from storage of a lookup that passes all hash tables.
    pub read_amplification: f64,
    pub index_bytes_per_item: f64,
}

/// Costs of `instances` stores of `keys` keys in all, with tags of `tag_bits` bits, where `merged_items`
/// items in hash tables start a merge.
///
/// The published occupancy of 0.93 and 4 slots to a bucket, and 0.4 bytes of index for each item of a
/// sorted store, are part of the equations.
#[must_use]
pub fn worst_case(keys: f64, instances: f64, merged_items: f64, tag_bits: u32) -> WorstCase {
    let bits = f64::from(tag_bits);
    let buckets = bits.exp2();
    let hash_tables = merged_items / 2.0 / (0.93 * 4.0 * buckets);
    let false_positives = 8.0 / buckets;
    let index = (16.5 + 0.5 * bits) * buckets + 0.067 * bits * merged_items;
    WorstCase {
        write_amplification: 1.0 + 1.0 / 0.93 + keys / (merged_items * instances),
        hash_tables,
        read_amplification: (1.0 + hash_tables) * false_positives + 1.0,
        index_bytes_per_item: index * instances / keys + 0.4,
    }
}
