//! What Slurm is asked, and what it answers. Slurm alone decides when and where a task runs: here an array
//! job is written and submitted, and the states of its tasks are read.

mod error;
mod job;
mod queue;

pub(crate) use error::SlurmError;
pub(crate) use job::{Job, submit};
pub(crate) use queue::{State, Tasks, tasks};
