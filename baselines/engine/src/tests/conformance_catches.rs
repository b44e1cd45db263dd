//! The conformance suite can fail: for each test a store that is broken in one way, and whole
//! stores of each kind that pass.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::toy::{BLIND, EVICTS, Fault, GROWS, PARTITIONED, REFUSES, Toy, UNORDERED};
use super::toy_valueless::Valueless;
use engine::conformance;

engine::conformance_tests!(refusing, Toy<{ REFUSES }>, Toy::open_whole);
engine::conformance_tests!(evicting, Toy<{ EVICTS }>, Toy::open_whole);
engine::conformance_tests!(growing, Toy<{ GROWS }>, Toy::open_whole);
engine::conformance_tests!(unordered, Toy<{ UNORDERED }>, Toy::open_whole);
engine::conformance_tests!(blind, Toy<{ BLIND }>, Toy::open_whole);
engine::conformance_tests!(partitioned, Toy<{ PARTITIONED }>, |object_memory_bytes| {
    Toy::open_whole(object_memory_bytes)
});

/// Each fault and the test that exists to catch it.
const CAUGHT: &[(Fault, &str)] = &[
    (Fault::ForgetsDeletes, "agrees_with_a_reference_map"),
    (Fault::LosesEvery1000thPut, "agrees_with_a_reference_map"),
    (Fault::StaleValues, "agrees_with_a_reference_map"),
    (Fault::AlwaysUpdated, "agrees_with_a_reference_map"),
    (Fault::TellsOtherwise, "agrees_with_a_reference_map"),
    (Fault::DeletesAlwaysTold, "agrees_with_a_reference_map"),
    (Fault::BatchesRunBackwards, "agrees_with_a_reference_map"),
    (Fault::BatchesSkipTheLast, "agrees_with_a_reference_map"),
    (Fault::CheckFails, "agrees_with_a_reference_map"),
    (Fault::TornValues, "threads_lose_no_keys"),
    (Fault::UpdatesRace, "threads_lose_no_keys"),
    (Fault::PanicsWhenFull, "full_is_reported_not_crashed"),
    (Fault::NeverFull, "full_is_reported_not_crashed"),
    (Fault::AlwaysFull, "full_is_reported_not_crashed"),
    (Fault::FullForEver, "full_is_reported_not_crashed"),
    (Fault::FullDropsTheOldValue, "full_is_reported_not_crashed"),
    (Fault::CompactionCorrupts, "values_survive_compaction"),
    (Fault::TrimLoses, "values_survive_compaction"),
    (Fault::FullForEver, "values_survive_compaction"),
    (Fault::MiscountsObjects, "census_adds_up"),
    (Fault::MiscountsDeadBytes, "census_adds_up"),
    (Fault::ExceedsItsCapacity, "census_adds_up"),
    (Fault::ShortBuffersTruncate, "short_buffer_is_an_error"),
    (Fault::ShortBuffersPanic, "short_buffer_is_an_error"),
    (Fault::TooLargeIsFull, "too_large_is_a_typed_error"),
    (Fault::WrongLimit, "too_large_is_a_typed_error"),
    (Fault::EmptyIsAbsent, "empty_value_and_extreme_keys"),
    (Fault::LastKeyIsReserved, "empty_value_and_extreme_keys"),
    (Fault::ScansBackwards, "scan_is_ordered_or_absent"),
    (Fault::ScansBeyondTheLimit, "scan_is_ordered_or_absent"),
    (Fault::ScansBehindTheFirst, "scan_is_ordered_or_absent"),
    (Fault::ScansOldValues, "scan_is_ordered_or_absent"),
    (Fault::ScansFromTheStartAtTheEnd, "scan_is_ordered_or_absent"),
    (Fault::ScansNothing, "scan_is_ordered_or_absent"),
    (Fault::ScansDownFromAbove, "scan_is_ordered_or_absent"),
    (Fault::ScansMiscount, "scan_is_ordered_or_absent"),
    (Fault::ModifiesInTwoSteps, "read_modify_writes_are_what_they_claim"),
    (Fault::ModifiesAmongPuts, "read_modify_writes_are_what_they_claim"),
    (Fault::KeepsNothing, "read_modify_writes_are_what_they_claim"),
    (Fault::ModifiesWhatWasThere, "read_modify_writes_are_what_they_claim"),
    (Fault::SnapshotsMove, "moments_are_whole"),
    (Fault::SnapshotsOfHalf, "moments_are_whole"),
    (Fault::StepsInParts, "moments_are_whole"),
    (Fault::StepsUntold, "moments_are_whole"),
    (Fault::Outlives, "lifetimes_end"),
    (Fault::EndsAtOnce, "lifetimes_end"),
    (Fault::KeepsTheLifetime, "lifetimes_end"),
    (Fault::SessionsLeak, "sessions_can_come_and_go"),
    (Fault::RoutesMove, "route_is_stable"),
];

