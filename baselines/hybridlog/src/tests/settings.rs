//! Settings by name, as cells carry them.

use std::collections::BTreeMap;

use baseline_hybridlog::HybridLog;
use engine::{KvEngine, OpenError, OpenStore, Setup};
use kit::testing::setting;

fn setup(options: &[(&str, &str)]) -> Setup {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Setup {
        object_memory_bytes: Some(16 << 20),
        live_bytes: 1 << 20,
        records_max: 1000,
        value_bytes_max: 100,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: options.collect(),
        folder: None,
        heap: None,
    }
}

#[test]
fn settings_are_reported_as_they_were_asked_for() {
    let store = HybridLog::open_for(&setup(&[])).unwrap();
    assert_eq!(setting(&store, "mutable-fraction"), "0.9");
    assert_eq!(setting(&store, "object-memory-bytes"), (16 << 20).to_string());
    let asked = [
        ("mutable-fraction", "1"),
        ("reserve-percent", "10"),
        ("compaction-workers", "1"),
        ("huge-pages", "false"),
        ("resident", "true"),
    ];
    let store = HybridLog::open_for(&setup(&asked)).unwrap();
    for (name, value) in asked {
        assert_eq!(setting(&store, name), value, "{name}");
    }
    assert_eq!(store.presence().page_bytes, 4096);
}

#[test]
fn what_is_out_of_range_is_refused_with_the_range() {
    for (name, value, told) in [
        ("mutable-fraction", "1.5", "numbers from 0 to 1"),
        ("mutable-fraction", "most", "numbers from 0 to 1"),
        ("reserve-percent", "0", "whole numbers from 1 to 50; the nearest is 1"),
        ("compaction-workers", "2", "whole numbers from 0 to 1; the nearest is 1"),
        ("huge-pages", "yes", "true and false"),
        ("pages", "2", "there are mutable-fraction, reserve-percent"),
    ] {
        let error = HybridLog::open_for(&setup(&[(name, value)])).unwrap_err().to_string();
        assert!(error.contains(told), "{name}={value}: {error}");
    }
    let many = Setup { sessions: 257, ..setup(&[]) };
    let error = HybridLog::open_for(&many).unwrap_err();
    assert!(
        matches!(&error, OpenError::Refused { setting, .. } if setting == "threads"),
        "{error}"
    );
}

#[test]
fn a_store_takes_what_its_workload_puts_or_says_that_it_will_not() {
    let limit = |value_bytes_max: usize, memory: u64| {
        let setup = Setup { value_bytes_max, object_memory_bytes: Some(memory), ..setup(&[]) };
        let mut options = setup.options();
        let config = HybridLog::configure(&setup, &mut options).unwrap();
        let store = HybridLog::open_configured(config).unwrap();
        let limit: usize = setting(&store, "value-bytes-max").parse().unwrap();
        (limit, options.told().len())
    };
    assert_eq!(limit(100, 16 << 20), (64 << 10, 0), "at least a small part of the memory");
    assert_eq!(limit(1_000_000, 16 << 20), (1_000_000, 0));
    let (longest, told) = limit(5_000_000, 16 << 20);
    assert!(longest < 1 << 20 && told == 1, "{longest}");
    let none = Setup { object_memory_bytes: None, options: BTreeMap::new(), ..setup(&[]) };
    let store = HybridLog::open_for(&none).unwrap();
    assert_eq!(store.memory().object_memory_bytes, 64 << 20);
}
