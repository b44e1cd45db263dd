//! What on this machine disturbs measurements, and how to mend it.
//!
//! ```text
//! the machine ─ probe ─► Readings ─ checks (pure) ─► Findings ─► text or JSON
//! ```

mod checks;
mod finding;
mod print;
mod probe;
pub(crate) mod quiet;
mod readings;

pub use checks::{CHECKS, Check};
pub use finding::{Finding, Severity};
pub use print::text;
pub use probe::{frequency_mhz, load_average, probe};
pub use readings::{Busy, FirstTouch, Overlap, Readings};

/// What every check makes of the readings, in the order of the checks.
#[must_use]
pub fn examine(readings: &Readings) -> Vec<Finding> {
    CHECKS.iter().flat_map(|checks| checks.iter()).map(|check| check.examine(readings)).collect()
}