#[test]
fn every_fault_is_caught_by_its_test() {
    for &(fault, name) in CAUGHT {
        // Only a partitioned store has routes to get wrong.
        if name == "route_is_stable" {
            assert!(fails::<PARTITIONED>(name, fault), "{name} passes {fault:?}");
        } else {
            assert!(fails::<REFUSES>(name, fault), "{name} passes {fault:?}");
        }
    }
}

#[test]
fn every_test_has_a_fault_that_it_catches() {
    for test in conformance::tests::<Toy<REFUSES>>() {
        assert!(CAUGHT.iter().any(|(_, name)| *name == test.name), "{} is untested", test.name);
    }
}

#[test]
fn stores_that_evict_or_grow_may_not_answer_wrongly_either() {
    assert!(fails::<EVICTS>("agrees_with_a_reference_map", Fault::StaleValues));
    assert!(fails::<EVICTS>("agrees_with_a_reference_map", Fault::ForgetsDeletes));
    assert!(fails::<EVICTS>("threads_lose_no_keys", Fault::TornValues));
    assert!(fails::<EVICTS>("full_is_reported_not_crashed", Fault::AlwaysFull));
    assert!(fails::<GROWS>("full_is_reported_not_crashed", Fault::AlwaysFull));
    assert!(fails::<GROWS>("full_is_reported_not_crashed", Fault::LosesEvery1000thPut));
}

#[test]
fn stores_that_do_not_tell_may_not_guess() {
    for fault in [
        Fault::TellsOtherwise,
        Fault::DeletesAlwaysTold,
        Fault::ForgetsDeletes,
        Fault::LosesEvery1000thPut,
    ] {
        assert!(fails::<BLIND>("agrees_with_a_reference_map", fault), "{fault:?} passes");
    }
}

#[test]
fn stores_without_order_may_not_scan() {
    assert!(fails::<UNORDERED>("scan_is_ordered_or_absent", Fault::ScansUnasked));
}

#[test]
fn stores_without_lifetimes_may_not_put_what_has_one() {
    assert!(fails::<UNORDERED>("lifetimes_end", Fault::PutsUnasked));
}

#[test]
fn stores_that_evict_may_not_keep_what_has_ended() {
    assert!(fails::<EVICTS>("lifetimes_end", Fault::Outlives));
}

#[test]
fn stores_without_values_are_refused() {
    for test in conformance::tests::<Valueless>() {
        let run = AssertUnwindSafe(|| (test.run)(&|_| Valueless));
        assert!(catch_unwind(run).is_err(), "{} passes", test.name);
    }
}

/// Faults that show only while two threads do something at the same moment: where processors are busy, a
/// run may miss it.
const RACES: [Fault; 4] =
    [Fault::TornValues, Fault::UpdatesRace, Fault::ModifiesInTwoSteps, Fault::ModifiesAmongPuts];
/// Runs in which such a fault must show.
const TRIES: usize = 50;

/// Whether the test panics on a store with the fault.
fn fails<const KIND: u8>(name: &str, fault: Fault) -> bool {
    let test = conformance::tests::<Toy<KIND>>().into_iter().find(|test| test.name == name);
    let run = test.expect("a test of the suite").run;
    let tries = if RACES.contains(&fault) { TRIES } else { 1 };
    (0..tries)
        .any(|_| catch_unwind(AssertUnwindSafe(|| run(&|bytes| Toy::open(bytes, fault)))).is_err())
}
