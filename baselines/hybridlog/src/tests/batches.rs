//! Batches answer as single operations do.

use super::common::{check, open, small};
use baseline_hybridlog::Config;
use kit::testing::batches_answer_as_single_operations_do;

#[test]
fn batches_of_all_sizes_answer_as_single_operations() {
    for mutable_fraction in [0.0, 0.9] {
        let config = Config { mutable_fraction, ..small(8 << 20) };
        let stores = [open(config), open(config)];
        // Around the number of operations that are prefetched together.
        let sizes = (0..100).chain([31, 32, 33, 63, 64, 65, 1000]);
        batches_answer_as_single_operations_do([&stores[0], &stores[1]], sizes, 3000);
        stores.iter().for_each(check);
    }
}

/// Now and then a value is longer than the store takes.
#[test]
fn values_too_long_for_the_store_are_refused_in_batches() {
    let config = Config { value_bytes_max: 1000, ..small(8 << 20) };
    let stores = [open(config), open(config)];
    batches_answer_as_single_operations_do([&stores[0], &stores[1]], 0..100, 1000);
    stores.iter().for_each(check);
}
