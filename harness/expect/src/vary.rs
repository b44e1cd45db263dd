//! Combinations of varied labels: each makes an expectation of its own.

use crate::Selection;

/// Every combination of values, with what it adds to the id; a single empty one if nothing is varied.
/// The last label changes first.
pub(crate) fn combinations(vary: &Selection) -> Vec<(String, Vec<(String, String)>)> {
    let mut all = vec![Vec::new()];
    for (label, values) in &vary.labels {
        let with = |of: &Vec<(String, String)>| {
            let each = values.iter().map(|value| (label.clone(), value.clone()));
            each.map(|one| of.iter().cloned().chain([one]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let suffix = |values: &[(String, String)]| {
        let words: Vec<String> = values.iter().map(|(label, value)| word(label, value)).collect();
        if words.is_empty() { String::new() } else { format!("/{}", words.join("-")) }
    };
    all.into_iter().map(|values| (suffix(&values), values)).collect()
}

/// `get-100`, `64-B`, `batch-8`.
fn word(label: &str, value: &str) -> String {
    match label.strip_suffix("-bytes") {
        _ if matches!(label, "workload" | "pattern" | "trace" | "system") => value.to_owned(),
        Some(_) if value.ends_with('B') => value.to_owned(),
        Some(_) => format!("{value}-B"),
        None => format!("{label}-{value}"),
    }
}
