//! Environment variables that may reach a measurement: which are kept from workers, and which are
//! recorded.

use std::ffi::OsString;

/// Prefixes and names of variables by which allocators are configured. The parent removes them
/// from a worker's environment and sets only what the cell declares, so that nothing in the
/// user's shell reaches a measurement unrecorded.
const ALLOCATOR_VARIABLES: [&str; 10] = [
    "MALLOC_",
    "_RJEM_MALLOC",
    "JE_MALLOC",
    "MIMALLOC_",
    "TCMALLOC_",
    "HEAPS_",
    "SCUDO_",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
    "RPMALLOC_",
];

/// Prefixes of others that may influence the program, or the compiler that built it.
const RECORDED_PREFIXES: [&str; 2] = ["RUST_", "LC_"];

/// The same by their whole names.
const RECORDED_NAMES: [&str; 6] =
    ["LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LD_BIND_NOW", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"];

/// Words of names whose values are nobody's business, whatever the lists above say.
const SECRET_WORDS: [&str; 6] = ["TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH"];

/// Names of the variables in this process's environment that configure allocators.
#[must_use]
pub fn allocator_variables() -> Vec<String> {
    std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| configures_allocators(name))
        .collect()
}

fn configures_allocators(name: &str) -> bool {
    ALLOCATOR_VARIABLES.iter().any(|prefix| name.starts_with(prefix))
}

/// Variables that are recorded, with their values: only those that the lists name.
pub(super) fn facts() -> Vec<(String, Option<String>)> {
    recorded(std::env::vars_os())
}

fn recorded(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(String, Option<String>)> {
    let named = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let recorded = named.filter(|(name, _)| is_recorded(name)).map(|(name, value)| {
        (format!("variable-{name}"), Some(value.to_string_lossy().into_owned()))
    });
    recorded.collect()
}

fn is_recorded(name: &str) -> bool {
    let listed = configures_allocators(name)
        || RECORDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || RECORDED_NAMES.contains(&name);
    listed && !SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_variables_are_recorded() {
        let variables = [
            ("MALLOC_ARENA_MAX", "1"),
            ("RUST_BACKTRACE", "full"),
            ("LC_ALL", "C"),
            ("LANG", "C"),
            ("RUST_API_TOKEN", "secret"),
            ("MIMALLOC_SECRET", "secret"),
            ("HOME", "/home/someone"),
            ("LANGUAGE_SERVER", "x"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("PATH", "/bin"),
        ];
        let facts = recorded(variables.iter().map(|(name, value)| (name.into(), value.into())));
        let names: Vec<&str> = facts.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "variable-MALLOC_ARENA_MAX",
            "variable-RUST_BACKTRACE",
            "variable-LC_ALL",
            "variable-LANG",
        ];
        assert_eq!(names, expected);
        assert_eq!(facts[1].1.as_deref(), Some("full"));
    }

    #[test]
    fn variables_of_every_allocator_are_kept_from_workers() {
        for traits in worker::registry::heap_traits() {
            let variants = traits.variants.iter().flat_map(|variant| variant.environment);
            for (name, _) in traits.environment.iter().chain(variants) {
                assert!(configures_allocators(name), "{}: {name}", traits.name);
            }
        }
    }
}
