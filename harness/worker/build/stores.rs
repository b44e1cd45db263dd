//! Stores that register themselves: which ones there are, and the source that lists them.
//!
//! Two manifests say it. The worker's names the crate by its folder, and the crate names its types,
//! which implement `engine::OpenStore` and keep values:
//!
//! ```toml
//! baseline-toy = { path = "../../baselines/toy" }     # harness/worker/Cargo.toml, [dependencies]
//!
//! [package.metadata.nibble-bench]                  # baselines/toy/Cargo.toml
//! stores = ["Toy"]
//! bytes-stores = ["ToyBytes"]
//! ```
//!
//! Types under `bytes-stores` implement `engine::KvBytesEngine` besides: they open when a cell's keys are byte
//! strings. One that takes words and byte strings is in both lists.
//!
//! The registry runs the conformance suite for all of them. A crate whose own tests run it says
//! `conformance = "own"`; the registry then looks only whether its stores are opened right.

use std::fmt::{Display, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A store that registers itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    /// The module of its conformance tests: the crate's name without `baseline-`, and the type's
    /// where the crate has several.
    pub(crate) module: String,
    /// Its type, by its path from the harness.
    pub(crate) path: String,
    /// Whether it opens when keys are byte strings, or when they are words.
    pub(crate) of_bytes: bool,
    /// Whether the tests of its crate run the conformance suite.
    pub(crate) is_tested: bool,
}

/// The lists of a manifest, and whether their types open when keys are byte strings.
const LISTS: [(&str, bool); 2] = [("stores", false), ("bytes-stores", true)];
/// The key that says where the conformance suite runs, and its one value.
const CONFORMANCE: (&str, &str) = ("conformance", "own");

/// The stores that register themselves, in the order of the names of their crates, and the manifests that say
/// so, by the manifest in the folder `harness`.
///
/// # Errors
/// The file, what is wrong with it, and what to write.
pub(crate) fn registered(harness: &Path) -> Result<(Vec<Store>, Vec<PathBuf>), String> {
    let manifest = manifest(&harness.join("Cargo.toml"))?;
    let dependencies = manifest.get("dependencies").and_then(Value::as_table);
    let by_path = dependencies
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name, value.get("path")?.as_str()?)));
    let (mut stores, mut manifests) = (Vec::new(), Vec::new());
    for (dependency, path) in by_path {
        let file = harness.join(path).join("Cargo.toml");
        stores.extend(of_crate(dependency, &file)?);
        manifests.push(file);
    }
    Ok((stores, manifests))
}

/// The stores of the crate that the harness calls `dependency`.
fn of_crate(dependency: &str, file: &Path) -> Result<Vec<Store>, String> {
    let manifest = manifest(file)?;
    let wrong = |what: &str| {
        format!(
            "{}: {what}: write\n\n[package.metadata.nibble-bench]\nstores = [\"Toy\"]\n\nwith the \
             types of `{dependency}` that implement engine::OpenStore, or let harness/worker/Cargo.toml \
             depend on it by `workspace = true` and add a line to harness/worker/src/registry.rs",
            file.display()
        )
    };
    let said = manifest
        .get("package")
        .and_then(|package| package.get("metadata")?.get("nibble-bench"))
        .ok_or_else(|| wrong("it does not say which stores it registers"))?;
    let said = said.as_table().ok_or_else(|| wrong("`nibble-bench` is no table"))?;
    let is_known = |key: &str| key == CONFORMANCE.0 || LISTS.iter().any(|(list, _)| key == *list);
    if let Some(unknown) = said.keys().find(|key| !is_known(key)) {
        return Err(wrong(&format!("`nibble-bench` has an unknown key `{unknown}`")));
    }
    let is_tested = match said.get(CONFORMANCE.0) {
        None => false,
        Some(value) if value.as_str() == Some(CONFORMANCE.1) => true,
        Some(value) => {
            return Err(wrong(&format!("`conformance` is {value}, and can only be \"own\"")));
        }
    };
    let library = dependency.replace('-', "_");
    let short = library.strip_prefix("baseline_").unwrap_or(&library);
    let mut stores = Vec::new();
    for (list, of_bytes) in LISTS {
        if of_bytes && !said.contains_key(list) {
            continue;
        }
        let types: Vec<&str> = said
            .get(list)
            .and_then(Value::as_array)
            .and_then(|types| types.iter().map(Value::as_str).collect())
            .filter(|types: &Vec<&str>| !types.is_empty())
            .ok_or_else(|| wrong(&format!("`{list}` is no list of names of types")))?;
        if let Some(name) = types.iter().find(|name| !is_identifier(name)) {
            return Err(wrong(&format!(
                "`{name}` is no name of a type (one with parameters needs an alias in its crate)"
            )));
        }
        stores.extend(types.iter().map(|name| Store {
            module: match types.len() {
                1 => short.to_owned(),
                _ => format!("{short}_{}", name.to_lowercase()),
            },
            path: format!("{library}::{name}"),
            of_bytes,
            is_tested,
        }));
    }
    Ok(stores)
}

/// The macros that add `stores` to lists of others and expand a macro with all: of those that open when keys
/// are words, and of those that do when they are byte strings.
pub(crate) fn source(stores: &[Store]) -> String {
    let mut source = String::new();
    for (name, of_bytes) in
        [("with_stores_that_register", false), ("with_bytes_stores_that_register", true)]
    {
        let _ = write!(
            source,
            "macro_rules! {name} {{\n    ($macro:ident $($line:tt)*) => {{\n        $macro! {{\n            \
             $($line)*\n",
        );
        for store in stores.iter().filter(|one| one.of_bytes == of_bytes) {
            let Store { module, path, is_tested, .. } = store;
            let kind = if *is_tested { "tested" } else { "keeps" };
            let _ = writeln!(source, "            ({kind} {module} {path}, opening_of_its_own),");
        }
        source.push_str("        }\n    };\n}\n");
    }
    source
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn manifest(file: &Path) -> Result<Table, String> {
    let named = |error: &dyn Display| format!("{}: {error}", file.display());
    fs::read_to_string(file).map_err(|error| named(&error))?.parse().map_err(|error| named(&error))
}
