//! What cache mode does and counts: updates in place, what each policy keeps, what a full bucket
//! gives up, whose reads count, batches, settings.

use super::small_cache::{LOG_BYTES, config};
use baseline_mica::cache::{Config, Eviction};
use baseline_mica::{Crcw, Crew, Erew, MicaCache, Mode};
use engine::{FullMeaning, KvEngine, KvSession, OpenError, PutError, PutOutcome};
use kit::testing::{batches_answer_as_single_operations_do, fill, statistic, version_of};

const HEADER_BYTES: usize = 24;

fn put(session: &mut impl KvSession, key: u64, version: u64, value_bytes: usize) -> PutOutcome {
    let mut value = vec![0; value_bytes];
    fill(key, version, &mut value);
    session.put(key, &value).expect("a value that fits")
}

/// The version found.
fn get(session: &mut impl KvSession, key: u64) -> Option<u64> {
    let mut buffer = [0; 8192];
    let value_bytes = session.get(key, &mut buffer).expect("a buffer that is long enough")?;
    Some(version_of(key, &buffer[..value_bytes]))
}

#[test]
fn an_update_is_in_place_up_to_the_size_at_first_insertion() {
    let cache = MicaCache::<Erew>::open(config(1, 100, Eviction::Fifo)).unwrap();
    let mut session = cache.session().unwrap();
    assert_eq!(put(&mut session, 1, 0, 200), PutOutcome::Inserted);
    // Shrinks far, and grows again to the first size: not measured by the size in between.
    for (version, bytes) in [(1, 16), (2, 200), (3, 40), (4, 193)] {
        assert_eq!(put(&mut session, 1, version, bytes), PutOutcome::Updated);
        assert_eq!(get(&mut session, 1), Some(version));
    }
    let item_bytes = (HEADER_BYTES + 200) as f64;
    assert_eq!(statistic(&cache, "in_place_updates"), 4.0);
    assert_eq!(statistic(&cache, "appended_bytes"), item_bytes);
    // Beyond it: another item, whose size then is the limit.
    assert_eq!(put(&mut session, 1, 5, 201), PutOutcome::Updated);
    assert_eq!(put(&mut session, 1, 6, 208), PutOutcome::Updated);
    assert_eq!(get(&mut session, 1), Some(6));
    assert_eq!(statistic(&cache, "in_place_updates"), 5.0);
    assert_eq!(statistic(&cache, "appended_bytes"), 2.0 * item_bytes + 8.0);
    let census = cache.memory();
    assert_eq!((census.live_objects, census.live_value_bytes), (1, 208));
    assert_eq!(census.dead_object_bytes, item_bytes as u64);
    cache.check().unwrap();
}

const HOT_KEYS: u64 = 50;
const COLD_BYTES: usize = 1000;

/// Reads a few hot keys between writes of cold ones, several laps long; returns how many of them
/// were there at every reading, and the cache's `reinserted`.
fn hot_keys_kept<M: Mode>(eviction: Eviction) -> (usize, f64) {
    let cache = MicaCache::<M>::open(config(1, 4000, eviction)).unwrap();
    let mut session = cache.session().unwrap();
    (0..HOT_KEYS).for_each(|key| {
        put(&mut session, key, 0, COLD_BYTES);
    });
    let mut kept = [true; HOT_KEYS as usize];
    let (mut gets, mut hits) = (0, 0);
    for cold in 0..10 * LOG_BYTES / 1024 {
        put(&mut session, 1000 + cold, 0, COLD_BYTES);
        if cold % 200 == 199 {
            for key in 0..HOT_KEYS {
                let found = get(&mut session, key).is_some();
                kept[key as usize] &= found;
                gets += 1;
                hits += u64::from(found);
            }
        }
    }
    assert_eq!(statistic(&cache, "get_hits"), hits as f64);
    assert_eq!(statistic(&cache, "get_misses"), (gets - hits) as f64);
    assert_eq!(statistic(&cache, "hit_rate"), hits as f64 / gets as f64);
    assert!((9.0..=20.0).contains(&statistic(&cache, "log_wraps")));
    assert!(statistic(&cache, "evicted_from_log") > 15_000.0);
    cache.check().unwrap();
    (kept.iter().filter(|kept| **kept).count(), statistic(&cache, "reinserted"))
}

#[test]
fn hot_keys_survive_under_lru_and_its_approximation_and_not_under_fifo() {
    let all = HOT_KEYS as usize;
    let (fifo, none) = hot_keys_kept::<Erew>(Eviction::Fifo);
    assert_eq!((fifo, none), (0, 0.0));
    let (lru, always) = hot_keys_kept::<Erew>(Eviction::Lru);
    assert_eq!(lru, all);
    let (approximate, seldom) = hot_keys_kept::<Erew>(Eviction::ApproximateLru);
    assert_eq!(approximate, all);
    // Twice a lap at most, against at every reading.
    assert!(seldom > 0.0 && seldom * 2.0 < always, "{seldom} and {always}");
    assert_eq!(hot_keys_kept::<Crew>(Eviction::ApproximateLru), (all, seldom));
    assert_eq!(hot_keys_kept::<Crcw>(Eviction::Lru), (all, always));
}

