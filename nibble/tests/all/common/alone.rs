//! A test in a process of its own, for those that look at the whole of one or limit it.

use std::path::PathBuf;
use std::process::Command;

/// Tells the second process that it is one.
const MARKER: &str = "NIBBLE_TEST_ALONE";

/// Runs `body` in a process of its own: this program again, with the test `name` of the module
/// whose `module_path!()` is given.
pub(crate) fn alone(module: &str, name: &str, body: impl FnOnce()) {
    alone_with(Command::new, module, name, body);
}

/// Like [`alone`], in a process that has this much address space.
pub(crate) fn alone_within(
    address_space_bytes: u64,
    module: &str,
    name: &str,
    body: impl FnOnce(),
) {
    let limited = |program: PathBuf| {
        let kib = address_space_bytes >> 10;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("ulimit -v {kib} && exec \"$0\" \"$@\"")).arg(program);
        shell
    };
    alone_with(limited, module, name, body);
}

fn alone_with(
    command: impl FnOnce(PathBuf) -> Command,
    module: &str,
    name: &str,
    body: impl FnOnce(),
) {
    if std::env::var_os(MARKER).is_some() {
        body();
        return;
    }
    let (_, module) = module.split_once("::").expect("a module of this program");
    let program = std::env::current_exe().expect("the test program's own path");
    let mut command = command(program);
    command.args(["--exact", &format!("{module}::{name}"), "--nocapture", "--test-threads=1"]);
    let output = command.env(MARKER, "").output().expect("the test program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    print!("{text}");
    let passed = output.status.success() && text.contains("1 passed");
    assert!(passed, "in its own process: {}\n{errors}", output.status);
}
