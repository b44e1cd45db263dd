//! Tombstones and the cleaner, as the counters show them.

use super::common::{check, open, seglets, setting, store};
use baseline_ramcloud::Config;
use engine::{KvEngine, KvSession, PutOutcome};
use kit::testing::{counter, fill, mix, version_of};

#[test]
fn an_overwrite_and_a_delete_write_a_tombstone_each_and_an_insert_none() {
    let store = store(16);
    let mut session = store.session().unwrap();
    for key in 0..100 {
        assert_eq!(session.put(key, b"first"), Ok(PutOutcome::Inserted));
    }
    assert_eq!(counter(&store, "tombstones_written"), 0);
    assert_eq!(counter(&store, "appended_bytes"), 100 * 32);
    for key in 0..40 {
        assert_eq!(session.put(key, b"second"), Ok(PutOutcome::Updated));
    }
    assert_eq!(counter(&store, "tombstones_written"), 40);
    for key in 0..10 {
        assert!(session.delete(key).was_present());
        assert!(!session.delete(key).was_present(), "a second time");
    }
    assert_eq!(counter(&store, "tombstones_written"), 50);
    assert_eq!(counter(&store, "tombstones_live"), 50);
    assert_eq!(counter(&store, "appended_bytes"), 140 * 32 + 50 * 40);
    check(&store);
}

#[test]
fn overwriting_a_memory_many_times_over_cleans_and_drops_tombstones() {
    let store = store(16);
    let mut session = store.session().unwrap();
    let mut value = [0; 100];
    let keys = (store.memory().object_memory_bytes / 128) * 3 / 5;
    for round in 0..12 {
        for number in 0..keys {
            let key = mix(number.wrapping_mul(7) + round) % keys;
            fill(key, round, &mut value);
            let outcome = session.put(key, &value).unwrap();
            assert!(outcome.is_stored(), "Full in round {round} of a memory three fifths full");
        }
        check(&store);
    }
    let of = |name| counter(&store, name);
    assert!(of("appended_bytes") > 8 * store.memory().object_memory_bytes);
    assert!(of("tombstones_cleaned") > of("tombstones_written") / 2);
    assert!(of("tombstones_live") <= of("tombstones_written") - of("tombstones_cleaned"));
    assert_eq!(of("tombstones_omitted"), 0);
    assert!(of("survivor_bytes") > 0 && of("survivor_bytes") < of("cleaned_bytes"));
    assert!(of("segments_cleaned") > of("cleaner_passes"), "several segments come together");
    assert!(of("seglets_freed") > seglets(&store));
    let mut buffer = [0; 100];
    let mut found = 0;
    for key in 0..keys {
        if let Some(100) = session.get(key, &mut buffer).unwrap() {
            version_of(key, &buffer);
            found += 1;
        }
    }
    assert_eq!(found, store.memory().live_objects);
}

#[test]
fn cold_objects_are_moved_less_often_than_hot_ones_are_written() {
    let store = store(16);
    let mut session = store.session().unwrap();
    let value = [7; 200];
    // Three quarters full; nine writes of ten go to a tenth of the keys.
    let keys = store.memory().object_memory_bytes / 224 * 3 / 4;
    for key in 0..keys {
        assert!(session.put(key, &value).unwrap().is_stored());
    }
    for number in 0..keys * 10 {
        let random = mix(number);
        let range = if random % 10 < 9 { keys / 10 } else { keys };
        assert!(session.put(mix(random) % range, &value).unwrap().is_stored());
    }
    check(&store);
    let statistics = store.statistics();
    let found = statistics.iter().find(|statistic| statistic.name == "cleaned_live_fraction");
    let fraction = found.unwrap().value;
    // Cleaning whatever is oldest would find about three quarters of it live.
    assert!(fraction > 0.0 && fraction < 0.65, "{fraction} of what was cleaned was live");
}

#[test]
fn ten_times_filled_and_emptied_every_seglet_comes_back() {
    for (instances, cleaner_threads) in [(1, 1), (2, 2)] {
        let config = Config::new(16 << 20, 1000);
        let store = open(Config { instances, cleaner_threads, ..config });
        let mut session = store.session().unwrap();
        let mut value = vec![0; 3000];
        let all_seglets = seglets(&store);
        assert_eq!(counter(&store, "seglets_free"), all_seglets);
        for cycle in 0..10 {
            let mut keys = 0;
            loop {
                let value_bytes = 16 + (mix(keys + cycle) % 2900) as usize;
                fill(keys, cycle, &mut value[..value_bytes]);
                if session.put(keys, &value[..value_bytes]) == Ok(PutOutcome::Full) {
                    break;
                }
                keys += 1;
            }
            let live_bytes = store.memory().live_object_bytes;
            let filled = live_bytes * 100 / store.memory().object_memory_bytes;
            assert!(filled >= 90, "Full at {filled} % in cycle {cycle}");
            let mut buffer = [0; 3000];
            for key in 0..keys {
                let value_bytes = session.get(key, &mut buffer).unwrap().unwrap();
                assert_eq!(version_of(key, &buffer[..value_bytes]), cycle);
                assert!(session.delete(key).was_present());
            }
            assert_eq!(store.memory().live_objects, 0);
            store.trim();
            check(&store);
            assert_eq!(counter(&store, "seglets_free"), all_seglets, "cycle {cycle}");
            assert_eq!(store.memory().free_object_bytes, store.memory().object_memory_bytes);
        }
        let of = |name| counter(&store, name);
        assert_eq!(of("tombstones_live"), 0);
        assert_eq!(of("tombstones_cleaned"), of("tombstones_written"));
        assert_eq!((of("tombstones_omitted"), of("overflow_buckets")), (0, 0));
    }
}

