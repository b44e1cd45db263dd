//! Entries that collide, overflow, and are inserted by several threads at once.

use std::collections::HashSet;
use std::thread;

use super::*;

fn address(number: u64) -> Address {
    Address::from_word(number)
}

/// Hashes of one main bucket with tags of their own.
fn hashes(count: usize) -> Vec<KeyHash> {
    let mut tags = HashSet::new();
    (0..).map(KeyHash::of).filter(|hash| tags.insert(hash.tag())).take(count).collect()
}

#[test]
fn an_entry_is_found_replaced_and_removed() {
    let index = Index::map(10, 1, Pages::Small, false).unwrap();
    let hash = KeyHash::of(7);
    assert!(index.find(hash).is_none());
    assert_eq!(index.insert(hash, address(100)), Inserted::Done);
    assert_eq!(index.insert(hash, address(200)), Inserted::Taken);
    let found = index.find(hash).unwrap();
    assert_eq!(found.entry.address(), address(100));
    assert!(found.replace(address(200)));
    assert!(!found.replace(address(300)), "it is not as it was read");
    assert!(!found.clear());
    let found = index.find(hash).unwrap();
    assert_eq!(found.entry.address(), address(200));
    assert!(found.clear());
    assert!(index.find(hash).is_none());
    assert_eq!(index.insert(hash, address(300)), Inserted::Done);
}

#[test]
fn full_buckets_overflow_until_there_are_no_more() {
    let index = Index::map(1, 2, Pages::Small, false).unwrap();
    let hashes = hashes(3 * BUCKET_ENTRIES + 1);
    for (number, &hash) in hashes[..3 * BUCKET_ENTRIES].iter().enumerate() {
        assert_eq!(index.insert(hash, address(number as u64 + 1)), Inserted::Done);
        assert_eq!(index.overflow_used(), number / BUCKET_ENTRIES);
    }
    let last = hashes[3 * BUCKET_ENTRIES];
    assert_eq!(index.insert(last, address(99)), Inserted::NoBucket);
    for (number, &hash) in hashes[..3 * BUCKET_ENTRIES].iter().enumerate() {
        assert_eq!(index.find(hash).unwrap().entry.address(), address(number as u64 + 1));
    }
    assert!(index.find(hashes[0]).unwrap().clear());
    assert_eq!(index.insert(last, address(99)), Inserted::Done, "an entry is used again");
    assert_eq!(index.find(last).unwrap().entry.address(), address(99));
    assert_eq!(index.overflow_used(), 2);
}

/// All threads insert the same tags into few buckets; every tag is there once.
#[test]
fn of_several_that_insert_a_tag_one_succeeds() {
    const THREADS: u64 = 3;
    const ROUNDS: u64 = 300;
    let hashes = hashes(20);
    for round in 0..ROUNDS {
        let index = Index::map(2, 20, Pages::Small, false).unwrap();
        let insert = |thread: u64| {
            let mut done = Vec::new();
            for (number, &hash) in hashes.iter().enumerate() {
                loop {
                    match index.insert(hash, address(1 + thread)) {
                        Inserted::Done => {
                            done.push(number);
                            break;
                        }
                        Inserted::Taken if index.find(hash).is_some() => break,
                        Inserted::Taken => thread::yield_now(),
                        Inserted::NoBucket => panic!("there are overflow buckets"),
                    }
                }
            }
            done
        };
        let done: Vec<_> = thread::scope(|scope| {
            let insert = &insert;
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || insert(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (number, &hash) in hashes.iter().enumerate() {
            let winners: Vec<_> =
                (0..THREADS).filter(|&it| done[it as usize].contains(&number)).collect();
            assert_eq!(winners.len(), 1, "round {round}, tag {number}");
            let found = index.find(hash).unwrap().entry.address();
            assert_eq!(found, address(1 + winners[0]));
            let main = index.main_of(hash);
            let slots = index.buckets(main).flat_map(|bucket| &bucket[..BUCKET_ENTRIES]);
            let entries = slots.map(|slot| Entry::from_word(slot.load(Ordering::Relaxed)));
            assert_eq!(entries.filter(|entry| entry.tag() == hash.tag()).count(), 1);
        }
    }
}
