//! Every file says what it is for and stays small; every synchronisation edge has two ends; the
//! program stays within its bounds.

use std::collections::BTreeMap;

use crate::common::{root, rust_files};

#[test]
fn every_file_opens_by_saying_what_it_is_for() {
    let files = rust_files();
    assert!(files.len() > 100, "source files were found");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source file");
        assert!(text.starts_with("//! "), "{} does not open with `//! `", path.display());
    }
}

#[test]
fn no_file_is_longer_than_600_lines() {
    for path in rust_files() {
        let lines = std::fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(lines <= 600, "{} has {lines} lines: does it hold one idea?", path.display());
    }
}

/// Comments `// NAME, from:` and `// NAME, to:` mark the ends of an edge.
#[test]
fn every_named_edge_has_two_ends() {
    let mut edges: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for path in rust_files() {
        let text = std::fs::read_to_string(&path).expect("a source file");
        for line in text.lines() {
            let Some(comment) = line.trim().strip_prefix("// ") else { continue };
            let Some((name, rest)) = comment.split_once(", ") else { continue };
            let named = name.len() >= 4
                && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
            if !named {
                continue;
            }
            let ends = edges.entry(name.to_owned()).or_default();
            ends[0] += usize::from(rest.starts_with("from"));
            ends[1] += usize::from(rest.starts_with("to"));
        }
    }
    assert!(edges.len() >= 3, "edges were found: {edges:?}");
    for (name, [from, to]) in edges {
        assert!(from > 0 && to > 0, "edge {name} has {from} starts and {to} ends");
    }
}

#[test]
fn the_top_level_is_as_agreed() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "nibble",
        "baselines",
        "workloads",
        "harness",
        "docs",
        "results",
        "plots",
        "scripts",
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "rustfmt.toml",
        "target",
    ];
    for entry in std::fs::read_dir(root()).expect("the root").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(name.starts_with('.') || allowed.contains(&name.as_str()), "{name} at top level");
    }
}

/// Nine allocators and two dozen stores are linked in, with what debuggers and profilers read; a jump
/// in size means that something else came along.
#[test]
fn the_program_is_not_larger_than_agreed() {
    const RELEASE_BYTES_MAX: u64 = 96 << 20;
    const DEBUG_BYTES_MAX: u64 = 384 << 20;
    let bound = if cfg!(debug_assertions) { DEBUG_BYTES_MAX } else { RELEASE_BYTES_MAX };
    let bytes = std::fs::metadata(env!("CARGO_BIN_EXE_nibble-bench")).expect("the program").len();
    assert!(bytes <= bound, "the program has {bytes} bytes, agreed were {bound}");
}
