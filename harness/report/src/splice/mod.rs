//! Tables of a run within Markdown files: what stands between two markers is replaced by what the run
//! says, so that a README never shows numbers that no run has.
//!
//! ```text
//! <!-- begin store-bloat -->
//! (written by `nibble-bench splice`)
//! <!-- end store-bloat -->
//! ```

mod blocks;
mod markers;

pub use blocks::{Material, block};
pub use markers::{MarkerError, splice};
