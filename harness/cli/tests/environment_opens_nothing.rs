//! Recording the machine asks allocators for their versions and opens none of them. Alone in its
//! process, because whatever else runs here may open some.

use harness::environment;
use worker::registry;

/// Bytes of address space, which an allocator that starts reserves by the mebibyte.
fn mapped_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc is mounted");
    let pages: u64 = text.split_whitespace().next().expect("a field").parse().expect("a number");
    pages * 4096
}

#[test]
fn capturing_the_machine_opens_no_allocator() {
    const NOISE_BYTES: u64 = 1 << 20;
    let before = mapped_bytes();
    let facts = environment::capture().facts;
    let captured = mapped_bytes();
    let named = facts.keys().filter(|name| name.starts_with("heap-version-")).count();
    assert!(named >= 5, "{facts:?}");
    assert!(captured - before < NOISE_BYTES, "{before} -> {captured}");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    assert!(!maps.contains("tcmalloc"), "a library was loaded");
    for name in ["jemalloc", "rpmalloc", "scudo"] {
        let heap = registry::open_heap(name).expect("it is linked in");
        assert!(heap.allocate(100).is_some());
    }
    assert!(mapped_bytes() - captured > NOISE_BYTES, "the test would see allocators start");
}
