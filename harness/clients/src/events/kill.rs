//! The end of a server's process, as by a power cut.

use std::fs;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::EventError;
use crate::servers::Servers;
use crate::target::Address;

/// Names of the processes of servers.
const SERVERS: [&str; 2] = ["valkey", "redis"];

/// Kills the server at an address; what was done.
pub(super) fn kill(servers: &Servers, address: &Address) -> Result<String, EventError> {
    let process = process_of(servers, address)?;
    kill_process(process, Signal::KILL).map_err(|error| refused(address, process, &error))?;
    Ok(format!("killed {address}, process {}", process.as_raw_nonzero()))
}

/// The process of a server of this machine, which this one may kill.
pub(super) fn process_of(servers: &Servers, address: &Address) -> Result<Pid, EventError> {
    let remote = || EventError::Remote { address: address.clone() };
    if !address.is_loopback() {
        return Err(remote());
    }
    let state = servers.state(address).map_err(|error| EventError::Process {
        address: address.clone(),
        id: 0,
        reason: error.to_string(),
    })?;
    let process = Pid::from_raw(state.process_id.cast_signed()).ok_or_else(remote)?;
    // In another container the number would be somebody else's.
    let name = fs::read_to_string(format!("/proc/{}/comm", state.process_id)).unwrap_or_default();
    if !SERVERS.iter().any(|server| name.starts_with(server)) {
        let reason = format!("here that number is `{}`", name.trim());
        return Err(EventError::Process { address: address.clone(), id: state.process_id, reason });
    }
    test_kill_process(process).map_err(|error| refused(address, process, &error))?;
    Ok(process)
}

fn refused(address: &Address, process: Pid, error: &rustix::io::Errno) -> EventError {
    EventError::Process {
        address: address.clone(),
        id: process.as_raw_nonzero().get().cast_unsigned(),
        reason: error.to_string(),
    }
}
