//! What a workload needs of a store, and which stores have it.

use std::time::Duration;

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

const NEEDS: [Need; 4] = [
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
    Need {
        of: Workload::expires,
        has: |traits| traits.expiry.is_possible(),
        asks: "writes values with a lifetime",
        lacks: "keeps them until they are deleted",
        others: "stores with lifetimes",
    },
];

/// Checks that a store has what `workload` needs. One that keeps no values needs nothing.
///
/// # Errors
/// The workload, the store, and which stores have what it lacks.
pub(super) fn check(system: &System, workload: &Workload) -> Result<(), String> {
    let Some(traits) = registry::traits_of(system) else { return Ok(()) };
    let lacking = |need: &&Need| (need.of)(workload) && traits.keeps_values && !(need.has)(traits);
    let Some(need) = NEEDS.iter().find(lacking) else { return check_lifetime(traits, workload) };
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

/// Checks that the lifetime of values is one that the store can count: it would round others up.
fn check_lifetime(traits: &EngineTraits, workload: &Workload) -> Result<(), String> {
    let (Some(lifetime_ms), Some(units)) = (workload.lifetime_ms, units_of(traits, workload))
    else {
        return Ok(());
    };
    let unit_ms = traits.expiry.unit().map_or(1, |unit| unit.as_millis() as u64);
    if units * unit_ms == lifetime_ms {
        return Ok(());
    }
    Err(format!(
        "lifetime-ms = {lifetime_ms} of workload `{}`: `{}` counts lifetimes in units of {unit_ms} ms; the \
         nearest is {}",
        workload.name,
        traits.name,
        units * unit_ms
    ))
}

/// The lifetime of values in units of the store.
fn units_of(traits: &EngineTraits, workload: &Workload) -> Option<u64> {
    traits.expiry.units(Duration::from_millis(workload.lifetime_ms?))
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

    #[test]
    fn lifetimes_are_refused_where_there_are_none_or_not_such() {
        let expiring = Workload::by_name("expiring").unwrap();
        let checked = |store: &str, lifetime_ms| {
            let workload = Workload { lifetime_ms: Some(lifetime_ms), ..expiring.clone() };
            check(&registry::store(store).expect("a store"), &workload)
        };
        let error = checked("nibble", 1000).unwrap_err();
        let able = error.strip_prefix(
            "workload `expiring` writes values with a lifetime, and `nibble` keeps them until they are \
             deleted; stores with lifetimes are: ",
        );
        let able: Vec<&str> = able.unwrap_or_else(|| panic!("{error}")).split(", ").collect();
        for name in ["redis", "memcached", "segcache"] {
            assert!(able.contains(&name), "{error}");
            assert_eq!(checked(name, 2000), Ok(()));
        }
        assert_eq!((checked("redis", 1500), checked("null", 1500)), (Ok(()), Ok(())));
        assert_eq!(
            checked("memcached", 1500).unwrap_err(),
            "lifetime-ms = 1500 of workload `expiring`: `memcached` counts lifetimes in units of 1000 ms; the \
             nearest is 2000"
        );
    }
}
