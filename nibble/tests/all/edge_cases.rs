//! The ends of every range.

use super::common::{made, open, small};
use nibble::{BufferTooShort, Config, OpenError, Put, PutError, Store, TooManySessions};

#[test]
fn any_number_is_a_key_and_values_may_be_empty() {
    let store = open(small(1 << 20, 64 << 10));
    let session = store.session().unwrap();
    let keys = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, 0x9E37_79B9_7F4A_7C15_u64.wrapping_neg()];
    for key in keys {
        assert_eq!(session.get(key, &mut []), Ok(None));
        assert_eq!(session.put(key, &[]), Ok(Put::Inserted));
        assert_eq!(session.get(key, &mut []), Ok(Some(0)));
        assert_eq!(session.put(key, &key.to_le_bytes()), Ok(Put::Updated));
    }
    for key in keys {
        let mut buffer = [0xAA; 9];
        assert_eq!(session.get(key, &mut buffer), Ok(Some(8)));
        assert_eq!((&buffer[..8], buffer[8]), (&key.to_le_bytes()[..], 0xAA));
        assert_eq!(session.delete(key), Ok(true));
        assert_eq!(session.delete(key), Ok(false));
    }
    assert_eq!(store.check().unwrap().live_objects, 0);
}

#[test]
fn the_largest_value_fits_and_one_byte_more_is_an_error() {
    let store = open(small(4 << 20, 256 << 10));
    let session = store.session().unwrap();
    let limit_bytes = store.value_limit();
    assert_eq!(limit_bytes, (256 << 10) - 12);
    let largest = made(5, 1, limit_bytes);
    for key in 0..8 {
        assert_eq!(session.put(key, &largest), Ok(Put::Inserted));
    }
    let value_bytes = limit_bytes + 1;
    let refused = session.put(5, &vec![0; value_bytes]);
    assert_eq!(refused, Err(PutError::ValueTooLarge { value_bytes, limit_bytes }));
    let mut buffer = vec![0; limit_bytes];
    assert_eq!(session.get(5, &mut buffer), Ok(Some(limit_bytes)));
    assert!(buffer == largest, "the old value stays");
    store.check().unwrap();
}

#[test]
fn a_short_buffer_is_an_error_with_both_lengths() {
    let store = open(small(1 << 20, 64 << 10));
    let session = store.session().unwrap();
    session.put(1, &[7; 100]).unwrap();
    let refused = Err(BufferTooShort { value_bytes: 100, buffer_bytes: 99 });
    assert_eq!(session.get(1, &mut [0; 99]), refused);
    assert_eq!(session.get(1, &mut [0; 100]), Ok(Some(100)));
}

#[test]
fn sessions_run_out_with_a_typed_error_and_come_back() {
    let store = open(small(1 << 20, 64 << 10));
    let mut sessions: Vec<_> = (0..256).map(|_| store.session().unwrap()).collect();
    assert_eq!(store.session().unwrap_err(), TooManySessions { limit: 256 });
    sessions.pop();
    store.session().unwrap();
}

#[test]
fn nonsense_does_not_open() {
    let error = Store::open(Config::best(0)).unwrap_err();
    assert!(matches!(error, OpenError::TooLittleMemory { .. }), "{error}");
    let mut config = Config::best(64 << 20);
    config.heads = 2000;
    assert_eq!(
        Store::open(config).unwrap_err().to_string(),
        "heads = 2000: must be between 0 and 1024"
    );
}

#[test]
fn every_length_around_a_block_border() {
    let store = open(small(4 << 20, 256 << 10));
    let session = store.session().unwrap();
    let mut buffer = vec![0; 20_000];
    // Headers and values begin at every offset from a border, one after the other.
    for (key, bytes) in (4_050..4_120).chain(8_150..8_200).chain(0..40).enumerate() {
        let key = key as u64;
        session.put(key, &made(key, 9, bytes)).unwrap();
        assert_eq!(session.get(key, &mut buffer), Ok(Some(bytes)));
        assert!(buffer[..bytes] == made(key, 9, bytes));
    }
    store.check().unwrap();
}
