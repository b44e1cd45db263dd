//! What tests lean on fails where it must.

use std::panic::catch_unwind;

use baseline_btree::LockedTree;
use kit::testing::{batches_answer_as_single_operations_do, fill, made, version_of};

use engine::{KvEngine, KvSession};

#[test]
fn values_say_whose_they_are_and_torn_ones_are_noticed() {
    for bytes in [16, 17, 24, 1000] {
        assert_eq!(version_of(7, &made(7, 3, bytes)), 3);
    }
    let mut torn = made(7, 3, 1000);
    fill(7, 4, &mut torn[..500]);
    assert!(catch_unwind(|| version_of(7, &torn)).is_err());
    assert!(catch_unwind(|| version_of(8, &made(7, 3, 1000))).is_err());
    let mut damaged = made(7, 3, 1000);
    damaged[999] ^= 1;
    assert!(catch_unwind(|| version_of(7, &damaged)).is_err());
}

#[test]
fn a_batch_that_answers_otherwise_is_noticed() {
    let stores = || [LockedTree::open(), LockedTree::open()];
    let compare = |stores: &[LockedTree; 2]| {
        batches_answer_as_single_operations_do(stores.each_ref(), 0..=50, 1000);
    };
    compare(&stores());
    let unlike = stores();
    // A key of the first batches.
    for turn in 1..=20_u64 {
        let key = turn.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 55;
        unlike[1].session().expect("a session").put(key, b"another").expect("room");
    }
    assert!(catch_unwind(|| compare(&unlike)).is_err());
}
