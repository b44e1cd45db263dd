//! Ways to break a crate on purpose, each with the test that must notice.
//!
//! A crate declares its own by [`mutants!`](crate::mutants!) and asks `mutated` where each belongs. Without
//! its feature `instrumented` the answer is a constant, and nothing of it is compiled.

/// The environment variable that names the mutant of a process.
pub const VARIABLE: &str = "NIBBLE_MUTANT";

/// A mutant: its name, what it breaks, and the test that kills it, `program::path::test`.
pub type Entry = (&'static str, &'static str, &'static str);

/// The place in `table` of the mutant that the environment names.
///
/// # Panics
/// If it names none of them; with those that there are.
#[must_use]
pub fn chosen(table: &[Entry]) -> Option<usize> {
    std::env::var(VARIABLE).ok().map(|name| position(table, &name))
}

/// The place in `table` of the mutant of that name.
///
/// # Panics
/// If there is none; with those that there are.
#[must_use]
pub fn position(table: &[Entry], name: &str) -> usize {
    let mut names = table.iter().map(|&(name, ..)| name);
    names.position(|known| known == name).unwrap_or_else(|| {
        let all = table.iter().map(|&(name, ..)| name).collect::<Vec<_>>().join(", ");
        panic!("{VARIABLE} = {name}: must be one of {all}")
    })
}

/// Declares the mutants of a crate, which are visible as given: the enum `Mutant`, and `mutated`, which says
/// whether this process is to be broken so. With the crate's feature `instrumented` there is also `mutants`,
/// the table of them all.
#[macro_export]
macro_rules! mutants {
    (
        $visibility:vis,
        $($(#[$place:meta])* $mutant:ident = $name:literal, $breaks:literal, $killer:literal;)+
    ) => {
        /// What is broken. The comments say where `mutated` belongs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum Mutant {
            $($(#[$place])* $mutant,)+
        }

        /// Whether this process is to be broken so: no.
        #[cfg(not(feature = "instrumented"))]
        #[inline(always)]
        #[must_use]
        $visibility const fn mutated(_mutant: Mutant) -> bool {
            false
        }

        /// Every mutant: its name, what it breaks, and the test that kills it, `program::path::test`.
        #[cfg(feature = "instrumented")]
        #[must_use]
        pub const fn mutants() -> &'static [$crate::mutants::Entry] {
            &[$(($name, $breaks, $killer)),+]
        }

        /// Whether this process is to be broken so: what the environment said at the first call.
        #[cfg(feature = "instrumented")]
        #[inline]
        #[must_use]
        $visibility fn mutated(mutant: Mutant) -> bool {
            static CHOSEN: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
            *CHOSEN.get_or_init(|| $crate::mutants::chosen(mutants())) == Some(mutant as usize)
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [Entry; 2] = [("one", "breaks one thing", "all::one"), ("two", "", "all::two")];

    #[test]
    fn names_are_found() {
        assert_eq!(["one", "two"].map(|name| position(&TABLE, name)), [0, 1]);
    }

    #[test]
    #[should_panic(expected = "NIBBLE_MUTANT = all-is-well: must be one of one, two")]
    fn an_unknown_name_lists_the_known_ones() {
        let _ = position(&TABLE, "all-is-well");
    }
}
