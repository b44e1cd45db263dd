//! The worker's end of the protocol.

use std::io::{self, BufRead, Write};

use crate::protocol::Event;

/// Standard output for events, standard input for permissions to go on.
#[derive(Debug)]
pub(super) struct Link {
    line: String,
}

impl Link {
    pub(super) fn new() -> Self {
        Self { line: String::with_capacity(4096) }
    }

    /// Says something.
    pub(super) fn say(&mut self, event: &Event) {
        let mut output = io::stdout().lock();
        // A parent that is gone cannot be told so; the kernel ends this process with it.
        let _ = serde_json::to_writer(&mut output, event);
        let _ = writeln!(output);
        let _ = output.flush();
    }

    /// Says something and waits for the parent's permission to go on; at the end of input there
    /// is no parent, and nothing to wait for.
    pub(super) fn say_and_wait(&mut self, event: &Event) {
        self.say(event);
        self.line.clear();
        let _ = io::stdin().lock().read_line(&mut self.line);
    }
}
