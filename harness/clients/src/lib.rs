//! Coordinated clients: several processes, on one machine or many, drive one server or a cluster with one
//! schedule.
//!
//! The coordinator talks to each client over its standard input and output (`protocol`), so a client may
//! be a child, a task of Slurm or a command that ssh runs. All clients load their records, say their time
//! until their clocks' offsets are known, and begin at one moment. Each connection then follows its part of
//! an open loop. Histograms merge exactly; values carry who wrote them, and which version they are, so what
//! one client wrote others verify.

mod client;
mod coordinator;
mod events;
mod interval;
mod job;
mod keys;
mod latency;
mod ledger;
mod offset;
mod outcome;
mod protocol;
mod recovery;
mod schedule;
mod servers;
mod slots;
mod store;
mod target;
mod timeline;

pub use baseline_redis::LIBVALKEY_FILE;
pub use client::{ClientError, run as run_client};
pub use coordinator::{ClientLink, CoordinatorError, Measured, measure};
pub use events::{Event, EventError, EventOutcome, Happening, NodeName};
pub use interval::{Interval, ShardInterval};
pub use job::Job;
pub use latency::Latency;
pub use ledger::Found;
pub use offset::Offset;
pub use outcome::{
    ClientOutcome, Counters, Happened, Outcome, Percentiles, ServerOutcome, ShardOutcome,
};
pub use protocol::End;
pub use recovery::Recovery;
pub use servers::{Node, Servers, ServersError, Shard, State};
pub use store::library_file;
pub use target::{Address, Kind, Target, TargetError};
