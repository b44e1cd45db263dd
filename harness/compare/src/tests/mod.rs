//! The crate as its users see it: files of other tools, and the script that runs the gate.

mod gate;
mod imports;

use std::path::PathBuf;

/// A place beside the test program for a file or a folder that a test writes.
fn scratch(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("the test program");
    let folder = program.with_file_name("compare-tests");
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder.join(name)
}
