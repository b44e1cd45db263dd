//! Settings: what is read, what is refused, what is told.

use std::collections::BTreeMap;

use baseline_segcache::{Config, Segcache};
use engine::{KvEngine, OpenError, OpenStore, Setup};
use kit::testing::setting;

fn configured(
    options: &[(&str, &str)],
    object_memory_bytes: Option<u64>,
) -> Result<(Config, Vec<String>), OpenError> {
    let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
    let setup = Setup {
        object_memory_bytes,
        live_bytes: 100 << 20,
        records_max: 100_000,
        value_bytes_max: 1 << 20,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: false,
        options: options.iter().map(owned).collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    };
    let mut options = setup.options();
    let config = Segcache::configure(&setup, &mut options)?;
    options.finish().map(|()| (config, options.told().to_vec()))
}

#[test]
fn every_setting_reaches_the_cache() {
    let options = [
        ("segment-bytes", "524288"),
        ("slots-per-record", "2"),
        ("eviction", "random"),
        ("ask-presence", "true"),
    ];
    let (config, told) = configured(&options, Some((64 << 20) + 5)).unwrap();
    assert_eq!(told, ["refuses values above 524267 bytes: an item lies within a segment"]);
    let store = Segcache::open(config).unwrap();
    for (name, value) in options {
        assert_eq!(setting(&store, name), value);
    }
    assert_eq!(setting(&store, "object-memory-bytes"), (64 << 20).to_string());
    assert_eq!(setting(&store, "segments"), "128");
    assert_eq!(setting(&store, "hash-power"), "18");
    let census = store.memory();
    assert_eq!((census.object_memory_bytes, census.index_bytes), (64 << 20, 8 << 18));
    assert!(!census.complete);
}

#[test]
fn ample_memory_is_twice_what_lives() {
    let (config, _) = configured(&[], None).unwrap();
    assert_eq!(config.object_memory_bytes, 2 * ((100 << 20) + 100_000 * 29));
    assert!(!config.ask_presence, "nobody wants to know");
}

#[test]
fn segments_follow_the_memory_and_the_longest_value() {
    let segment_bytes = |memory| configured(&[], Some(memory)).unwrap().0.segment_bytes;
    // Values of 1 MiB need segments of 2 MiB, of which 16 need 32 MiB.
    assert_eq!(segment_bytes(1 << 30), 2 << 20);
    assert_eq!(segment_bytes(32 << 20), 2 << 20);
    assert_eq!(segment_bytes(31 << 20), 1 << 20);
    assert_eq!(segment_bytes(1 << 20), 64 << 10);
}

#[test]
fn what_cannot_be_is_answered_with_what_can() {
    for (name, value, expected) in [
        ("segment-bytes", "1000", "the nearest is 65536"),
        ("segment-bytes", "16777216", "the nearest is 8388608"),
        ("slots-per-record", "3", "powers of two from 1 to 16"),
        ("eviction", "lru", "accepted are merge, s3-fifo, random"),
        (
            "shards",
            "2",
            "unknown setting `shards`: there are segment-bytes, slots-per-record, eviction",
        ),
    ] {
        let message = configured(&[(name, value)], None).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let message = configured(&[], Some(1 << 19)).unwrap_err().to_string();
    assert!(message.contains("accepted are 1048576 to "), "{message}");
    let none = Config { records_max: 0, ..Config::new(64 << 20, 1) };
    assert!(matches!(none.check(), Err(OpenError::BadSetting { .. })));
}