#[test]
fn a_full_store_is_unchanged_readable_and_takes_puts_again_after_deletes() {
    let store = store(16);
    let mut session = store.session().unwrap();
    let mut value = [0; 1000];
    let mut buffer = [0; 1000];
    let mut keys = 0;
    fill(keys, 1, &mut value);
    while session.put(keys, &value).unwrap().is_stored() {
        keys += 1;
        fill(keys, 1, &mut value);
    }
    assert!(counter(&store, "put_waits") > 0, "it has waited before it said so");
    assert_eq!(session.get(keys, &mut buffer), Ok(None));
    let refused = (0..50).filter(|&key| {
        fill(key, 2, &mut value);
        let outcome = session.put(key, &value).unwrap();
        session.get(key, &mut buffer).unwrap();
        assert_eq!(version_of(key, &buffer), 1 + u64::from(outcome.is_stored()));
        !outcome.is_stored()
    });
    assert!(refused.count() > 0, "a full store refuses overwrites");
    check(&store);
    for key in (0..keys).step_by(4) {
        assert!(session.delete(key).was_present());
    }
    for key in (0..keys / 5).map(|key| key + (1 << 40)) {
        fill(key, 3, &mut value);
        assert_eq!(session.put(key, &value), Ok(PutOutcome::Inserted), "after deletes");
    }
    check(&store);
}

/// An empty value's object is smaller than its tombstone: deletes need memory first.
#[test]
fn deletes_work_in_a_memory_full_of_objects_smaller_than_tombstones() {
    for (mebibytes, value_bytes, omitted_max) in [(8, 0, 30), (8, 24, 30), (64, 24, 0)] {
        let store = store(mebibytes);
        let mut session = store.session().unwrap();
        let value = &[3; 24][..value_bytes];
        let mut keys = 0;
        while session.put(mix(keys), value).unwrap().is_stored() {
            keys += 1;
        }
        for number in 0..keys {
            // An order that leaves no segment emptier than another for long.
            let number = number * 7919 % keys;
            session.delete(mix(number));
            if number % 997 == 0 {
                assert_eq!(session.get(mix(number), &mut []), Ok(None));
            }
        }
        let left = store.memory().live_objects;
        for number in 0..keys {
            session.delete(mix(number));
        }
        assert!(left < keys / 2 && store.memory().live_objects == 0);
        store.trim();
        check(&store);
        assert_eq!(counter(&store, "seglets_free"), seglets(&store));
        let of = |name| counter(&store, name);
        assert_eq!(of("tombstones_written") + of("tombstones_omitted"), keys);
        // A seglet of 1 KiB, which only a very small memory has, loses much at its end, so that
        // there is less to be gained by copying.
        assert!(of("tombstones_omitted") * 1000 <= keys * omitted_max, "{:?}", store.statistics());
    }
}

#[test]
fn values_up_to_the_limit_span_seglets_and_survive_moves() {
    let store = store(16);
    let limit_bytes = setting(&store, "value-bytes-max");
    assert!(limit_bytes > 50 * setting(&store, "seglet-bytes"));
    let mut session = store.session().unwrap();
    let mut value = vec![0; limit_bytes];
    let mut buffer = vec![0; limit_bytes];
    for version in 0..600 {
        // Every other key is written once, the others many times.
        let key = if version < 100 { version } else { version % 50 * 2 };
        let value_bytes = limit_bytes - (mix(version) % 30_000) as usize;
        fill(key, version, &mut value[..value_bytes]);
        assert!(session.put(key, &value[..value_bytes]).unwrap().is_stored());
        let old = mix(version) % 100;
        if let Some(value_bytes) = session.get(old, &mut buffer).unwrap() {
            version_of(old, &buffer[..value_bytes]);
        }
    }
    check(&store);
    assert!(counter(&store, "survivor_bytes") > 10 * limit_bytes as u64);
    for key in 0..100 {
        let value_bytes = session.get(key, &mut buffer).unwrap().unwrap();
        let version = if key % 2 == 0 { 550 + key / 2 } else { key };
        assert_eq!(version_of(key, &buffer[..value_bytes]), version);
    }
}
