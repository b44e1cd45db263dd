//! Tests on the actual processor whether announcing an operation is a store-load barrier.
//!
//! Two threads run freely. One unlinks and frees numbers, as a worker does. The other, inside an
//! operation, looks for a number that was freed although it was still linked when the operation
//! first looked. The threads need not be in step, so this works on a busy machine, too.

use std::thread;
use std::time::{Duration, Instant};

use crate::EpochClock;
use crate::epoch::EpochTable;
use crate::sync::{AtomicBool, AtomicU64, CachePadded, Ordering};

/// Longer if it has to notice that the barrier is missing.
const LIMIT: Duration =
    Duration::from_millis(if cfg!(feature = "instrumented") { 8_000 } else { 1_500 });
/// An operation lasts a little longer than a scan of the table, so that it is still inside when
/// the number that the scan should have kept is freed.
const TURNS: u64 = 60;

#[test]
fn an_operation_that_the_scan_missed_sees_the_unlinking() {
    seen_or_sees(EpochClock::ThreadTicks);
}

/// Where the system has no barrier for it, this is another exchange.
#[test]
fn an_operation_announced_by_a_store_is_seen_or_sees_the_unlinking() {
    seen_or_sees(EpochClock::ThreadCounter);
}

/// If the scan does not see an operation, the operation sees what was unlinked before the scan.
fn seen_or_sees(kind: EpochClock) {
    let table = EpochTable::new(kind);
    let slot = table.claim().expect("a slot is free");
    // Numbers up to `unlinked` can no longer be found; those up to `freed` are gone.
    let (unlinked, freed) = (CachePadded(AtomicU64::new(0)), CachePadded(AtomicU64::new(0)));
    let running = AtomicBool::new(true);
    let begin = Instant::now();
    let (operations, violations) = thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while running.load(Ordering::Relaxed) {
                number += 1;
                unlinked.store(number, Ordering::Release);
                if table.minimum() == u64::MAX {
                    // Release: pairs with the reader's Acquire; the memory is reused.
                    freed.store(number, Ordering::Release);
                }
                // Gives the reader time to fetch both lines, or only one of them.
                for _ in 0..number % 64 {
                    std::hint::spin_loop();
                }
            }
        });
        let (mut operations, mut violations) = (0u64, 0u64);
        while violations == 0 && (operations % 256 != 0 || begin.elapsed() < LIMIT) {
            operations += 1;
            // Fetches the line to this processor, so that the search can overtake the announcement.
            unlinked.load(Ordering::Acquire);
            let pin = slot.enter(&table.clock);
            let seen = unlinked.load(Ordering::Acquire);
            for _ in 0..TURNS {
                if freed.load(Ordering::Acquire) > seen {
                    violations += 1;
                    break;
                }
                std::hint::spin_loop();
            }
            drop(pin);
        }
        running.store(false, Ordering::Relaxed);
        (operations, violations)
    });
    slot.release();
    assert_eq!(violations, 0, "operation {operations} could find what was freed");
}
