//! Recording the machine asks allocators for their versions and opens none of them. This needs a
//! process of its own, because other tests may open some.

use std::process::Command;

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
    let alone = concat!(module_path!(), "::alone").split_once("::").expect("a path").1;
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", alone, "--nocapture"])
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "needs a process of its own: `capturing_the_machine_opens_no_allocator` starts it"]
fn alone() {
    const NOISE_BYTES: u64 = 1 << 20;
    let before = mapped_bytes();
    let facts = environment::capture().facts;
    let captured = mapped_bytes();
    let named = facts.keys().filter(|name| name.starts_with("heap-version-")).count();
    assert!(named >= 5, "{facts:?}");
    assert!(captured - before < NOISE_BYTES, "{before} -> {captured}");
    let maps = std::fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    assert!(!maps.contains("tcmalloc") && !maps.contains("scudo"), "a library was loaded");
    for name in ["jemalloc", "rpmalloc", "mimalloc2"] {
        let heap = registry::open_heap(name).expect("it is linked in");
        assert!(heap.allocate(100).is_some());
    }
    assert!(mapped_bytes() - captured > NOISE_BYTES, "the test would see allocators start");
}
