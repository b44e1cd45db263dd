//! What each fault of the published text does, and that the shipped store does not.

use super::rig::{Do, Plan, run};
use crate::faults::{Fault, Step};
use crate::rung::Rung;

/// A fault, a script that shows it, and a word of what is then seen.
type Case = (Fault, &'static [Do], &'static str);

const CASES: &[Case] = &[
    // A gleaner meets the record before the pair names it, takes it for an old one, and the head
    // passes it: the acknowledged put is gone.
    (
        Fault::TailBeforeName,
        &[Do::GleanAt(Step::TailDurable), Do::Put(0, 1)],
        "key 1 is None after a crash",
    ),
    // The first gleaner knows of the first put only; the second skips the second put for good.
    (
        Fault::SkipIfTaken,
        &[Do::Put(0, 1), Do::PutAt(Step::NewestRead, 1), Do::Glean(0), Do::Advance],
        "key 1 is Some(1) after a crash",
    ),
    // The newer record is applied and reclaimed; the older one is not, and comes back.
    (
        Fault::OldLeftUnapplied,
        &[Do::Put(0, 1), Do::Put(1, 1), Do::Glean(1), Do::Advance],
        "key 1 is Some(1) after a crash",
    ),
    // A removed key comes back the same way.
    (
        Fault::OldLeftUnapplied,
        &[Do::Put(0, 1), Do::Remove(1, 1), Do::Glean(1), Do::Advance],
        "key 1 is Some(1) after a crash",
    ),
    // The reference to key 1's reclaimed record leads to key 3's, which is marked in its stead.
    (
        Fault::DanglingReference,
        &[
            Do::Put(0, 1),
            Do::Glean(0),
            Do::Advance,
            Do::Put(0, 2),
            Do::Put(0, 3),
            Do::Put(1, 1),
            Do::Glean(1),
        ],
        "key 3 is None after a crash",
    ),
    // The log is full, and gleaning it needs the bucket that its writer has.
    (Fault::WaitsWithBucket, &[Do::Put(0, 1), Do::Remove(0, 1), Do::Put(0, 1)], "stuck"),
    // After a recovery a get misses, and while it has read the back, the key is removed for good.
    (
        Fault::StaleMiss,
        &[
            Do::Put(0, 1),
            Do::Glean(0),
            Do::Advance,
            Do::Crash(true),
            Do::RemoveAt(Step::BackRead, 1),
            Do::Get(0, 1),
        ],
        "get of key 1 found Some(1)",
    ),
];

#[test]
fn each_fault_shows_its_anomaly_and_the_shipped_store_shows_none() {
    for &(fault, script, anomaly) in CASES {
        let plan = Plan::of(Rung::Full);
        let violation = run(Plan { fault: Some(fault), ..plan }, script).map(|_| ()).unwrap_err();
        assert!(violation.contains(anomaly), "{fault:?}: {violation}");
        for rung in [Rung::St, Rung::Lfr, Rung::Opt, Rung::Dyn, Rung::Full] {
            if let Err(violation) = run(Plan::of(rung), script) {
                panic!("{fault:?} on the shipped {rung}: {violation}");
            }
        }
    }
}
