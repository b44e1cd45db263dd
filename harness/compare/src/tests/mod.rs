//! The crate as its users see it: files of other tools, and the script that runs the gate.

mod gate;
mod imports;

use std::path::PathBuf;

/// A place of this process's own for a file or a folder that a test writes.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("nibble-compare-tests-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder.join(name)
}
