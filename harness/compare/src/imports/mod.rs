//! Results of other tools as [`Line`](crate::Line)s, so that they are compared like ours. The tool
//! is recognised by what a file says, never by its name.
//!
//! | tool | what is read | a cell | metrics |
//! |---|---|---|---|
//! | hyperfine | `--export-json`, of versions 1 and 2 | name or command, with its parameters | `elapsed`, `peak-memory`, `user`, `system` |
//! | criterion | a folder of `target/criterion` | the benchmark's id | `time-per-iteration` |
//! | YCSB | what it prints | the workload's file, else the file read | `throughput`, `read-mean`, `read-p99`, … |
//! | memtier | `--json-out-file` | what was asked, else the file read | `throughput`, `p99`, `get-p99`, … |
//!
//! - A series has one value a repetition. What a tool gives as a mean only (`user` and `system` of
//!   hyperfine 1, memtier's average of several runs) is a series of one value.
//! - Latencies are in ns, times of programs in s. Zero is kept: it says that the tool's clock is too
//!   coarse, and a notice says so too.
//! - Least and greatest latencies are left out: they grow with the number of operations.
//! - Criterion's samples are of one process: they vary less than processes do.
//! - What was left out, and why, is told in [`Imported::notices`].

mod criterion;
mod document;
mod error;
mod field;
mod hyperfine;
mod lines;
mod memtier;
mod percentile;
mod tool;
mod ycsb;

use std::path::Path;

pub use criterion::{NEWEST, criterion};
use document::Document;
pub use error::{ImportError, ImportFault};
pub use lines::Imported;
pub use tool::{Tool, UnknownTool};

/// The results at `path`, a file or a folder, of whichever tool wrote them.
///
/// # Errors
/// What cannot be read or is damaged or empty, or why none of the known tools wrote it.
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    import_of(&Tool::ALL, path)
}

/// The results of `tool` at `path`; of criterion the newest, see [`criterion`] for others.
///
/// # Errors
/// As [`import`].
pub fn import_as(tool: Tool, path: &Path) -> Result<Imported, ImportError> {
    import_of(&[tool], path)
}

fn import_of(tools: &[Tool], path: &Path) -> Result<Imported, ImportError> {
    let fail = |tool| move |fault| ImportError { path: path.to_path_buf(), tool, fault };
    let document = Document::load(path).map_err(fail(None))?;
    let mut tried = Vec::new();
    for &tool in tools {
        let unlike = match (tool, &document) {
            (Tool::Criterion, Document::Folder) => return criterion(path, NEWEST),
            (_, Document::Folder) => "it is a folder; give the file".to_owned(),
            (Tool::Criterion, _) => "it is a file; give the folder target/criterion".to_owned(),
            (Tool::Ycsb, Document::Text(text)) => match ycsb::recognise(text) {
                Ok(()) => {
                    return ycsb::import(text, &document::stem(path)).map_err(fail(Some(tool)));
                }
                Err(unlike) => unlike,
            },
            (Tool::Hyperfine, Document::Json(json)) => match hyperfine::recognise(json) {
                Ok(()) => {
                    return hyperfine::import(json, &document::stem(path))
                        .map_err(fail(Some(tool)));
                }
                Err(unlike) => unlike,
            },
            (Tool::Memtier, Document::Json(json)) => match memtier::recognise(json) {
                Ok(()) => {
                    return memtier::import(json, &document::stem(path)).map_err(fail(Some(tool)));
                }
                Err(unlike) => unlike,
            },
            (Tool::Ycsb, Document::Json(_)) => "it is JSON; export text".to_owned(),
            (Tool::Hyperfine | Tool::Memtier, Document::Text(_)) => "it is not JSON".to_owned(),
        };
        tried.push((tool, unlike));
    }
    Err(fail(None)(ImportFault::Unrecognised { tried }))
}
