//! Threads that write keys of their own and read everybody's, with room for all and with far too
//! little: a value is whole, its key's, and was there at some moment of the read. A cache may have
//! dropped it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use baseline_segcache::{Config, Eviction, Segcache};
use engine::{KvEngine, KvSession};
use kit::testing::{Random, fill, statistic, version_of};

const THREADS: u64 = 4;
const KEYS: u64 = 20_000;
const VALUE_BYTES_MAX: u64 = 3000;
/// One of so many versions is a delete.
const DELETE_EVERY: u64 = 8;

/// Turns of each thread, or as many as the variable `SEGCACHE_STORM_TURNS` says.
fn turns() -> u64 {
    std::env::var("SEGCACHE_STORM_TURNS").map_or(60_000, |turns| turns.parse().expect("a number"))
}

/// The versions of the last operation on a key that has had an effect, and of the last that has
/// begun. Both are its owner's.
#[derive(Debug, Default)]
struct Told {
    done: AtomicU64,
    begun: AtomicU64,
}

/// Returns how many reads found nothing though the key was put last, and how many reads there were.
fn storm(store: &Segcache) -> (u64, u64) {
    let told: Vec<Told> = (0..KEYS).map(|_| Told::default()).collect();
    let (dropped, reads) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for worker in 0..THREADS {
            let (told, dropped, reads) = (&told, &dropped, &reads);
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = [0; VALUE_BYTES_MAX as usize];
                let mut random = Random(worker);
                for _ in 0..turns() {
                    let key = random.below(KEYS / THREADS) * THREADS + worker;
                    let own = &told[key as usize];
                    let version = own.begun.load(Ordering::SeqCst) + 1;
                    own.begun.store(version, Ordering::SeqCst);
                    let effective = if version.is_multiple_of(DELETE_EVERY) {
                        session.delete(key);
                        assert_eq!(session.get(key, &mut buffer), Ok(None), "deleted key {key}");
                        true
                    } else {
                        let value = &mut buffer[..16 + random.below(VALUE_BYTES_MAX - 15) as usize];
                        fill(key, version, value);
                        session.put(key, value).unwrap().is_stored()
                    };
                    if effective {
                        own.done.store(version, Ordering::SeqCst);
                    }

                    let key = random.below(KEYS);
                    let other = &told[key as usize];
                    let done = other.done.load(Ordering::SeqCst);
                    let found = session.get(key, &mut buffer).unwrap();
                    let begun = other.begun.load(Ordering::SeqCst);
                    if let Some(value_bytes) = found {
                        let version = version_of(key, &buffer[..value_bytes]);
                        let is_put = !version.is_multiple_of(DELETE_EVERY);
                        assert!(is_put && (done..=begun).contains(&version), "{key}: {version}");
                    } else if done == begun && !done.is_multiple_of(DELETE_EVERY) {
                        dropped.fetch_add(1, Ordering::Relaxed);
                    }
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    (dropped.into_inner(), reads.into_inner())
}

#[test]
fn with_room_for_all_nothing_is_dropped() {
    for eviction in Eviction::ALL {
        // Every version that is ever written has room.
        let heap_bytes = THREADS * turns() * VALUE_BYTES_MAX / 2 * 5 / 4;
        let store = Segcache::open(Config { eviction, ..Config::new(heap_bytes, KEYS) }).unwrap();
        let (dropped, _) = storm(&store);
        assert_eq!(dropped, 0, "{eviction}");
        assert_eq!(statistic(&store, "refused_no_segment"), 0.0, "{eviction}");
    }
}

#[test]
fn a_full_cache_drops_and_never_returns_another_value() {
    for eviction in Eviction::ALL {
        let config = Config { eviction, segment_bytes: 256 << 10, ..Config::new(16 << 20, KEYS) };
        let store = Segcache::open(config).unwrap();
        let (dropped, reads) = storm(&store);
        // Room for about half of the keys.
        assert!(dropped > reads / 20, "{eviction}: {dropped} of {reads}");
        assert!(statistic(&store, "hit_rate") > 0.1, "{eviction}");
        assert_eq!(statistic(&store, "refused_no_slot"), 0.0, "{eviction}");
        // Threads that wait for processors may hold all segments that others look at.
        let refused = statistic(&store, "refused_no_segment");
        assert!(refused < reads as f64 / 10.0, "{eviction}: {refused} of {reads} puts");
        eprintln!("{eviction}: {dropped} dropped, {refused} refused of {reads}");
    }
}
