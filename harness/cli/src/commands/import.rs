//! `import`: results of other tools as lines.

use std::path::Path;

use compare::Line;

use super::Failure;
use crate::cli::ImportArguments;

/// Writes the imported lines to a file or prints them.
pub(super) fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    let lines = read(&arguments.file)?;
    match &arguments.output {
        Some(path) => {
            super::history::replace(path, &lines)?;
            println!("{}: {} line(s)", path.display(), lines.len());
        }
        None => {
            for line in &lines {
                println!("{}", serde_json::to_string(line).expect("a line is plain data"));
            }
        }
    }
    Ok(())
}

/// The lines of another tool's result; what was left out of it is said.
pub(super) fn read(path: &Path) -> Result<Vec<Line>, Failure> {
    let text = path.to_string_lossy();
    let imported = match text.rsplit_once('#') {
        Some((folder, baseline)) if !path.exists() => {
            compare::imports::criterion(Path::new(folder), baseline)
        }
        _ => compare::imports::import(path),
    };
    let imported = imported.map_err(|error| Failure::usage(error.to_string()))?;
    for notice in &imported.notices {
        eprintln!("note: {notice}");
    }
    Ok(imported.lines)
}
