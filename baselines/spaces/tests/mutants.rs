//! Runs every mutant of address spaces (`nibble/platform/src/mutant.rs`) against the test that must
//! kill it: of this crate, of the platform layer, or one of its models in loom.

use std::process::ExitCode;

use platform::mutant::mutants;

fn main() -> ExitCode {
    kit::mutants::run(mutants(), |name, file| {
        let program = file.rsplit('/').next().unwrap_or(file);
        match name {
            "spaces" => program.starts_with("all-"),
            "loom" => program.starts_with("platform-") && file.contains("/loom/"),
            _ => program.starts_with("platform-") && !file.contains("/loom/"),
        }
    })
}
