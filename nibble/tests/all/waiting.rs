//! A PUT that can be served is served, however busy the machine is and however little patience it
//! has for other sessions.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::common::variants::{POLICIES, tiny, within};
use super::common::{Random, fill_store, made, open};
use nibble::{Config, IndexLayout, Put, PutError, Store, Update};

/// Object header and key.
const HEADER_BYTES: u64 = 12;

/// Patience is for others; what a PUT can do itself it does.
#[test]
fn what_can_be_freed_is_freed_without_patience() {
    for (update, compaction) in POLICIES {
        let mut config = tiny(4 << 20, update, compaction, IndexLayout::Tagged);
        config.full_wait_ms = 0;
        println!("{config:?}");
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 500);
        // Three in ten die everywhere; half of their room is wanted back, much at a time.
        let deleted = (0..filled)
            .filter(|key| key % 10 < 3 && session.delete(*key) == Ok(true))
            .count() as u64;
        let wanted = deleted * (500 + HEADER_BYTES) / 2 / (20_000 + HEADER_BYTES);
        for key in filled..filled + wanted {
            let put = session.put(key, &made(key, 0, 20_000));
            assert_eq!(put, Ok(Put::Inserted), "{} of {wanted}", key - filled);
        }
        drop(session);
        store.check().unwrap();
    }
}

/// Sessions have numbers of their own, by which refusals name them.
#[test]
fn sessions_have_different_numbers() {
    let store = open(Config::best(4 << 20));
    let sessions: Vec<_> = (0..5).map(|_| store.session().unwrap()).collect();
    let numbers: Vec<_> = sessions.iter().map(|session| session.number()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    let stalled = PutError::Stalled { session: 3, held: Duration::from_millis(1500) };
    assert!(stalled.to_string().contains("session 3 has been inside one operation for 1.5s"));
}

/// A million PUTs at 80 % fill beside four busy threads for each core.
#[test]
fn none_is_refused_at_80_percent_on_a_busy_machine() {
    const PUTS: u64 = 1_000_000;
    const WRITERS: u64 = 4;
    let busy = 4 * platform::cpu::allowed_cores().len();
    let store = open(Config { update: Update::Append, ..Config::best(16 << 20) });
    let keys = fill_to_80_percent(&store);
    let running = AtomicBool::new(true);
    let write = |number: u64| {
        let session = store.session().unwrap();
        let (mut random, value) = (Random(number), vec![number as u8; bytes_of(u64::MAX)]);
        (0..PUTS / WRITERS).find_map(|_| {
            let key = random.below(keys);
            session.put(key, &value[..bytes_of(key)]).err()
        })
    };
    let refusals: Vec<_> = within(300, "a million PUTs", || {
        thread::scope(|scope| {
            for _ in 0..busy {
                scope.spawn(|| {
                    while running.load(Ordering::Relaxed) {
                        hint::spin_loop();
                    }
                });
            }
            let write = &write;
            let writers: Vec<_> =
                (0..WRITERS).map(|number| scope.spawn(move || write(number))).collect();
            let refusals: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
            running.store(false, Ordering::Relaxed);
            refusals.into_iter().filter_map(|refusal| refusal.expect("no writer fails")).collect()
        })
    });
    println!("{:?}", store.statistics());
    assert!(refusals.is_empty(), "{refusals:?}");
    assert_eq!(store.statistics().put_overwrites, 0, "there was room for every update");
    store.check().unwrap();
}

fn bytes_of(key: u64) -> usize {
    100 + key as usize % 16 * 50
}

/// Returns how many keys are live.
fn fill_to_80_percent(store: &Store) -> u64 {
    let session = store.session().unwrap();
    let mut left = store.config().object_memory_bytes * 80 / 100;
    for key in 0.. {
        let bytes = bytes_of(key) as u64 + HEADER_BYTES;
        if left < bytes {
            return key;
        }
        left -= bytes;
        session.put(key, &vec![0; bytes_of(key)]).unwrap();
    }
    unreachable!("memory is finite")
}
