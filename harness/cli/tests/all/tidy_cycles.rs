//! Modules at the top of a crate of the harness form no cycle.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy_once::sources;

/// Crates whose modules are known to lean on each other, the modules and why. None may join.
const KNOWN: &[(&str, &[&str], &str)] = &[];

/// Who uses whom, of the modules at the top of a crate.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// By crate, from the paths `crate::MODULE` in what is no test.
fn graphs() -> BTreeMap<String, Graph> {
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for (file, code) in sources() {
        let Some(inside) = file.strip_prefix("harness/") else { continue };
        let Some((name, inside)) = inside.split_once("/src/") else { continue };
        let top = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let graph = graphs.entry(name.to_owned()).or_default();
        if ["lib", "main"].contains(&top) {
            continue;
        }
        graph
            .entry(top.to_owned())
            .or_default()
            .extend(used(&code).into_iter().filter(|one| one != top));
    }
    for graph in graphs.values_mut() {
        let modules: BTreeSet<String> = graph.keys().cloned().collect();
        for uses in graph.values_mut() {
            // What the crate's root says again of a module's is not followed.
            uses.retain(|used| modules.contains(used));
        }
    }
    graphs
}

/// The modules that `crate::` leads to, one by one and in braces.
fn used(code: &str) -> BTreeSet<String> {
    let name = |text: &str| -> String {
        text.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect()
    };
    let mut used = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        let Some(group) = path.strip_prefix('{') else {
            used.insert(name(path));
            continue;
        };
        let (mut depth, mut at_start) = (0, true);
        for (place, it) in group.char_indices() {
            match it {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => at_start = true,
                it if it.is_whitespace() => {}
                _ if at_start => {
                    used.insert(name(&group[place..]));
                    at_start = false;
                }
                _ => {}
            }
        }
    }
    used
}

/// Every module that is reached from `from`.
fn reached(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut next = vec![from.to_owned()];
    while let Some(module) = next.pop() {
        for used in graph.get(&module).into_iter().flatten() {
            if seen.insert(used.clone()) {
                next.push(used.clone());
            }
        }
    }
    seen
}

/// Modules that reach themselves, each with those of its neighbours that lead back.
fn cycles(graph: &Graph) -> Vec<(String, Vec<String>)> {
    let leads_back = |from: &str, to: &str| reached(graph, to).contains(from);
    graph
        .iter()
        .map(|(module, uses)| {
            let back = uses.iter().filter(|used| leads_back(module, used)).cloned();
            (module.clone(), back.collect::<Vec<_>>())
        })
        .filter(|(_, back)| !back.is_empty())
        .collect()
}

#[test]
fn no_modules_form_a_cycle() {
    let graphs = graphs();
    assert!(graphs.len() >= 10, "crates were found: {:?}", graphs.keys());
    let mut found = Vec::new();
    for (name, graph) in &graphs {
        let known = KNOWN.iter().find(|(known, ..)| known == name);
        for (module, back) in cycles(graph) {
            if known.is_none_or(|(_, modules, _)| !modules.contains(&module.as_str())) {
                found.push(format!("{name}: {module} uses {}", back.join(", ")));
            }
        }
    }
    assert!(found.is_empty(), "modules that reach themselves:\n{}", found.join("\n"));
}

/// Who no longer stands in a cycle is taken from the list.
#[test]
fn known_cycles_are_there() {
    let graphs = graphs();
    for (name, modules, _) in KNOWN {
        let found: BTreeSet<String> =
            cycles(&graphs[*name]).into_iter().map(|(module, _)| module).collect();
        for module in *modules {
            assert!(found.contains(*module), "{name}: {module} is in no cycle any more");
        }
    }
}

#[test]
fn paths_are_found_in_all_their_forms() {
    let code = "use crate::one::Thing;\nuse crate::{two::{A, b}, three, four::C};\nfn f() { crate::five::g() }";
    let expected = ["five", "four", "one", "three", "two"].map(str::to_owned);
    assert_eq!(used(code), expected.into());
}
