//! Which versions of allocators a figure shows, and how old they are: a sentence.

use std::collections::BTreeSet;

use record::Row;

/// The versions that the rows of allocators tell.
pub(super) fn versions<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<String> {
    let allocators = rows.into_iter().filter(|row| row.cell.system.is_heap());
    let told: BTreeSet<&str> = allocators.map(|row| row.version.as_str()).collect();
    let told: Vec<&str> = told.into_iter().filter(|version| !version.is_empty()).collect();
    (!told.is_empty()).then(|| format!("Versions: {}.", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;

    #[test]
    fn each_version_is_told_once_and_stores_tell_none() {
        let mut rows = fixture::rows();
        let known = [
            ("rpmalloc", "rpmalloc 1.4.3 (2022)"),
            ("glibc", "glibc 2.36"),
            ("glibc-small", "glibc 2.36"),
        ];
        for row in &mut rows {
            let version = known.iter().find(|(name, _)| row.system == *name);
            let other = if row.cell.system.is_heap() { "" } else { "of a store" };
            row.version = version.map_or(other, |(_, version)| version).to_owned();
        }
        let told = versions(&rows).unwrap();
        assert_eq!(told, "Versions: glibc 2.36; rpmalloc 1.4.3 (2022).");
        rows.retain(|row| !row.cell.system.is_heap());
        assert_eq!(versions(&rows), None);
    }
}
