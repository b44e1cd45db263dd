//! The claims that come with the program: a file for each family of suites that has some.

use std::collections::BTreeSet;

use expect::Expectation;
use record::archive::RunRecord;

use crate::suites::Family;

const FILES: [(Family, &str); 4] = [
    (Family::Memory, include_str!("../../../../suites/claims.toml")),
    (Family::Lsm, include_str!("../../../../suites/claims-lsm.toml")),
    (Family::Pm, include_str!("../../../../suites/claims-pm.toml")),
    (Family::Spaces, include_str!("../../../../suites/claims-spaces.toml")),
];

/// All claims, file by file.
pub(crate) fn built_in() -> Vec<Expectation> {
    of(|_| true)
}

/// The claims of the families of the run's suites. Suites of a user's own are of the first family.
pub(super) fn of_run(run: &RunRecord) -> Vec<Expectation> {
    let families: BTreeSet<Family> =
        run.suites.iter().map(|(name, _)| Family::of_suite(name)).collect();
    of(|family| match families.is_empty() {
        true => family == Family::default(),
        false => families.contains(&family),
    })
}

fn of(wanted: impl Fn(Family) -> bool) -> Vec<Expectation> {
    let files = FILES.iter().filter(|(family, _)| wanted(*family));
    files.flat_map(|(_, text)| expect::read(text).expect("read by a test")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(suites: &[&str]) -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/reference");
        let (mut run, _) = record::archive::load(std::path::Path::new(folder)).unwrap();
        run.suites = suites.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        of_run(&run).into_iter().map(|claim| claim.id).collect()
    }

    #[test]
    fn a_run_is_asked_what_is_said_of_its_families() {
        let (memory, lsm) = (ids(&["rivals"]), ids(&["lsm-threads"]));
        assert!(memory.contains(&"fig14-nibble-falls".to_owned()));
        assert!(lsm.iter().all(|id| id.starts_with("clsm-")) && lsm.len() >= 6, "{lsm:?}");
        assert_eq!(ids(&["lsm-threads", "rivals"]), [memory.clone(), lsm].concat());
        assert_eq!((ids(&["my"]), ids(&[])), (memory.clone(), memory));
        assert_eq!(ids(&["silt-runs"]), Vec::<String>::new());
    }
}
