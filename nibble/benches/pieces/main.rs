//! The engine's pieces, one at a time, in one thread: `cargo bench -p nibble --bench pieces`.
//!
//! | name | one iteration |
//! |---|---|
//! | `index-lookup/LAYOUT/hit/KEYS`, `…/miss/KEYS` | a look-up in an index of so many keys |
//! | `append/BYTES` | an object of so many bytes, header and key included, appended to the head |
//! | `epoch/CLOCK` | an epoch entered and left |
//! | `core-lookup/SOURCE` | the head of the present core found |
//! | `relocation/UPDATE/BYTES` | a live object moved by compaction |
//! | `copy/ROUTINE/BYTES` | so many bytes copied |
//!
//! With `--quick` the larger index look-ups are called once: criterion counts their preparation.
//!
//! A part of a name chooses: `cargo bench -p nibble --bench pieces -- copy/memcpy`.

#[path = "../setting/mod.rs"]
mod setting;

mod append;
mod copy;
mod epoch;
mod index_lookup;
mod relocation;

use criterion::{criterion_group, criterion_main};

criterion_group! {
    name = benches;
    config = setting::criterion();
    targets = index_lookup::benches, append::benches, epoch::benches, epoch::core_lookups,
        relocation::benches, copy::benches
}
criterion_main!(benches);
