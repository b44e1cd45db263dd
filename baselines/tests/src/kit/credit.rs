//! What is paid, held and left is the bound, to the byte.

use kit::credit::{Credit, PORTION_BYTES_MAX, Pool};

#[test]
fn what_is_paid_never_exceeds_the_bound_and_reaches_it() {
    let pool = Pool::new(Some(1_000_000), 16);
    let credits: [Credit; 4] = Default::default();
    let mut paid = 0;
    for round in 0.. {
        if !credits[round % 4].pay(&pool, 100) {
            break;
        }
        paid += 100;
    }
    assert!(paid <= 1_000_000);
    credits.iter().for_each(|credit| credit.surrender(&pool));
    assert_eq!(pool.bytes(), 1_000_000 - paid);
    while credits[0].pay(&pool, 100) {
        paid += 100;
    }
    assert_eq!(paid, 1_000_000);
    credits[0].refund(&pool, paid);
    assert_eq!(pool.bytes() + credits[0].bytes(), 1_000_000);
}

#[test]
fn no_bound_is_no_bound() {
    let pool = Pool::new(None, 4);
    assert!(Credit::default().pay(&pool, 1 << 61));
}

#[test]
fn what_is_refused_costs_nothing() {
    let pool = Pool::new(Some(1000), 4);
    let credit = Credit::default();
    assert!(credit.pay(&pool, 400));
    let before = (pool.bytes(), credit.bytes());
    assert!(!credit.pay(&pool, 601));
    assert_eq!((pool.bytes(), credit.bytes()), before);
    assert_eq!(before.0 + before.1, 600);
}

#[test]
fn portions_shrink_as_the_pool_drains_and_a_large_refund_goes_back() {
    let pool = Pool::new(Some(64 * PORTION_BYTES_MAX), 4);
    let credit = Credit::default();
    assert!(credit.pay(&pool, 1));
    assert_eq!(credit.bytes(), PORTION_BYTES_MAX);
    credit.surrender(&pool);
    let rest = pool.bytes();
    assert_eq!(pool.take(rest - 400), Some(rest - 400 + 100), "a quarter of what is left");
    assert_eq!(pool.take(301), None);
    credit.refund(&pool, 2 * PORTION_BYTES_MAX);
    assert_eq!(credit.bytes(), 2 * PORTION_BYTES_MAX, "that is handy");
    credit.refund(&pool, 1);
    assert_eq!(credit.bytes(), PORTION_BYTES_MAX);
    assert_eq!(pool.bytes(), 300 + PORTION_BYTES_MAX + 1);
}
