//! Warming: a helper process touches memory and frees it right before a cell needs it, so that
//! the cell's first touches meet pages which the host already backs. On virtual machines that
//! return free memory to their host a cold page costs several times more than a warm one; nothing is
//! ever populated inside a worker whose resident memory is the result.

use std::process::{Command, Stdio};

use platform::{Mapping, Pages};

/// Touches `bytes` and gives them back, in this process. The body of the hidden `warm` command.
///
/// # Errors
/// When the memory cannot be mapped.
pub fn warm(bytes: u64) -> std::io::Result<()> {
    let mapping = Mapping::anonymous(bytes as usize, Pages::Huge)?;
    mapping.populate(0, mapping.bytes());
    Ok(())
}

/// Has a helper process warm `bytes`, at most half of what is available. A helper that fails
/// leaves memory as it was: the cell is then slower, not wrong.
pub(super) fn warm_apart(bytes: u64) {
    let bytes = bytes.min(worker::kernel::available_memory_bytes() / 2);
    let Ok(program) = std::env::current_exe() else { return };
    let _ = Command::new(program)
        .args(["warm", &bytes.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
