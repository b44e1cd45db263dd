//! Allocators side by side in one binary, each called through its own entry points.
//!
//! Nothing here interposes on `malloc`: the program's global allocator stays the system's, and an
//! allocation through one heap does not change another heap's statistics (`src/tests/matrix.rs` shows
//! this). There is one file per allocator; `README.md` has the table of sources, statistics and
//! traps.
//!
//! ```
//! let heap = heaps::by_name("jemalloc").expect("registered");
//! heap.open().expect("linked into this binary");
//! heap.thread_start();
//! let block = heap.allocate(100).expect("100 bytes");
//! // SAFETY: `block` came from `allocate(100)` of this heap just above and is freed once.
//! unsafe { heap.free(block, 100) };
//! heap.thread_end();
//! ```

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as heaps;

mod environment;
mod glibc;
mod gperftools;
mod jemalloc;
mod mimalloc;
mod null;
mod released;
mod rpmalloc;
mod scudo;
mod snmalloc;
mod tcmalloc;
#[cfg(test)]
mod tests;
mod variants;

use engine::Heap;

/// Every heap, in the order of tables.
static HEAPS: [&dyn Heap; 10] = [
    &glibc::Glibc,
    &jemalloc::Jemalloc,
    &mimalloc::Mimalloc::<mimalloc::Version3>::NEW,
    &mimalloc::Mimalloc::<mimalloc::Version2>::NEW,
    &tcmalloc::Tcmalloc,
    &gperftools::Gperftools,
    &snmalloc::Snmalloc,
    &rpmalloc::Rpmalloc,
    &scudo::Scudo,
    &null::Null,
];

/// Every heap in this binary. A listed heap may still be missing on this machine; [`Heap::open`]
/// tells.
#[must_use]
pub fn all() -> &'static [&'static dyn Heap] {
    &HEAPS
}

/// The heap registered under `name`.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Heap> {
    HEAPS.iter().copied().find(|heap| heap.traits().name == name)
}
