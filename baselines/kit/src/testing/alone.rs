//! A test in a process of its own: for tests that look at the whole of a process, that need its
//! environment from the start, or that end it.

use std::process::{Command, Stdio};

/// Tells the second process what it is for.
const MARKER: &str = "KIT_TEST_ALONE";

/// A test that this program runs again, alone.
#[derive(Debug)]
pub struct Alone {
    command: Command,
}

impl Alone {
    /// The test `name` in the module whose `module_path!()` is given.
    ///
    /// # Panics
    /// If the running program is not to be found.
    #[must_use]
    pub fn new(module: &str, name: &str) -> Self {
        // A path begins with the program's name, which names of tests do not have.
        let path = match module.split_once("::") {
            Some((_, inner)) => format!("{inner}::{name}"),
            None => name.to_owned(),
        };
        let program = std::env::current_exe().expect("the test program's own path");
        let mut command = Command::new(program);
        command.args(["--exact", &path, "--include-ignored", "--nocapture", "--test-threads=1"]);
        command.env(MARKER, "").stdin(Stdio::null());
        Self { command }
    }

    /// A variable of the process' environment.
    #[must_use]
    pub fn env(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Runs `body` in the second process. In the first, starts that and waits for it.
    ///
    /// # Panics
    /// If the test fails in its own process, or does not run there.
    pub fn run(mut self, body: impl FnOnce()) {
        if Self::is_alone() {
            body();
            return;
        }
        let output = self.command.output().expect("the test program starts a second time");
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        // What it says of skipped parts belongs to this test.
        eprint!("{errors}");
        assert!(
            output.status.success() && text.contains("1 passed"),
            "in its own process: {}\n{text}\n{errors}",
            output.status
        );
    }

    /// The second process, not yet started and silent, for a `body` that may end it: it learns
    /// what to do by [`task`](Self::task).
    #[must_use]
    pub fn told(mut self, task: &str) -> Command {
        self.command.env(MARKER, task).stdout(Stdio::null()).stderr(Stdio::null());
        self.command
    }

    /// What the process was told to do; `None` in the one that `cargo test` starts.
    #[must_use]
    pub fn task() -> Option<String> {
        std::env::var(MARKER).ok()
    }

    fn is_alone() -> bool {
        std::env::var_os(MARKER).is_some()
    }
}

/// Bytes of this process in physical memory.
///
/// # Panics
/// If the system does not tell.
#[must_use]
pub fn resident_bytes() -> u64 {
    platform::process::ProcessMemory::of_self().expect("/proc is mounted").resident_bytes()
}
