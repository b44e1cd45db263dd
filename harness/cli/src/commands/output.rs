//! What a command prints: text with colours for people, or one JSON document for programs.

use std::io;

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use serde::Serialize;

/// Prints `text`, without its colours where standard output is no terminal, or where the environment
/// asks for none (`NO_COLOR`, `TERM=dumb`).
pub(super) fn print(text: &str) {
    // Standard output itself, not the stream of `anstream`: that one says nothing of a closed pipe.
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => std::print!("{}", strip_str(text)),
        _ => std::print!("{text}"),
    }
}

/// Prints one document. A command that prints JSON prints nothing else to standard output.
pub(super) fn print_json(document: &impl Serialize) {
    println!("{}", serde_json::to_string_pretty(document).expect("plain data"));
}
