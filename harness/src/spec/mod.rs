//! What can be asked for: suites (questions as TOML), scales (how large), and helpful answers to
//! names that do not exist.

mod catalogue;
mod scale;
mod suggest;
mod suite;

pub use catalogue::{built_in, load, names};
pub use scale::Scale;
pub use suggest::unknown_name;
pub use suite::{ClosedLoopGrid, FragmentationGrid, Suite, SuiteError};