/// The least recently used item goes first, whatever was written first.
#[test]
fn lru_orders_items_by_their_last_use() {
    let cache = MicaCache::<Crcw>::open(config(1, 4000, Eviction::Lru)).unwrap();
    let mut session = cache.session().unwrap();
    put(&mut session, 1, 0, 1000);
    put(&mut session, 2, 0, 1000);
    assert_eq!(get(&mut session, 2), Some(0), "the newest is not appended again");
    assert_eq!(statistic(&cache, "reinserted"), 0.0);
    assert_eq!(get(&mut session, 1), Some(0));
    assert_eq!(statistic(&cache, "reinserted"), 1.0);
    let mut next = 10;
    let items = LOG_BYTES / 1024;
    // Room for all but the oldest two: the first copy of 1, and 2.
    (0..items - 1).for_each(|_| {
        put(&mut session, next, 0, 1000);
        next += 1;
    });
    assert_eq!(get(&mut session, 2), None);
    assert_eq!(get(&mut session, 1), Some(0));
}

/// Readers that do not own a partition leave it as it is.
#[test]
fn only_the_owners_reads_count_where_others_read_too() {
    let cache = MicaCache::<Crew>::open(config(2, 4000, Eviction::Lru)).unwrap();
    let mut sessions = [0, 1].map(|worker| cache.worker_session(worker, 2).unwrap());
    let key = (0..).find(|&key| cache.route(key, 2) == Some(0)).unwrap();
    let newer = (key + 1..).find(|&key| cache.route(key, 2) == Some(0)).unwrap();
    put(&mut sessions[0], key, 7, 100);
    put(&mut sessions[0], newer, 7, 100);
    assert_eq!(get(&mut sessions[1], key), Some(7));
    assert_eq!(statistic(&cache, "reinserted"), 0.0);
    assert_eq!(get(&mut sessions[0], key), Some(7));
    assert_eq!(statistic(&cache, "reinserted"), 1.0);
    assert_eq!(statistic(&cache, "get_hits"), 2.0);
}

#[test]
#[should_panic(expected = "give the operation to the worker")]
fn writing_to_what_another_owns_is_a_panic() {
    let cache = MicaCache::<Crew>::open(config(2, 100, Eviction::Fifo)).unwrap();
    let mut session = cache.worker_session(0, 2).unwrap();
    let foreign = (0..).find(|&key| cache.route(key, 2) == Some(1)).unwrap();
    let _ = session.put(foreign, b"value");
}

#[test]
fn a_full_bucket_gives_up_the_entry_furthest_behind() {
    const ENTRIES: u64 = 15;
    let cache = MicaCache::<Erew>::open(config(1, 1, Eviction::Lru)).unwrap();
    let mut session = cache.session().unwrap();
    (0..ENTRIES).for_each(|key| {
        put(&mut session, key, 0, 100);
    });
    // 0 becomes the newest, and so 1 the oldest; an update in place does not make 1 any younger.
    assert_eq!(get(&mut session, 0), Some(0));
    put(&mut session, 1, 1, 100);
    for (new, lost) in [(100, 1), (101, 2), (102, 3)] {
        assert_eq!(put(&mut session, new, 0, 100), PutOutcome::Inserted);
        assert!(!session.delete(lost).was_present(), "{lost} is the oldest");
        assert_eq!(cache.memory().live_objects, ENTRIES);
    }
    assert_eq!(statistic(&cache, "evicted_from_index"), 3.0);
    assert_eq!(statistic(&cache, "dangling_found"), 0.0);
    for key in (4..ENTRIES).chain([0, 100, 101, 102]) {
        assert_eq!(get(&mut session, key), Some(0), "{key}");
    }
    cache.check().unwrap();
}

/// Items the log has overwritten are misses, and their entries go before those of others.
#[test]
fn entries_that_dangle_are_noticed_and_given_up_first() {
    let cache = MicaCache::<Erew>::open(config(1, 1, Eviction::Fifo)).unwrap();
    let mut session = cache.session().unwrap();
    let value = vec![7; LOG_BYTES as usize / 4];
    // Three and a bit fit: of 15 entries all but three dangle.
    (0..15).for_each(|key| {
        session.put(key, &value).unwrap();
    });
    assert_eq!(cache.memory().live_objects, 3);
    let mut buffer = vec![0; value.len()];
    let found: Vec<_> = (0..15).filter(|&key| session.get(key, &mut buffer) != Ok(None)).collect();
    assert_eq!(found, [12, 13, 14]);
    assert!(buffer == value);
    assert_eq!(statistic(&cache, "dangling_found"), 12.0);
    session.put(99, &value).unwrap();
    assert_eq!(statistic(&cache, "evicted_from_index"), 0.0);
    assert_eq!(statistic(&cache, "dangling_found"), 13.0);
    cache.check().unwrap();
}

