//! Families of suites: what `reproduce` measures together.

use clap::ValueEnum;
use serde::Deserialize;

/// Which designs a suite asks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Allocators and stores in memory.
    #[default]
    Memory,
    /// Log-structured merge trees.
    Lsm,
    /// SILT.
    Silt,
    /// Persistent memory.
    Pm,
    /// Address spaces.
    Spaces,
}

impl Family {
    /// The family of the suite `name`; suites that do not come with the program are of the first.
    #[must_use]
    pub fn of_suite(name: &str) -> Self {
        super::built_in(name).map_or(Self::default(), |suite| suite.family)
    }

    /// Its name, as suites and options have it.
    #[must_use]
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites;

    #[test]
    fn all_suites_but_these_are_of_memory() {
        let apart: Vec<(&str, Family)> = suites::names()
            .map(|name| (name, Family::of_suite(name)))
            .filter(|(_, family)| *family != Family::Memory)
            .collect();
        let wanted = [
            ("blind-writes", Family::Lsm),
            ("disk-cache", Family::Lsm),
            ("lsm-compaction", Family::Lsm),
            ("lsm-memtable", Family::Lsm),
            ("lsm-partitions", Family::Lsm),
            ("lsm-production", Family::Lsm),
            ("lsm-rmw", Family::Lsm),
            ("lsm-threads", Family::Lsm),
            ("parallel-mapping", Family::Spaces),
            ("pm-clients", Family::Pm),
            ("pm-emulation", Family::Pm),
            ("pm-latency", Family::Pm),
            ("pm-log-size", Family::Pm),
            ("pm-phases", Family::Pm),
            ("pm-throughput", Family::Pm),
            ("silt-runs", Family::Silt),
            ("snapshots", Family::Lsm),
            ("switch-cost", Family::Spaces),
            ("switch-touch", Family::Spaces),
            ("window-size", Family::Spaces),
            ("windows", Family::Spaces),
        ];
        assert_eq!(apart, wanted);
        assert_eq!(Family::of_suite("my"), Family::Memory);
    }

    #[test]
    fn a_family_that_does_not_exist_is_refused_with_those_that_do() {
        let text = "question = \"?\"\nfamily = \"tapes\"\n[[key-value]]\nstores = [\"null\"]\n\
                    get-percent = [50]\nfill-percent = [50]\nthreads = [1]\n";
        let error = suites::Suite::parse("my.toml", text).unwrap_err().to_string();
        assert!(error.starts_with("my.toml: line 2: "), "{error}");
        for family in Family::value_variants() {
            assert!(error.contains(&family.word()), "{error}");
        }
    }
}
