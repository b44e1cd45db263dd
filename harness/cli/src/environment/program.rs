//! Facts about this program: what built it, from which sources, with which allocators inside.

use worker::registry;

/// Whether the sources had changes that no commit holds; `None` outside a checkout.
pub(crate) fn is_dirty() -> Option<bool> {
    dirt_of(env!("NIBBLE_BENCH_REVISION"))
}

fn dirt_of(revision: &str) -> Option<bool> {
    (!revision.starts_with("unknown")).then(|| revision.ends_with("-dirty"))
}

/// The processor it was compiled for: `native`, a name, or `generic`.
pub(crate) fn target_cpu() -> &'static str {
    target_cpu_in(env!("NIBBLE_BENCH_FLAGS"))
}

/// The last one named counts, as for the compiler.
fn target_cpu_in(flags: &str) -> &str {
    let named = flags.rsplit_once("target-cpu=").map(|(_, rest)| rest);
    named.and_then(|rest| rest.split_whitespace().next()).unwrap_or("generic")
}

/// The profile it was built with: `release`, `debug`, …
pub(crate) fn profile() -> &'static str {
    env!("NIBBLE_BENCH_PROFILE")
}

/// The facts by name.
pub(super) fn facts() -> Vec<(String, Option<String>)> {
    let dirty = is_dirty().map(|dirty| if dirty { "yes" } else { "no" });
    let flags = match env!("NIBBLE_BENCH_FLAGS") {
        flags if target_cpu_in(flags) == "generic" => format!("generic {flags}"),
        flags => flags.to_owned(),
    };
    let mut facts: Vec<(String, Option<String>)> = [
        ("program-version", Some(env!("CARGO_PKG_VERSION"))),
        ("compiler", Some(env!("NIBBLE_BENCH_RUSTC"))),
        ("compiler-flags", Some(flags.as_str())),
        ("opt-level", Some(env!("NIBBLE_BENCH_OPT_LEVEL"))),
        ("target-features", Some(env!("NIBBLE_BENCH_TARGET_FEATURES"))),
        ("build-profile", Some(profile())),
        ("revision", Some(env!("NIBBLE_BENCH_REVISION"))),
        ("dirty", dirty),
    ]
    .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)))
    .into();
    facts.extend(heap_versions());
    facts
}

/// Versions of the allocators that know theirs unopened.
fn heap_versions() -> Vec<(String, Option<String>)> {
    let heaps = registry::all_heaps().into_iter().filter(|heap| !heap.traits().test_only);
    let versions =
        heaps.map(|heap| (format!("heap-version-{}", heap.traits().name), heap.version_unopened()));
    versions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_tells_whether_it_is_one() {
        assert_eq!(dirt_of("1bd84eb1c2f3"), Some(false));
        assert_eq!(dirt_of("1bd84eb1c2f3-dirty"), Some(true));
        assert_eq!(dirt_of("unknown (not a git checkout)"), None);
    }

    #[test]
    fn flags_name_the_processor_or_it_is_generic() {
        assert_eq!(target_cpu_in("-C target-cpu=native -C debuginfo=1"), "native");
        assert_eq!(target_cpu_in("-Ctarget-cpu=x86-64-v3 -C target-cpu=skylake"), "skylake");
        assert_eq!(target_cpu_in("-C debuginfo=1"), "generic");
        assert_eq!(target_cpu_in(""), "generic");
    }
}
