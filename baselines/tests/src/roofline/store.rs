//! What the pseudo-store does promise: the value just put, within the ring; batches that answer
//! as single operations do; no step out of bounds, whoever overwrites whom.

use baseline_roofline::{Config, Roofline};
use engine::{GetError, KvEngine, KvSession, OpenError, PutError, PutOutcome};
use kit::testing::batches_answer_as_single_operations_do;

const VALUE_BYTES_MAX: usize = 3000;

fn config(slots: u64, object_memory_bytes: u64) -> Config {
    Config {
        slots,
        value_bytes_max: VALUE_BYTES_MAX,
        object_memory_bytes,
        resident: false,
        huge_pages: true,
    }
}

fn store(slots: u64, object_memory_bytes: u64) -> Roofline {
    Roofline::open(config(slots, object_memory_bytes)).unwrap()
}

/// A value of the key and its length, different in every byte position.
fn value(key: u64, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (key as usize * 31 + at * 7 + bytes) as u8).collect()
}

#[test]
fn a_value_of_any_length_is_read_back_and_a_deleted_one_is_gone() {
    let store = store(4096, 64 << 20);
    let mut session = store.session().unwrap();
    let mut buffer = vec![0; VALUE_BYTES_MAX];
    assert_eq!(session.get(7, &mut buffer), Ok(None));
    for bytes in 0..=VALUE_BYTES_MAX {
        let expected = value(7, bytes);
        assert_eq!(session.put(7, &expected), Ok(PutOutcome::Stored));
        assert_eq!(session.get(7, &mut buffer), Ok(Some(bytes)));
        assert_eq!(buffer[..bytes], expected);
    }
    assert!(session.delete(7).was_present());
    assert!(!session.delete(7).was_present());
    assert_eq!(session.get(7, &mut buffer), Ok(None));
}

#[test]
fn lengths_that_do_not_fit_are_errors_with_both_lengths() {
    let store = store(64, 1 << 20);
    let mut session = store.session().unwrap();
    session.put(1, &value(1, 100)).unwrap();
    assert_eq!(
        session.get(1, &mut [0; 99]),
        Err(GetError::BufferTooShort { value_bytes: 100, buffer_bytes: 99 })
    );
    assert_eq!(
        session.put(1, &vec![0; VALUE_BYTES_MAX + 1]),
        Err(PutError::ValueTooLarge {
            value_bytes: VALUE_BYTES_MAX + 1,
            limit_bytes: VALUE_BYTES_MAX
        })
    );
    let mut buffer = [0; 100];
    assert_eq!(session.get(1, &mut buffer), Ok(Some(100)));
    assert_eq!(buffer[..], value(1, 100));
}

/// Keys without a pattern: the finaliser of MurmurHash3.
fn key_of(index: u64) -> u64 {
    let key = (index ^ (index >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let key = (key ^ (key >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ (key >> 33)
}

/// Each key finds a value, and with as many words as keys most find their own.
#[test]
fn many_keys_share_words_as_chance_has_it() {
    const KEYS: u64 = 100_000;
    let store = store(KEYS, 64 << 20);
    let mut session = store.session().unwrap();
    for index in 0..KEYS {
        session.put(key_of(index), &index.to_le_bytes()).unwrap();
    }
    let mut own = 0;
    for index in 0..KEYS {
        let mut buffer = [0; 8];
        assert_eq!(session.get(key_of(index), &mut buffer), Ok(Some(8)));
        assert!(u64::from_le_bytes(buffer) < KEYS, "somebody's value");
        own += u64::from(u64::from_le_bytes(buffer) == index);
    }
    // One in e of the words is nobody's.
    assert!((62_000..64_500).contains(&own), "{own} of {KEYS} find their own value");
    store.check().unwrap();
}

/// Neighbouring keys do not crowd at one end of the index.
#[test]
fn sequential_keys_spread_over_the_index() {
    let store = store(1 << 12, 1 << 20);
    let mut session = store.session().unwrap();
    for key in 0..1 << 11 {
        session.put(key, &key.to_le_bytes()).unwrap();
    }
    let own = (0..1_u64 << 11).filter(|key| {
        let mut buffer = [0; 8];
        session.get(*key, &mut buffer).unwrap();
        u64::from_le_bytes(buffer) == *key
    });
    assert!(own.count() > 1 << 10);
}

/// Writes the ring many times over in lengths that never fill a share.
#[test]
fn the_ring_wraps_around_inside_its_memory() {
    for object_memory_bytes in [VALUE_BYTES_MAX as u64 + 8, 10_000, 1 << 20, (5 << 20) + 24] {
        let store = store(100, object_memory_bytes);
        let mut session = store.session().unwrap();
        let mut buffer = vec![0; VALUE_BYTES_MAX];
        let mut put_bytes = 0;
        let mut key = 0;
        while put_bytes < 4 * object_memory_bytes {
            key += 1;
            let expected = value(key, VALUE_BYTES_MAX - key as usize % 700);
            session.put(key, &expected).unwrap();
            put_bytes += expected.len() as u64;
            let found = session.get(key, &mut buffer).unwrap().unwrap();
            assert_eq!(buffer[..found], expected);
        }
        for key in 0..1000 {
            session.get(key, &mut buffer).unwrap();
        }
        store.check().unwrap();
        let rounds = store.statistics().into_iter().find(|one| one.name == "rounds").unwrap();
        assert!(rounds.value >= 4.0, "{} rounds", rounds.value);
    }
}

#[test]
fn a_batch_answers_as_single_operations_do() {
    let stores = [&store(5000, 64 << 20), &store(5000, 64 << 20)];
    let sizes = (0..=100).chain([1, 31, 32, 33, 64, 65]);
    batches_answer_as_single_operations_do(stores, sizes, VALUE_BYTES_MAX);
}

/// Two sessions overwrite one another all the time; nothing leaves its bounds.
#[test]
fn threads_overwrite_one_another_and_nothing_else() {
    let store = store(50, 20_000);
    std::thread::scope(|scope| {
        for thread in 0..2_u64 {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.session().unwrap();
                let mut buffer = vec![0; VALUE_BYTES_MAX];
                for turn in 0..20_000_u64 {
                    let key = turn.wrapping_mul(2 * thread + 3) % 80;
                    match turn % 5 {
                        0 | 1 => {
                            let bytes = turn as usize % (VALUE_BYTES_MAX + 1);
                            session.put(key, &value(key, bytes)).unwrap();
                        }
                        2 => _ = session.delete(key),
                        _ => _ = session.get(key, &mut buffer).unwrap(),
                    }
                }
            });
        }
    });
    store.check().unwrap();
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let cases = [
        ("slots", Config { slots: 0, ..config(1, 1 << 20) }),
        ("value_bytes_max", Config { value_bytes_max: 1 << 24, ..config(1, 1 << 30) }),
        ("object_memory_bytes", config(1, VALUE_BYTES_MAX as u64 - 1)),
        ("object_memory_bytes", config(1, u64::MAX)),
    ];
    for (name, config) in cases {
        match Roofline::open(config) {
            Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn its_memory_is_what_it_was_given_and_it_claims_to_keep_nothing() {
    const { assert!(!Roofline::TRAITS.keeps_values) };
    let store = Roofline::open(Config { resident: true, ..config(1000, 1 << 20) }).unwrap();
    let census = store.memory();
    assert_eq!((census.index_bytes, census.object_memory_bytes), (8000, 1 << 20));
    assert_eq!(census.capacity_bytes, Some(8000 + (1 << 20)));
    assert!(!census.complete);
}
