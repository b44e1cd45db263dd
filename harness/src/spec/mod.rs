//! What can be asked for: suites (questions as TOML), scales (how large), and helpful answers to
//! names that do not exist.

mod bytes;
mod catalogue;
mod key_value;
mod replay;
mod scale;
mod suggest;
mod suite;
mod threads;

pub use bytes::Bytes;
pub use catalogue::{built_in, load, names};
pub use key_value::KeyValueGrid;
pub use replay::ReplayGrid;
pub use scale::Scale;
pub use suggest::unknown_name;
pub use suite::{AllocationGrid, CopyGrid, FragmentationGrid, MappingGrid, Suite, SuiteError};
pub use threads::{Threads, on_cores};
