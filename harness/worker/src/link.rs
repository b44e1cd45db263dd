//! The worker's end of the protocol.

use std::io::{self, BufRead, Write};

use crate::protocol::Event;
use crate::samples::Samples;

/// Standard output for events, standard input for permission to go on.
#[derive(Debug)]
pub(super) struct Link {
    line: String,
    has_parent: bool,
    samples: Option<Samples>,
}

impl Link {
    /// `has_parent` is false if the worker is run by hand.
    pub(super) fn new(has_parent: bool, samples: Option<Samples>) -> Self {
        Self { line: String::with_capacity(4096), has_parent, samples }
    }

    /// Writes what was sampled.
    pub(super) fn write_samples(&self) -> Result<(), String> {
        self.samples.as_ref().map_or(Ok(()), Samples::write)
    }

    /// Sends an event.
    pub(super) fn say(&mut self, event: &Event) {
        if let (Some(samples), Event::Step(_)) = (&mut self.samples, event) {
            samples.end();
        }
        let mut output = io::stdout().lock();
        // A parent that is gone cannot be told; the kernel ends this process with it.
        let _ = serde_json::to_writer(&mut output, event);
        let _ = writeln!(output);
        let _ = output.flush();
    }

    /// Sends an event and waits for the parent's permission to go on. At the end of input there is no
    /// parent to wait for. A parent that was there may have ended before this process asked to be killed
    /// with it, so the worker then ends here.
    pub(super) fn say_and_wait(&mut self, event: &Event) {
        self.say(event);
        self.line.clear();
        let read = io::stdin().lock().read_line(&mut self.line);
        if self.has_parent && read.is_ok_and(|bytes| bytes == 0) {
            std::process::exit(crate::exit::INTERNAL.into());
        }
        if let (Some(samples), Event::Before { step, .. }) = (&mut self.samples, event) {
            samples.begin(step);
        }
    }
}
