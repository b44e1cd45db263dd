//! A full store answers, loses nothing, and works again; and it is full of live objects.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::common::variants::{POLICIES, ROWS, everything, some, tiny, within};
use super::common::{Random, check_refusal, fill_store, made, open, small, verified};
use nibble::{Compaction, Config, IndexLayout, Put, PutError, Store, Update};

/// Fill with one size, delete a random 90 %, fill with another: the fragmentation test of the
/// paper. Answers live object bytes over object memory.
fn refill(store: &Store, first: usize, second: usize) -> f64 {
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| first);
    store.check().unwrap();
    let mut random = Random(42);
    let mut kept = Vec::new();
    for key in 0..filled {
        if random.below(10) == 0 {
            kept.push(key);
        } else {
            assert_eq!(session.delete(key), Ok(true));
        }
    }
    let last = fill_store(&session, filled, |_| second);
    let mut buffer = vec![0; second.max(first)];
    for key in kept.iter().copied().chain(filled..last) {
        let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
        assert_eq!(verified(key, &buffer[..length]), 0);
    }
    drop(session);
    let report = store.check().unwrap();
    assert_eq!(report.live_objects, kept.len() as u64 + last - filled);
    let census = store.census();
    census.live_object_bytes as f64 / census.object_memory_bytes as f64
}

fn refill_of_256_mib(first: usize, second: usize, least: f64) {
    let store = open(Config::best(256 << 20));
    let reached = refill(&store, first, second);
    println!("{first} -> {second}: {reached:.4}, {:?}", store.statistics());
    assert!(reached >= least, "{first} -> {second}: {reached:.4} of object memory, not {least}");
}

#[test]
fn refilled_60_to_70_bytes() {
    refill_of_256_mib(60, 70, 0.95);
}

#[test]
fn refilled_1000_to_1024_bytes() {
    refill_of_256_mib(1000, 1024, 0.95);
}

#[test]
fn refilled_1_to_10_kib() {
    refill_of_256_mib(1 << 10, 10 << 10, 0.95);
}

#[test]
fn refilled_10_to_100_kib() {
    refill_of_256_mib(10 << 10, 100 << 10, 0.95);
}

#[test]
fn refilled_500_to_600_kib() {
    refill_of_256_mib(500 << 10, 600 << 10, 0.93);
}

#[test]
fn a_little_more_than_nothing_dead_is_gained_at_97_percent() {
    // Segments of 8 MiB are larger than the reserve: they are compacted in steps.
    let mut config = Config::best(128 << 20);
    config.segment_bytes = 8 << 20;
    let store = open(config);
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| 1000);
    let mut random = Random(5);
    let delete = |&key: &u64| random.below(100) < 3 && session.delete(key) == Ok(true);
    let deleted = (0..filled).filter(delete).count() as u64;
    let last = fill_store(&session, filled, |_| 1000);
    drop(session);
    let regained = last - filled;
    assert!(regained * 10 >= deleted * 8, "{regained} of {deleted} deleted could be stored again");
    store.check().unwrap();
}

#[test]
fn full_answers_without_copying_and_the_old_value_stays() {
    for config in some(&small(8 << 20, 512 << 10), 0) {
        println!("{config:?}");
        full_answers_without_copying(config);
    }
}

fn full_answers_without_copying(config: Config) {
    let store = open(config);
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| 1000);
    let before = store.statistics().copied_bytes;
    let mut answers = 0;
    for key in 0..1000 {
        // Updates of a store that is all live; each leaves nothing dead, because it fails.
        answers += u32::from(session.put(key % filled, &made(key, 1, 4000)) == Err(PutError::Full));
    }
    assert_eq!(answers, 1000);
    assert_eq!(store.statistics().copied_bytes, before, "all of it is live");
    let mut buffer = [0; 1000];
    for key in 0..filled {
        assert_eq!(session.get(key, &mut buffer), Ok(Some(1000)));
        assert_eq!(verified(key, &buffer), 0);
    }
    assert_eq!(store.census().live_objects, filled);
}

#[test]
fn later_puts_work_after_deletes_again_and_again() {
    for config in some(&small(4 << 20, 256 << 10), 1) {
        println!("{config:?}");
        deletes_again_and_again(config);
    }
}

fn deletes_again_and_again(config: Config) {
    let store = open(config);
    let session = store.session().unwrap();
    let mut first = 0;
    for round in 0..6 {
        let size = [100, 3000, 700, 20_000, 50, 1000][round];
        let next = fill_store(&session, first, |_| size);
        store.check().unwrap();
        let census = store.census();
        assert_eq!(census.live_objects, next - first);
        let sum = census.live_object_bytes + census.dead_object_bytes + census.free_object_bytes;
        assert_eq!(sum, census.object_memory_bytes);
        assert!((first..next).all(|key| session.delete(key) == Ok(true)));
        first = next;
    }
    assert_eq!(session.put(first, &made(first, 0, 100_000)), Ok(Put::Inserted));
    assert!(store.settle());
    store.check().unwrap();
}

/// At 99 % of what fits, every update must find the few dead bytes there are.
#[test]
fn updates_go_on_at_99_percent() {
    for config in some(&small(4 << 20, 128 << 10), 2) {
        println!("{config:?}");
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 500);
        assert!((0..filled / 100).all(|key| session.delete(key * 100) == Ok(true)));
        let mut random = Random(9);
        let updates = if cfg!(debug_assertions) { 1500 } else { 10_000 };
        let keys = (0..updates).map(|_| random.below(filled)).filter(|key| key % 100 != 0);
        let refused = keys.filter(|&key| session.put(key, &made(key, 1, 500)).is_err()).count();
        assert!(refused * 20 < updates, "{refused} of {updates} updates refused");
        drop(session);
        store.check().unwrap();
    }
}

