//! The suite of byte keys can fail: for each test a store whose keys are broken in one way, and a whole store
//! that passes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::toy_bytes::{ByteToy, KeyFault};
use engine::conformance;

engine::bytes_conformance_tests!(bytes, ByteToy, ByteToy::open_whole);
// Words among byte strings.
engine::conformance_tests!(words, ByteToy, ByteToy::open_whole);

/// Each fault and the tests that exist to catch it.
const CAUGHT: &[(KeyFault, &str)] = &[
    (KeyFault::CutsAtNul, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::PrefixIsEqual, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::LengthByteWraps, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::ComparesOneWord, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::PadsWithZeros, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::EmptyIsAbsent, "byte_keys_agree_with_a_reference_map"),
    (KeyFault::CutsAtNul, "keys_of_every_length_differ"),
    (KeyFault::PrefixIsEqual, "keys_of_every_length_differ"),
    (KeyFault::LengthByteWraps, "keys_of_every_length_differ"),
    (KeyFault::PadsWithZeros, "keys_of_every_length_differ"),
    (KeyFault::EmptyIsAbsent, "keys_of_every_length_differ"),
    (KeyFault::CutsWhatIsTooLong, "too_long_keys_are_typed_errors"),
    (KeyFault::RefusesTheLongest, "too_long_keys_are_typed_errors"),
    (KeyFault::RefusesOnlyPuts, "too_long_keys_are_typed_errors"),
    (KeyFault::BatchesTakeAnyLength, "too_long_keys_are_typed_errors"),
    (KeyFault::OrdersByLength, "byte_scans_are_in_order"),
    (KeyFault::OrdersAsSigned, "byte_scans_are_in_order"),
    (KeyFault::ScansBehindTheFirst, "byte_scans_are_in_order"),
    (KeyFault::ScansWithoutTheEmpty, "byte_scans_are_in_order"),
    (KeyFault::SnapshotsTakeAnyLength, "too_long_keys_are_typed_errors"),
    (KeyFault::StepsTakeAnyLength, "too_long_keys_are_typed_errors"),
    (KeyFault::SnapshotsMove, "byte_keys_keep_their_moments"),
    (KeyFault::SnapshotsCutAtNul, "byte_keys_keep_their_moments"),
    (KeyFault::StepsCutAtNul, "byte_keys_keep_their_moments"),
];

#[test]
fn every_fault_of_keys_is_caught_by_its_test() {
    for &(fault, name) in CAUGHT {
        assert!(fails(name, fault), "{name} passes {fault:?}");
    }
}

#[test]
fn every_test_of_keys_has_a_fault_that_it_catches() {
    for test in conformance::bytes_tests::<ByteToy>() {
        assert!(CAUGHT.iter().any(|(_, name)| *name == test.name), "{} is untested", test.name);
    }
}

/// Whether the test panics on a store with the fault.
fn fails(name: &str, fault: KeyFault) -> bool {
    let mut tests = conformance::bytes_tests::<ByteToy>().into_iter();
    let test = tests.find(|test| test.name == name).expect("a test of the suite");
    let run = AssertUnwindSafe(|| (test.run)(&|_| ByteToy::open(fault)));
    catch_unwind(run).is_err()
}
