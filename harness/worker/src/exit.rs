//! Exit codes of `nibble-bench`; they are listed in `--help`.

/// Everything ended as planned.
pub const OK: u8 = 0;
/// At least one step ended in an outcome that the plan does not allow for; `agree`: fewer cells
/// agree than asked for; `power`: a bar is not held.
pub const UNEXPECTED: u8 = 1;
/// `doctor --strict`: something on this machine disturbs measurements.
pub const DISTURBED: u8 = 1;
/// The command line or a suite file is wrong.
pub const USAGE: u8 = 2;
/// This machine lacks something: memory, a tool, a package.
pub const MACHINE: u8 = 3;
/// A failure of the harness itself; a revision that does not build.
pub const INTERNAL: u8 = 4;
/// `targets --strict`: everything was measured, and at least one target falls short.
pub const FALLS_SHORT: u8 = 5;
/// `compare`, `gate`: something got worse.
pub const REGRESSION: u8 = 6;
/// `compare`, `gate`: nothing is known to be worse, and of something it cannot be told.
pub const UNKNOWN: u8 = 7;
/// `compare`, `gate`: the sides are not of one suite, scale, machine or build; nothing was compared.
pub const UNLIKE: u8 = 8;
/// Stopped by Ctrl-C or SIGTERM; finished rows are kept.
pub const INTERRUPTED: u8 = 130;
