//! A reader that leaves early, as in `list | head -1`, ends the program as it ends any other: by
//! SIGPIPE and without a word.
//!
//! The signal itself stays ignored: a worker that dies while the program writes to it is a row, not
//! the end of the run. So the panic of `println!` is what tells that the reader is gone.

use std::panic;

use signal_hook::consts::SIGPIPE;
use signal_hook::low_level::emulate_default_handler;

/// How the panic of `println!` and `eprintln!` begins and ends.
const FAILED: &str = "failed printing to std";
const CLOSED: &str = "Broken pipe";

/// From here on, printing to a closed pipe ends the program quietly.
pub(super) fn end_quietly() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        if message.starts_with(FAILED) && message.contains(CLOSED) {
            // If this fails, the panic ends the program, with words.
            let _ = emulate_default_handler(SIGPIPE);
        }
        report(info);
    }));
}
