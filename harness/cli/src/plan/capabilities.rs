//! What a workload needs of a store, and which stores have it.

use engine::{EngineTraits, Snapshots};
use record::System;
use worker::registry;
use workloads::requests::Workload;

/// A capability that some stores lack.
struct Need {
    of: fn(&Workload) -> bool,
    has: fn(&EngineTraits) -> bool,
    /// What a workload does that has the need.
    asks: &'static str,
    /// What a store is that lacks the capability.
    lacks: &'static str,
    /// The stores that have it.
    others: &'static str,
}

const NEEDS: [Need; 3] = [
    Need {
        of: Workload::scans,
        has: |traits| traits.scans.are_possible(),
        asks: "scans",
        lacks: "is not ordered",
        others: "ordered stores",
    },
    Need {
        of: Workload::reads_at_one_moment,
        has: |traits| traits.snapshots != Snapshots::No,
        asks: "takes snapshots",
        lacks: "has none",
        others: "stores with snapshots",
    },
    Need {
        of: Workload::writes_together,
        has: |traits| traits.writes_in_one_step,
        asks: "writes groups in one step",
        lacks: "writes key by key",
        others: "stores that write in one step",
    },
];

/// Checks that a store has what `workload` needs. One that keeps no values needs nothing.
///
/// # Errors
/// The workload, the store, and which stores have what it lacks.
pub(super) fn check(system: &System, workload: &Workload) -> Result<(), String> {
    let Some(traits) = registry::traits_of(system) else { return Ok(()) };
    let lacking = |need: &&Need| (need.of)(workload) && traits.keeps_values && !(need.has)(traits);
    let Some(need) = NEEDS.iter().find(lacking) else { return Ok(()) };
    let all = registry::store_traits();
    let able = all.iter().filter(|traits| (need.has)(traits) && !traits.test_only);
    let able: Vec<&str> = able.map(|traits| traits.name).collect();
    Err(format!(
        "workload `{}` {}, and `{}` {}; {} are: {}",
        workload.name,
        need.asks,
        system.label(),
        need.lacks,
        need.others,
        able.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use workloads::requests::Mix;

    use super::*;

    #[test]
    fn what_a_store_lacks_is_refused_with_the_stores_that_have_it() {
        let groups = Workload::by_name("groups").unwrap();
        let of = |mix: Mix| Workload { mix, ..groups.clone() };
        let looks = of(Mix { snapshot_read: 100.0, ..Mix::default() });
        let steps = of(Mix { write_together: 100.0, ..Mix::default() });
        let scans = of(Mix { snapshot_scan: 100.0, ..Mix::default() });
        let checked = |store: &str, workload: &Workload| {
            check(&registry::store(store).expect("a store"), workload)
        };
        for (workload, expected) in [
            (
                &looks,
                "workload `groups` takes snapshots, and `nibble` has none; stores with snapshots are: ",
            ),
            (
                &groups,
                "workload `groups` takes snapshots, and `nibble` has none; stores with snapshots are: ",
            ),
            (
                &steps,
                "workload `groups` writes groups in one step, and `nibble` writes key by key; stores that \
                 write in one step are: ",
            ),
            (&scans, "workload `groups` scans, and `nibble` is not ordered; ordered stores are: "),
        ] {
            let error = checked("nibble", workload).unwrap_err();
            let able = error.strip_prefix(expected).unwrap_or_else(|| panic!("{error}"));
            for name in ["clsm", "lsm", "rocksdb", "leveldb"] {
                assert!(able.split(", ").any(|one| one == name), "{error}");
                assert_eq!(checked(name, workload), Ok(()));
            }
            assert!(!able.contains("faulty"), "{error}");
            assert_eq!(checked("null", workload), Ok(()), "it keeps nothing");
        }
    }
}
