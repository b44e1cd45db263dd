//! What `compare` and `gate` are given: stores, settings, builds, revisions, runs, files.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::commands::Failure;
use record::System;
use worker::registry;

/// A side of a comparison as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// A store or an allocator that takes the place of the suite's own.
    System(System),
    /// Settings added to the stores of the suite.
    Settings(BTreeMap<String, String>),
    Build(PathBuf),
    /// A revision of this repository.
    Revision(String),
    Run(PathBuf),
    /// Lines, or what another tool wrote; of criterion `FOLDER#BASELINE`, too.
    File(PathBuf),
}

impl Operand {
    /// What `text` names. A prefix says which kind is meant; without one a path that exists comes first,
    /// then stores and allocators, then revisions.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        if let Some(settings) = text.strip_prefix('@') {
            return Ok(Self::Settings(parse_settings(settings)?));
        }
        if let Some((kind, rest)) = text.split_once(':') {
            match kind {
                "store" => return registry::store(rest).map(Self::System).map_err(Failure::usage),
                "heap" => return heap(rest).map(Self::System).map_err(Failure::usage),
                "rev" => return Ok(Self::Revision(rest.to_owned())),
                "build" => return existing(rest).map(Self::Build),
                "run" => return existing(rest).map(Self::Run),
                "file" => return existing(rest).map(Self::File),
                _ => {}
            }
        }
        let path = Path::new(text);
        if path.join("run.json").is_file() {
            return Ok(Self::Run(path.to_owned()));
        }
        if is_program(path) {
            return Ok(Self::Build(path.to_owned()));
        }
        if path.is_file() || (path.is_dir() && text.contains('/')) {
            return Ok(Self::File(path.to_owned()));
        }
        if text.rsplit_once('#').is_some_and(|(folder, _)| Path::new(folder).is_dir()) {
            return Ok(Self::File(path.to_owned()));
        }
        let as_store = match registry::store(text) {
            Ok(store) => return Ok(Self::System(store)),
            Err(reason) => reason,
        };
        if let Ok(heap) = heap(text) {
            return Ok(Self::System(heap));
        }
        // A store's name that is nearly right must not be looked up as a revision.
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/~^".contains(letter);
        let as_revision = match builds::Repository::here() {
            Ok(repository) if text.chars().all(plain) => match repository.commit(text) {
                Ok(_) => return Ok(Self::Revision(text.to_owned())),
                Err(error) => error.to_string(),
            },
            Ok(_) => "it holds letters that no revision has".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Failure::usage(format!(
            "`{text}` is no path that exists; as a store: {as_store}; as a revision: {as_revision}"
        )))
    }

    /// Whether it is measured now, and not at its own time.
    pub(super) fn is_live(&self) -> bool {
        !matches!(self, Self::Run(_) | Self::File(_))
    }
}

/// Parses `a=1@b=2`; empty text is no setting.
fn parse_settings(text: &str) -> Result<BTreeMap<String, String>, Failure> {
    let parts = text.split('@').filter(|part| !part.is_empty());
    registry::settings(parts).map_err(Failure::usage)
}

/// `NAME` or `NAME-VARIANT`.
fn heap(text: &str) -> Result<System, String> {
    let named = |name: &str, variant: &str| {
        let names = ([name.to_owned()], [variant.to_owned()]);
        registry::heaps(&names.0, &names.1).ok()?.pop()
    };
    let split = text.split_once('-').and_then(|(name, variant)| named(name, variant));
    named(text, "default").or(split).ok_or_else(|| {
        let known = registry::heap_traits();
        let known = known.iter().map(|traits| traits.name);
        record::unknown_name("allocator", text, known)
    })
}

fn is_program(path: &Path) -> bool {
    let metadata = path.metadata();
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn existing(path: &str) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(path);
    if path.exists() {
        return Ok(path);
    }
    Err(Failure::usage(format!("{}: there is no such file", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Operand {
        Operand::parse(text).unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
    }

    fn refused(text: &str) -> String {
        Operand::parse(text).unwrap_err().message.unwrap()
    }

    #[test]
    fn stores_allocators_and_settings_are_told_apart() {
        assert!(matches!(parse("hashmap"), Operand::System(System::Store { .. })));
        assert!(matches!(parse("heap:null"), Operand::System(System::Heap { .. })));
        assert!(matches!(parse("jemalloc"), Operand::System(System::Heap { .. })));
        assert_eq!(parse("@"), Operand::Settings(BTreeMap::new()));
        let settings = [("a", "1"), ("b", "2")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(parse("@a=1@b=2"), Operand::Settings(settings.into()));
        assert_eq!(parse("rev:hashmap"), Operand::Revision("hashmap".to_owned()));
    }

    #[test]
    fn what_is_nothing_is_told_as_what_it_was_tried() {
        let said = refused("hashmop");
        assert!(said.contains("did you mean hashmap") && said.contains("as a revision"), "{said}");
        assert!(refused("run:/no/such").contains("no such file"));
        assert!(refused("@a").contains("write `@SETTING=VALUE`"));
    }
}
