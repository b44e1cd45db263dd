//! Exit codes of `nibble-bench`; they are listed in `--help`.

pub const OK: u8 = 0;
/// A step ended in an outcome the plan does not expect; `agree`: too few cells agree; `power`: a
/// bound does not hold.
pub const UNEXPECTED: u8 = 1;
/// `doctor`, `run`, `reproduce` with `--strict`: something on this machine disturbs measurements.
pub const DISTURBED: u8 = 1;
/// The command line or a suite file is wrong.
pub const USAGE: u8 = 2;
/// This machine lacks something: memory, a tool, a package.
pub const MACHINE: u8 = 3;
/// The harness itself failed, or a revision does not build.
pub const INTERNAL: u8 = 4;
/// `targets --strict`: everything was measured, and at least one target was missed.
pub const TARGET_MISSED: u8 = 5;
/// `compare`, `gate`: something got worse.
pub const REGRESSION: u8 = 6;
/// `compare`, `gate`: no regression proven, some metrics too noisy.
pub const INCONCLUSIVE: u8 = 7;
/// `gate`, `compare --strict`: suite, scale, machine, build or conditions differ; nothing was compared.
pub const MISMATCH: u8 = 8;
/// `choose`: nothing that was measured qualifies.
pub const NOTHING_QUALIFIES: u8 = 9;
/// Stopped by Ctrl-C or SIGTERM; finished rows are kept.
pub const INTERRUPTED: u8 = 130;
