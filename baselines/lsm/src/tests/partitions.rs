//! Several stores with a range of the keys each.

use std::collections::BTreeMap;
use std::thread;

use baseline_lsm::{Config, Lsm, LsmPartitioned, ReadModifyWrite, Scheme};
use engine::{KvEngine, KvSession, OpenError, OpenStore, ScanRange, Sharing};
use kit::testing::{mix, setting, statistic};

use super::common::memory_folder;
use super::settings::setup;

const PARTITIONS: u64 = 4;

fn config() -> Config {
    Config {
        read_modify_write: ReadModifyWrite::Striped,
        write_buffer_bytes: 256 << 10,
        table_bytes: 128 << 10,
        level1_bytes: 512 << 10,
        private_parent: memory_folder(),
        ..Config::new(Scheme::GlobalLock)
    }
}

fn open(partitions: usize) -> LsmPartitioned {
    LsmPartitioned::open(partitions, || Lsm::open(config())).unwrap()
}

engine::conformance_tests!(four, LsmPartitioned, |_| LsmPartitioned::open(4, || Lsm::open(
    config()
)));

/// The first key of a partition, and the last.
fn ends(partition: u64) -> [u64; 2] {
    let width = 1 << 62;
    [partition * width, partition * width + (width - 1)]
}

#[test]
fn workers_have_the_keys_of_whole_partitions() {
    let store = open(PARTITIONS as usize);
    assert_eq!(LsmPartitioned::TRAITS.sharing, Sharing::Partitioned);
    for partition in 0..PARTITIONS {
        for key in ends(partition) {
            assert_eq!(store.route(key, 1), Some(0));
            assert_eq!(store.route(key, 2), Some(partition as usize / 2));
            assert_eq!(store.route(key, 4), Some(partition as usize));
            let two_each = store.route(key, 8).expect("keys belong to workers");
            assert_eq!(two_each / 2, partition as usize, "two workers share a partition");
        }
    }
}

#[test]
fn a_scan_goes_through_the_partitions_in_order_and_ends_at_its_limit() {
    let store = open(PARTITIONS as usize);
    let mut session = store.session().unwrap();
    let mut expected = BTreeMap::new();
    for number in 0..500 {
        session.put(mix(number), &number.to_le_bytes()).unwrap();
        expected.insert(mix(number), number);
    }
    for partition in 0..PARTITIONS {
        for (key, number) in ends(partition).into_iter().zip(1000..) {
            session.put(key, &u64::to_le_bytes(number)).unwrap();
            expected.insert(key, number);
        }
    }
    let firsts = (0..PARTITIONS).flat_map(ends).chain([1, mix(7)]);
    for (first, limit) in firsts.flat_map(|first| [0, 1, 3, 200, 1000].map(|limit| (first, limit)))
    {
        let mut found = Vec::new();
        let shown = session.scan(ScanRange::up(first, limit), &mut |key, value| {
            found.push((key, u64::from_le_bytes(value.try_into().expect("eight bytes"))));
        });
        let wanted: Vec<_> =
            expected.range(first..).take(limit).map(|(key, number)| (*key, *number)).collect();
        assert_eq!(
            (shown, found),
            (Some(wanted.len()), wanted),
            "from {first:#x}, {limit} at most"
        );
    }
    assert_eq!(session.scan(ScanRange::down(5, 1), &mut |_, _| {}), None, "upwards only");
    store.check().unwrap();
}

/// Each partition has a memory component of its own, a log and a thread that merges.
#[test]
fn partitions_share_nothing() {
    let store = open(PARTITIONS as usize);
    let alone = Lsm::open(config()).unwrap();
    assert_eq!(store.presence().threads, 4 * alone.presence().threads);
    assert_eq!(setting(&store, "partitions"), "4");
    thread::scope(|scope| {
        for worker in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let mut session = store.worker_session(worker, 4).unwrap();
                let own = (0..8000).map(mix).filter(|&key| store.route(key, 4) == Some(worker));
                own.for_each(|key| _ = session.put(key, &[worker as u8; 300]).unwrap());
            });
        }
    });
    store.settle();
    let rotations = statistic(&store, "rotations");
    assert!(rotations >= 4.0 * 2.0, "2,000 values each: {rotations} rotations");
    assert_eq!(store.memory().live_objects, 8000);
    store.check().unwrap();
}

#[test]
fn their_number_is_a_setting_and_others_are_those_of_each() {
    let asked = |options: &[(&str, &str)]| LsmPartitioned::open_for(&setup(options));
    let store = asked(&[("partitions", "3"), ("write-buffer-bytes", "65536")]).unwrap();
    assert_eq!(setting(&store, "partitions"), "3");
    assert_eq!(setting(&store, "write-buffer-bytes"), "65536");
    assert_eq!(setting(&asked(&[]).unwrap(), "partitions"), "4", "the paper's");
    for wrong in ["0", "65", "x"] {
        let refused = asked(&[("partitions", wrong)]).unwrap_err();
        assert!(matches!(refused, OpenError::Refused { .. }), "{refused}");
        assert!(refused.to_string().contains("partitions"), "{refused}");
    }
    assert!(asked(&[("partition", "2")]).unwrap_err().to_string().contains("partitions"));
}
