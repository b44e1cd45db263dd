//! How the allocators were compiled: a debug build of one is no baseline.

use std::fs;

/// Texts that only an assertion leaves in the program, with `~` where a blank or `_` belongs, so
/// that this file does not leave them itself.
const MARKS: &[(&str, &str, &str)] =
    &[("snmalloc", "assert~fail:~{}~in", " "), ("tcmalloc", "!is~large~or~sampled()", "_")];

/// Build scripts of allocators read Cargo's `DEBUG`, which any debug information turns on, line
/// tables included: snmalloc is then compiled without optimisation and TCMalloc with assertions,
/// in a release profile. The workspace's profiles set `debug = false` for those packages.
#[test]
fn a_release_holds_no_allocator_with_assertions() {
    if cfg!(debug_assertions) {
        eprintln!("skipped: this profile has assertions on");
        return;
    }
    // The program must hold the heaps for the search to mean anything.
    assert_eq!(heaps::all().len(), 10);
    let program = std::env::current_exe().expect("the test binary's own path");
    let program = fs::read(program).expect("a program can be read");
    for (heap, mark, blank) in MARKS {
        let mark = mark.replace('~', blank);
        let found = program.windows(mark.len()).any(|window| window == mark.as_bytes());
        assert!(!found, "{heap} has assertions: set `debug = false` for its package in Cargo.toml");
    }
}
