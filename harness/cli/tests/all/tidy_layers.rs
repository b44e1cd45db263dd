//! Who may know whom: no crate depends in the wrong direction, and nothing outside the registry
//! and the adapters decides by an engine's name.

use std::collections::BTreeMap;

use crate::common::{read, root, rust_files};

/// What each crate may use of ours. Baselines may use the contract, the platform layer and the kit
/// of parts that no design differs by; the engine only the platform layer, the contract and the workloads nothing; `platform` is the
/// bottom.
const MAY_USE: &[(&str, &[&str])] = &[
    ("nibble/platform", &[]),
    ("nibble/history", &[]),
    // Its tests check histories.
    ("nibble", &["history", "platform"]),
    ("baselines/engine", &[]),
    ("baselines/crashfs", &[]),
    ("baselines/kit", &["crashfs", "engine", "platform"]),
    (
        "baselines/tests",
        &[
            "baseline-btree",
            "baseline-hashmap",
            "baseline-heapstore",
            "baseline-null",
            "baseline-roofline",
            "engine",
            "kit",
        ],
    ),
    // Its index is a library of its own.
    ("baselines/silt", &["ect", "engine", "kit", "platform"]),
    // Its tests apply and verify the updates of the workload.
    ("baselines/spaces", &["engine", "kit", "platform", "workloads"]),
    ("baselines/", &["engine", "kit", "platform"]),
    ("workloads", &[]),
    ("harness/preload", &[]),
    ("harness/capture", &["crashfs", "platform", "workloads"]),
    ("harness/stats", &["workloads"]),
    ("harness/compare", &["stats", "workloads"]),
    ("harness/programs", &["compare", "platform", "stats", "workloads"]),
    ("harness/builds", &[]),
    ("harness/expect", &["compare", "record", "stats"]),
    ("harness/record", &["stats", "workloads"]),
    ("harness/model", &[]),
    ("harness/report", &["expect", "model", "record", "stats", "workloads"]),
    // Of the baselines the client library alone, by which single servers are asked.
    ("harness/clients", &["baseline-redis", "record", "workloads"]),
    // With every baseline.
    (
        "harness/worker",
        &[
            "engine",
            "heaps",
            "history",
            "nibble",
            "kit",
            "platform",
            "record",
            "spaces",
            "stats",
            "workloads",
        ],
    ),
];

/// The one crate that may know every other.
const PROGRAM: &str = "harness/cli";
/// The one crate that links engines, and where stores register themselves.
const WORKER: &str = "harness/worker";

/// Crates of ours and their folders, by package name: the members, and the stores that register
/// themselves, which are members by their line in the harness's manifest.
fn ours() -> BTreeMap<String, String> {
    let members = manifest(".");
    let members = members["workspace"]["members"].as_array().expect("members");
    let members = members.iter().map(|member| member.as_str().expect("a path").to_owned());
    let worker = manifest(WORKER);
    let dependencies = worker["dependencies"].as_table().expect("dependencies");
    let registered = dependencies.values().filter_map(|dependency| {
        let path = dependency.get("path")?.as_str()?;
        Some(path.strip_prefix("../../").expect("a path within the workspace").to_owned())
    });
    members
        .chain(registered)
        .map(|folder| {
            let name = manifest(&folder)["package"]["name"].as_str().expect("a name").to_owned();
            (name, folder)
        })
        .collect()
}

fn manifest(folder: &str) -> toml::Table {
    read(&format!("{folder}/Cargo.toml")).parse().expect("a manifest parses")
}

fn dependencies(folder: &str) -> Vec<String> {
    let manifest = manifest(folder);
    ["dependencies", "build-dependencies", "dev-dependencies"]
        .iter()
        .filter_map(|section| manifest.get(*section)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect()
}

#[test]
fn no_crate_depends_in_the_wrong_direction() {
    let ours = ours();
    assert!(ours.len() >= 10, "members were read: {ours:?}");
    assert!(ours.contains_key("baseline-hashmap"), "those that register themselves: {ours:?}");
    for folder in ours.values().filter(|folder| *folder != PROGRAM) {
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(crate_folder, _)| folder == crate_folder)
            .or_else(|| MAY_USE.iter().find(|(prefix, _)| folder.starts_with(prefix)))
            .unwrap_or_else(|| panic!("{folder} has no rule: add one to MAY_USE"));
        for dependency in dependencies(folder) {
            assert!(
                !ours.contains_key(&dependency)
                    || allowed.contains(&dependency.as_str())
                    || (folder == WORKER && dependency.starts_with("baseline-")),
                "{folder} uses {dependency}, and may use {allowed:?} of ours"
            );
        }
    }
}

#[test]
fn versions_stand_in_one_place() {
    for folder in ours().values() {
        let manifest = manifest(folder);
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let Some(table) = manifest.get(section).and_then(|section| section.as_table()) else {
                continue;
            };
            for (name, value) in table {
                let inherited = value.get("workspace").and_then(toml::Value::as_bool);
                let registers = folder == WORKER && value.get("path").is_some();
                let names_its_own = inherited != Some(true) && !registers;
                assert!(!names_its_own, "{folder}: {name} names its own version");
                assert!(value.get("version").is_none(), "{folder}: {name} names a version");
            }
        }
    }
}

/// A comparison or a match arm with a registered name: `== "nibble"`, `"nibble" =>`.
#[test]
fn nothing_outside_the_registry_decides_by_name() {
    let names: Vec<&str> = worker::registry::store_traits()
        .iter()
        .map(|traits| traits.name)
        .chain(worker::registry::all_heaps().iter().map(|heap| heap.traits().name))
        .collect();
    let mut looked_at = 0;
    for path in rust_files() {
        let inside = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
        let exempt = [
            "harness/worker/src/registry.rs",
            "harness/worker/src/adapters/",
            // Frozen: it reads what was written when suites were not.
            "harness/record/src/archive/format_3.rs",
            // Predictions are of the systems that the model describes.
            "harness/model/src/systems.rs",
        ];
        // Compiled with the tests alone; they may ask less of one store than of another.
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let for_tests = file.starts_with("tests") || file == "fixture.rs";
        if !inside.starts_with("harness/")
            || !inside.contains("/src/")
            || ["/tests/", "/fixture/", "/made_up/"].iter().any(|part| inside.contains(part))
            || exempt.iter().any(|file| inside.starts_with(file))
            || for_tests
        {
            continue;
        }
        looked_at += 1;
        let text = std::fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in &names {
            for decision in [format!("== \"{name}\""), format!("\"{name}\" =>")] {
                assert!(!code.contains(&decision), "{inside} decides by name: {decision}");
            }
        }
    }
    assert!(looked_at > 20, "source files were found");
}
