//! The engine's pieces, one at a time, in one thread: `cargo bench -p nibble --bench pieces`.
//!
//! | name | one iteration |
//! |---|---|
//! | `index-lookup/LAYOUT/hit/KEYS`, `…/miss/KEYS` | a look-up in an index with KEYS keys |
//! | `append/BYTES` | an object of BYTES bytes, header and key included, appended to the head |
//! | `epoch/CLOCK` | entering and leaving an epoch |
//! | `core-lookup/SOURCE` | finding the head of the current core |
//! | `relocation/UPDATE/BYTES` | a live object moved by compaction |
//! | `copy/ROUTINE/BYTES` | BYTES bytes copied |
//!
//! With `--quick` the larger index look-ups run only once, because criterion counts their
//! preparation.
//!
//! Part of a name selects benchmarks: `cargo bench -p nibble --bench pieces -- copy/memcpy`.

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
