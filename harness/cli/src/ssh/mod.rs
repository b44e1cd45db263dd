//! Hosts without a scheduler, reached by the system's `ssh`: which there are, whether this program runs on
//! them, and what is done there. Keys, ports, users and jumps are `ssh`'s own business.

mod error;
mod host;
mod hosts;
mod processor;
mod turns;

pub(crate) use error::SshError;
pub(crate) use host::{Host, ShardTask};
pub(crate) use hosts::read_hosts;
pub(crate) use processor::Needs;
pub(crate) use turns::{Turn, Turns};
