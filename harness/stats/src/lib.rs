//! The statistics of the whole project: numbers in, numbers out. Nothing here measures, reads a
//! file or knows a store.
//!
//! Every method returns the same [`Interval`]. `docs/src/statistics.md` explains each method, what
//! it assumes and where it is used.
//!
//! | file | method |
//! |---|---|
//! | `spread` | the median with the lowest and the highest value |
//! | `nodes` | the same where several nodes measured: the node is a random effect |
//! | `processes` | the median over processes: Student's interval of few, the bootstrap of many |
//! | `bootstrap` | the percentile bootstrap of a median, with ends corrected for few values |
//! | `trimmed` | the trimmed mean on the bootstrap's standard error: paired blocks, or sides apart |
//! | `welch` | geometric means and their ratio |
//! | `change_points` | where the level of a history changed |
//! | `familywise` | the level of each of many intervals that are judged together |
//! | `verdict` | the four verdicts |

mod better;
mod bootstrap;
mod change_points;
mod familywise;
mod interval;
mod median;
mod nodes;
pub mod noise;
mod processes;
mod sample;
mod spread;
mod student;
mod trimmed;
mod verdict;
mod welch;

pub use better::Better;
pub use bootstrap::{bootstrap_median, bootstrap_ratio};
pub use change_points::{ChangePoint, ChangeSettings, Segment, Segmentation, change_points};
pub use familywise::level_of_each;
pub use interval::{Interval, Method};
pub use median::median;
pub use nodes::{node_means, of_nodes};
pub use processes::of_processes;
pub use spread::spread;
pub use student::student;
pub use trimmed::{trimmed_ratio, trimmed_ratio_apart};
pub use verdict::Verdict;
pub use welch::{Prior, WelchSide, welch_mean, welch_ratio};
