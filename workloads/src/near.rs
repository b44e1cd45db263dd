//! Suggests the name that the user of an unknown name may have meant.

/// The known name most similar to `name`, if one is similar enough.
pub(crate) fn near<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    const LIKE: f64 = 0.6;
    let name = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&name, known), known))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .and_then(|(likeness, known)| (likeness >= LIKE).then_some(known))
}