/// Round and round the space of offsets, which is four logs long: an entry that were left would
/// lead to another item, or to none.
#[test]
fn stale_entries_are_gone_before_they_seem_valid_again() {
    fn laps<M: Mode>() {
        const ITEM_BYTES: u64 = 1024;
        let cache = MicaCache::<M, 23>::open(config(1, 40_000, Eviction::Fifo)).unwrap();
        let mut session = cache.session().unwrap();
        let offset_space_items = (1 << 23) / ITEM_BYTES;
        for key in 0..4 * offset_space_items {
            put(&mut session, key, 0, ITEM_BYTES as usize - HEADER_BYTES);
            if key % 1000 == 999 {
                cache.check().unwrap();
                let items = (key + 1).min(LOG_BYTES / ITEM_BYTES);
                assert_eq!(cache.memory().live_objects, items, "after {key} puts");
            }
        }
        // Every bucket had its turn at least once in each round, and every entry went.
        assert!(statistic(&cache, "scrubbed_buckets") >= 4.0 * 5000.0);
        let gone = 4 * offset_space_items - LOG_BYTES / ITEM_BYTES;
        let left = statistic(&cache, "scrubbed_entries") + statistic(&cache, "dangling_found");
        assert!(left <= gone as f64 && left * 2.0 > gone as f64, "{left} of {gone}");
    }
    laps::<Erew>();
    laps::<Crew>();
    laps::<Crcw>();
}

#[test]
fn a_batch_answers_as_single_operations_do() {
    fn compare<M: Mode>() {
        let open = || MicaCache::<M>::open(config(4, 300, Eviction::ApproximateLru)).unwrap();
        let stores = [open(), open()];
        let sizes = (0..=70).cycle().take(1000);
        batches_answer_as_single_operations_do(stores.each_ref(), sizes, 2000);
        stores[1].check().unwrap();
        assert!(statistic(&stores[1], "evicted_from_log") > 0.0);
    }
    compare::<Erew>();
    compare::<Crew>();
    compare::<Crcw>();
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let sound = config(4, 100, Eviction::Fifo);
    let cases = [
        ("partitions", Config { partitions: 3, ..sound }),
        ("partitions", Config { partitions: 0, ..sound }),
        ("partitions", Config { partitions: 8192, object_memory_bytes: 1 << 40, ..sound }),
        ("object_memory_bytes", Config { object_memory_bytes: 4 * LOG_BYTES - 1, ..sound }),
        ("object_memory_bytes", Config { object_memory_bytes: u64::MAX, ..sound }),
        ("records_max", Config { records_max: 0, ..sound }),
        ("records_max", Config { records_max: u64::MAX, ..sound }),
    ];
    for (name, config) in cases {
        match MicaCache::<Erew>::open(config) {
            Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    // Offsets must be wide enough for the log.
    assert!(MicaCache::<Erew, 22>::open(config(1, 100, Eviction::Fifo)).is_err());
}

#[test]
fn it_says_what_it_is_and_where_its_bytes_are() {
    const { assert!(matches!(MicaCache::<Crcw>::TRAITS.full, FullMeaning::Evict)) };
    let names = [MicaCache::<Crcw>::TRAITS, MicaCache::<Crew>::TRAITS, MicaCache::<Erew>::TRAITS];
    assert_eq!(
        names.map(|traits| traits.name),
        ["mica-cache", "mica-cache-crew", "mica-cache-erew"]
    );
    let resident = Config { resident: true, ..config(2, 100_000, Eviction::Lru) };
    let cache = MicaCache::<Crcw>::open(resident).unwrap();
    let census = cache.memory();
    assert_eq!(census.object_memory_bytes, 2 * LOG_BYTES);
    assert_eq!(census.free_object_bytes, 2 * LOG_BYTES);
    assert!(census.index_bytes >= 100_000 * 16 && census.complete);
    assert_eq!(statistic(&cache, "hit_rate"), 1.0, "nothing was asked, nothing missed");
    let settings = cache.settings();
    let setting = |name| &settings.iter().find(|one| one.name == name).unwrap().value;
    assert_eq!((setting("eviction").as_str(), setting("access-mode").as_str()), ("lru", "crcw"));
    assert!(setting("huge-pages-of-shared-memory").contains("asked for"));
    let limit_bytes = MicaCache::<Crcw>::TRAITS.value_bytes_max;
    let mut session = cache.session().unwrap();
    let longest = vec![3; limit_bytes + 1];
    let refused = session.put(1, &longest);
    let value_bytes = limit_bytes + 1;
    assert_eq!(refused, Err(PutError::ValueTooLarge { value_bytes, limit_bytes }));
    assert_eq!(session.put(1, &longest[1..]), Ok(PutOutcome::Inserted));
    let mut buffer = vec![0; limit_bytes];
    assert_eq!(session.get(1, &mut buffer), Ok(Some(limit_bytes)));
    assert!(buffer == longest[1..]);
}
