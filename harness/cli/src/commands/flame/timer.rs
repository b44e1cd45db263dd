//! Stacks sampled by the worker itself: a timer interrupts it, without any permission.

use std::path::Path;
use std::process::Command;

use super::in_environment_of;
use super::steps::follow;
use record::Cell;

pub(super) fn stacks(program: &Path, cell: &Cell, scratch: &Path) -> Result<String, String> {
    let file = scratch.join("samples");
    let mut command = Command::new(program);
    command.args(["worker", "--samples"]).arg(&file);
    // The worker begins and ends by itself.
    follow(in_environment_of(cell, command), cell, |_| Ok(()))?;
    std::fs::read_to_string(&file).map_err(|error| format!("its samples: {error}"))
}
