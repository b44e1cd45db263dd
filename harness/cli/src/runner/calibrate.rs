//! Calibration in a process of its own, so that the parent stays small.

use std::process::{Command, Stdio};

use record::Calibration;

/// Runs `nibble-bench calibrate` over `bytes`.
///
/// # Errors
/// What the process said.
pub fn calibrate_apart(bytes: u64) -> Result<Calibration, String> {
    let failed = |reason: String| format!("calibrating the memory: {reason}");
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new(program)
        .args(["calibrate", "--bytes", &bytes.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}
