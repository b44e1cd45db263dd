//! The program `nibble-bench`: see `nibble-bench --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::commands::main().into()
}
