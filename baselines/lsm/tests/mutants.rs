//! Runs every mutant of the store (`src/mutant.rs`) against the test that must kill it.

use std::process::ExitCode;

use baseline_lsm::mutants;

fn main() -> ExitCode {
    kit::mutants::run(mutants(), |name, file| file.contains(name))
}
