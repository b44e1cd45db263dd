//! The figures of a run, as they were declared when it was made: suites are edited afterwards, and
//! the run's report stays what it was.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{Figure, GROUPS, Group, parse};
use crate::suites::KEPT;

/// The figures of the run in `folder`, in the order of the report. The suites that the folder keeps
/// declare theirs; all others are those that come with the program.
///
/// # Errors
/// A declaration that cannot be read, or a name that two suites of the run give to a figure.
pub fn of_run(folder: &Path) -> Result<Vec<Figure>, String> {
    let kept = kept(&folder.join(KEPT))?;
    let own_names = |name: &str| kept.iter().any(|group| has(group, name));
    let mut groups = GROUPS.clone();
    for group in &mut groups {
        // A copy of a suite under another name declares the figures of the original as its own.
        group.figures.retain(|figure| !own_names(&figure.name));
    }
    for group in &kept {
        for figure in &group.figures {
            let other =
                kept.iter().find(|other| other.suite != group.suite && has(other, &figure.name));
            if let Some(other) = other {
                return Err(format!(
                    "{}: figure `{}` is declared in {}.toml and in {}.toml: give it another \
                     name in one of them",
                    folder.join(KEPT).display(),
                    figure.name,
                    group.suite,
                    other.suite
                ));
            }
        }
    }
    for group in kept {
        match groups.iter_mut().find(|known| known.suite == group.suite) {
            Some(known) => *known = group,
            None => groups.push(group),
        }
    }
    Ok(groups.into_iter().flat_map(|group| group.figures).collect())
}

fn has(group: &Group, name: &str) -> bool {
    group.figures.iter().any(|figure| figure.name == name)
}

/// What the suites in `folder` declare; a suite that declares no figure is left out.
fn kept(folder: &Path) -> Result<Vec<Group>, String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let entries = match fs::read_dir(folder) {
        // A run of format 3 keeps none.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| failed(folder, error))?,
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| failed(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    let mut groups = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
        let suite = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let figures =
            parse(&suite, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        if !figures.is_empty() {
            groups.push(Group { suite, figures });
        }
    }
    Ok(groups)
}
