//! What tests of stores share.
//!
//! | module | what it holds |
//! |---|---|
//! | `alone` | a test in a process of its own |
//! | `batches` | batches against single operations |
//! | `figures` | statistics and settings by name |
//! | `hasty` | sessions that answer before they hand anything over |
//! | `heap` | a heap that counts |
//! | `killed` | processes that are killed, and what they must have kept |
//! | `killed_steps` | the same, of groups that are written in one step |
//! | `planted` | a store around another that commits a fault now and then |
//! | `pipelines` | long pipelines, and bytes that a protocol might trip over |
//! | `power` | stores whose machine loses its power |
//! | `random` | random numbers from a seed |
//! | `stress` | threads that know between which versions each value must lie |
//! | `survivor` | stores on a disk that are opened again, closed or killed |
//! | `values` | values that prove themselves |

mod alone;
mod batches;
mod figures;
mod hasty;
#[expect(unsafe_code, reason = "blocks of a heap are addresses")]
mod heap;
mod killed;
mod killed_steps;
mod pipelines;
mod planted;
mod power;
mod random;
mod stress;
mod survivor;
mod values;

pub use alone::{Alone, resident_bytes};
pub use batches::batches_answer_as_single_operations_do;
pub use figures::{counter, setting, statistic};
pub use hasty::Hasty;
pub use heap::TestHeap;
pub use pipelines::{Round, bytes_of_every_kind, pipeline};
pub use planted::{Plant, Planted, PlantedSession};
pub use random::{Random, mix};
pub use stress::{Done, Stress, VALUE_BYTES_MAX};
pub use survivor::{Survivor, kills_asked};
pub use values::{fill, made, read_version, version_of};
