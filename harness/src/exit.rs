//! Exit codes of `nibble-bench`; they are listed in `--help`.

/// Everything ended as planned.
pub const OK: u8 = 0;
/// At least one step ended in an outcome that the plan does not allow for; `agree`: fewer cells
/// agree than asked for.
pub const UNEXPECTED: u8 = 1;
/// `doctor --strict`: something on this machine disturbs measurements.
pub const DISTURBED: u8 = 1;
/// The command line or a suite file is wrong.
pub const USAGE: u8 = 2;
/// This machine lacks something: memory, a tool, a package.
pub const MACHINE: u8 = 3;
/// A failure of the harness itself.
pub const INTERNAL: u8 = 4;
/// `targets --strict`: everything was measured, and at least one target falls short.
pub const FALLS_SHORT: u8 = 5;
/// Stopped by Ctrl-C or SIGTERM; finished rows are kept.
pub const INTERRUPTED: u8 = 130;