/// A full store has nothing dead, and free blocks for compaction only. What one dead object leaves
/// is found at once, wherever it is left: in a head, in the output of a worker, or in a block.
/// Only when the output of a worker closes on the way, its end may be longer than those of the
/// segments compacted; the next time there is as much more.
#[test]
fn room_for_one_is_found_when_one_is_deleted() {
    for row in 0..ROWS {
        let config = everything(&small(2 << 20, 64 << 10), row);
        println!("{config:?}");
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 1000);
        let mut random = Random(3);
        let mut refused = 0;
        for _ in 0..20 {
            let key = random.below(filled);
            session.delete(key).unwrap();
            refused += u32::from(session.put(key, &made(key, 0, 1000)).is_err());
        }
        assert!(refused <= 2, "{refused} of 20 found no room");
        drop(session);
        store.check().unwrap();
    }
}

#[test]
fn a_pinned_free_store_gives_pages_back() {
    let mut config = Config::best(64 << 20);
    config.free_low_percent = 20;
    let store = open(config);
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |_| 10_000);
    for key in 0..filled {
        session.delete(key).unwrap();
    }
    assert!(store.settle());
    let free = store.census().free_object_bytes;
    assert!(free >= 12 << 20, "the trigger is 20 %: {free} bytes free");
    store.trim();
    let refilled = fill_store(&session, filled, |_| 10_000) - filled;
    assert!(refilled * 100 >= filled * 95, "{refilled} of {filled} after trim");
    drop(session);
    store.check().unwrap();
}

/// A full store answers, reads go on meanwhile, and what is deleted can be used again.
fn answers(update: Update, compaction: Compaction) {
    let store = open(tiny(4 << 20, update, compaction, IndexLayout::Tagged));
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |key| 50 + key as usize % 700);
    let (answering, reads) = (AtomicBool::new(true), AtomicU64::new(0));
    let quickest = thread::scope(|scope| {
        scope.spawn(|| {
            let session = store.session().unwrap();
            let mut buffer = [0; 1000];
            // Once through at least, and as long as the others are refused.
            for key in (0..filled).cycle() {
                let read = reads.fetch_add(1, Ordering::Relaxed);
                if read >= filled && !answering.load(Ordering::Relaxed) {
                    break;
                }
                let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
                assert_eq!(verified(key, &buffer[..length]), 0);
            }
        });
        let refused = |attempt: u64| {
            let (key, begin) = (filled + attempt % 2 * (1 << 40), Instant::now());
            assert_eq!(session.put(key, &made(key, 1, 20_000)), Err(PutError::Full));
            begin.elapsed()
        };
        let quickest = (0..5).map(refused).min();
        answering.store(false, Ordering::Relaxed);
        quickest.expect("five attempts")
    });
    // The quickest of five: the machine may be busy, but the limit is a second.
    assert!(quickest < Duration::from_secs(1), "{quickest:?} until the answer");
    assert!(reads.into_inner() > filled);
    for key in (0..filled).step_by(5) {
        assert_eq!(session.delete(key), Ok(true));
    }
    let again = fill_store(&session, filled, |key| 50 + key as usize % 700) - filled;
    assert!(again * 10 > filled / 5 * 8, "{again} fit where {} were deleted", filled / 5);
    store.check().unwrap();
}

#[test]
fn full_answers_reads_go_on_and_deletes_make_room() {
    for (update, compaction) in POLICIES {
        within(20, "a full store", || answers(update, compaction));
    }
}

/// Threads that keep 99 % live and change all of it. Whatever is refused, everything answers.
fn churn_at_99_percent(update: Update, compaction: Compaction) {
    const THREADS: u64 = 4;
    const CHURN: Duration = Duration::from_millis(400);
    let store = open(tiny(4 << 20, update, compaction, IndexLayout::Tagged));
    let session = store.session().unwrap();
    let filled = fill_store(&session, 0, |key| 50 + key as usize % 700);
    // One in a hundred goes, all in one place where it can be gained; the rest is changed.
    let gone = filled.div_ceil(100);
    assert!((0..gone).all(|key| session.delete(key) == Ok(true)));
    let begin = Instant::now();
    let (changed, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (store, changed, refused) = (&store, &changed, &refused);
            scope.spawn(move || {
                let session = store.session().unwrap();
                let mut random = Random(number);
                let mut versions = vec![0; filled as usize];
                let mut buffer = [0; 1000];
                for version in 1.. {
                    if begin.elapsed() >= CHURN {
                        break;
                    }
                    let key = random.below(filled) / THREADS * THREADS + number;
                    if !(gone..filled).contains(&key) {
                        continue;
                    }
                    let last = &mut versions[key as usize];
                    let length = session.get(key, &mut buffer).unwrap().expect("nothing is lost");
                    assert_eq!(verified(key, &buffer[..length]), *last, "key {key}");
                    match session.put(key, &made(key, version, length)) {
                        Ok(put) => {
                            assert_eq!(put, Put::Updated);
                            *last = version;
                            changed.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => {
                            check_refusal(error);
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    println!("{update} {compaction}: {changed:?} changed, {refused:?} refused");
    assert!(changed.into_inner() > 0, "some of it can be changed");
    assert_eq!(store.check().unwrap().live_objects, filled - gone);
}

#[test]
fn churn_at_99_percent_ends() {
    for (update, compaction) in POLICIES {
        within(20, "churn", || churn_at_99_percent(update, compaction));
    }
}
