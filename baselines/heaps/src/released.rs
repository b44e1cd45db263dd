//! When the versions in use were released: the one place for it. [`dated`] puts it into the version that every row, the
//! report's table of systems and the figures of allocators show.

/// Beginnings of versions with their dates, from the changes that upstream tells or, where it
/// tells none, from the crate.
const DATES: &[(&str, &str)] = &[
    ("glibc 2.36", "August 2022"),
    ("glibc 2.41", "January 2025"),
    ("gperftools 2.10", "May 2022"),
    ("jemalloc 5.3.1", "April 2026"),
    ("mimalloc 2.3.2", "April 2026"),
    ("mimalloc 3.3.2", "April 2026"),
    ("rpmalloc 1.4.3", "2022, no newer crate"),
    ("scudo of LLVM 19", "September 2024"),
    ("scudo of LLVM 22", "2026"),
    ("tcmalloc as bundled by libtcmalloc-sys 0.1.14", "June 2025"),
];

/// `version` with the date of its release, where that is known.
pub(crate) fn dated(version: String) -> String {
    match date(&version) {
        Some(date) => format!("{version} ({date})"),
        None => version,
    }
}

fn date(version: &str) -> Option<&'static str> {
    let known = |name: &str| {
        let rest = version.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    DATES.iter().find(|(name, _)| known(name)).map(|(_, date)| *date)
}

#[cfg(test)]
mod tests {
    use super::dated;

    #[test]
    fn whole_numbers_are_dated_and_unknown_versions_stay() {
        assert_eq!(dated("glibc 2.36".to_owned()), "glibc 2.36 (August 2022)");
        assert_eq!(dated("mimalloc 3.3.2".to_owned()), "mimalloc 3.3.2 (April 2026)");
        assert_eq!(dated("mimalloc 3.3.20".to_owned()), "mimalloc 3.3.20");
        assert_eq!(dated("scudo of LLVM 1".to_owned()), "scudo of LLVM 1");
        assert_eq!(
            dated("jemalloc 5.3.1-0-g81034ce".to_owned()),
            "jemalloc 5.3.1-0-g81034ce (April 2026)"
        );
    }
}
