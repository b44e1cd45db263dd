//! `man`: the manual pages, made from the help texts.

use std::fs;
use std::io;
use std::path::Path;

use clap_mangen::{Man, generate_to};

use super::Failure;
use crate::cli;

/// Prints the page of the program, or writes those of all commands into a folder.
pub(super) fn run(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        let rendered = Man::new(cli::command()).render(&mut page);
        rendered.map_err(|error| Failure::internal(format!("writing a page: {error}")))?;
        print!("{}", String::from_utf8_lossy(&page));
        return Ok(());
    };
    let failed = |error: io::Error| Failure::machine(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    generate_to(cli::command(), folder).map_err(failed)?;
    println!("{}", folder.display());
    Ok(())
}
