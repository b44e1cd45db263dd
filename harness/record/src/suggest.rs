//! Error messages for unknown names.

/// The error for an unknown `name` of `kind`: lists near matches, or else all names.
#[must_use]
pub fn unknown_name<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let mut near: Vec<(f64, &str)> = known
        .iter()
        .map(|&candidate| (likeness(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.6)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Names that are much less similar than the best match are no help.
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    near.retain(|(likeness, _)| best - likeness < 0.1);
    if near.is_empty() {
        return format!("unknown {kind} `{name}`: there are {}", known.join(", "));
    }
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, candidate)| candidate).collect();
    format!(
        "unknown {kind} `{name}`: did you mean {}? (there are {})",
        near.join(" or "),
        known.join(", ")
    )
}

fn likeness(name: &str, candidate: &str) -> f64 {
    let (name, candidate) = (name.to_lowercase(), candidate.to_lowercase());
    if name.len() >= 2 && (candidate.contains(&name) || name.contains(&candidate)) {
        return 1.0;
    }
    strsim::normalized_damerau_levenshtein(&name, &candidate)
        .max(strsim::jaro_winkler(&name, &candidate) - 0.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_matches_come_first() {
        let known = ["glibc", "jemalloc", "mimalloc"];
        assert_eq!(
            unknown_name("heap", "jemaloc", known),
            "unknown heap `jemaloc`: did you mean jemalloc? (there are glibc, jemalloc, mimalloc)"
        );
        assert_eq!(
            unknown_name("heap", "zzz", known),
            "unknown heap `zzz`: there are glibc, jemalloc, mimalloc"
        );
    }
}
