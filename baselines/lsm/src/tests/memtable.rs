//! The skip list: its order, and the places where versions must not go.

use std::collections::BTreeMap;
use std::thread;

use crate::memtable::{Kind, Linked, Memtable, Step};
use crate::printed::Printed;
use kit::testing::Random;

fn list(bytes: usize, printed: Printed) -> Memtable {
    Memtable::new(bytes, 0, printed).unwrap()
}

fn put(list: &Memtable, key: &[u8], timestamp: u64, kind: Kind) -> Linked {
    let kind = Kind { has_value: true, ..kind };
    let value = timestamp.to_le_bytes();
    list.reserve(key, Some(&value), kind).expect("room").link(timestamp)
}

#[test]
fn keys_of_any_length_come_in_the_order_of_bytes_and_versions_downwards() {
    let list = list(1 << 20, Printed::default());
    let mut random = Random(1);
    let mut expected = BTreeMap::new();
    for timestamp in 1..2000 {
        let length = random.below(20) as usize;
        let key: Vec<u8> = (0..length).map(|_| random.below(3) as u8 * 127).collect();
        assert_eq!(put(&list, &key, timestamp, Kind::default()), Linked::Done);
        expected.insert((key, std::cmp::Reverse(timestamp)), timestamp);
    }
    let (mut key, mut value) = (Vec::new(), Vec::new());
    let mut version = list.first();
    for (expected_key, std::cmp::Reverse(timestamp)) in expected.keys() {
        let present = version.expect("as many as were put");
        present.read_key(&mut key);
        present.read_value(&mut value);
        assert_eq!((&key, present.timestamp()), (expected_key, *timestamp));
        assert_eq!(value, timestamp.to_le_bytes());
        let found = list.get(&key, *timestamp).expect("it is there");
        assert_eq!(found.timestamp(), *timestamp, "the newest no newer than asked");
        version = present.next();
    }
    assert!(version.is_none());
    assert!(list.get(b"never put", u64::MAX).is_none());
}

#[test]
fn threads_lose_no_version_and_the_queue_has_each_once() {
    const EACH: u64 = 3000;
    let list = list(8 << 20, Printed::default());
    thread::scope(|scope| {
        for worker in 0..4 {
            let list = &list;
            scope.spawn(move || {
                for turn in 0..EACH {
                    let timestamp = 1 + turn * 4 + worker;
                    let key = (timestamp % 97).to_be_bytes();
                    assert_eq!(put(list, &key, timestamp, Kind::default()), Linked::Done);
                }
            });
        }
    });
    let (mut count, mut version) = (0, list.first());
    while let Some(present) = version {
        count += 1;
        version = present.next();
    }
    assert_eq!(count, 4 * EACH);
    let mut seen = vec![false; 4 * EACH as usize];
    let mut place = list.queue_start();
    while let Step::Record(record, next) = list.walk(place) {
        let index = record.timestamp() as usize - 1;
        assert!(!std::mem::replace(&mut seen[index], true), "twice in the queue");
        place = next;
    }
    assert!(seen.iter().all(|&seen| seen) && place == list.queue_end());
}

#[test]
fn a_queue_waits_for_a_record_in_the_making_and_passes_by_what_is_given_up() {
    let list = list(4096, Printed::default());
    let making = list.reserve(b"a", None, Kind::default()).unwrap();
    put(&list, b"b", 2, Kind::default());
    assert!(matches!(list.walk(list.queue_start()), Step::Making));
    drop(making);
    let Step::Record(record, next) = list.walk(list.queue_start()) else { panic!("b is next") };
    assert_eq!(record.timestamp(), 2);
    assert!(matches!(list.walk(next), Step::End));
    assert!(list.reserve(&[0; 5000], None, Kind::default()).is_none(), "no room");
    assert!(matches!(list.walk(next), Step::End), "what is refused leaves no hole");
}

/// Fault D3: a put has drawn time 1 and stalls; a read-modify-write reads nothing and is inserted
/// at time 2.
fn put_below(printed: Printed) -> Linked {
    let list = list(4096, printed);
    let mut stalled = list.reserve(b"k", Some(b"100"), Kind::of(Some(b"100"))).unwrap();
    let kind = Kind { is_read_modify_write: true, ..Kind::of(Some(b"1")) };
    let mut update = list.reserve(b"k", Some(b"1"), kind).unwrap();
    assert_eq!(update.link_newest(2, None), Linked::Done);
    let linked = stalled.link(1);
    if linked == Linked::NeedsNewer {
        assert_eq!(stalled.link(3), Linked::Done, "a newer time is after it");
        assert_eq!(list.get(b"k", u64::MAX).unwrap().timestamp(), 3);
    }
    linked
}

#[test]
fn a_put_does_not_go_below_a_read_modify_write() {
    assert_eq!(put_below(Printed::default()), Linked::NeedsNewer);
    let printed = Printed { unguarded: true, ..Printed::default() };
    assert_eq!(put_below(printed), Linked::Done, "as printed, the put is lost");
}

#[test]
fn a_read_modify_write_notices_what_came_between() {
    let list = list(4096, Printed::default());
    let kind = Kind { is_read_modify_write: true, ..Kind::of(Some(b"v")) };
    put(&list, b"k", 1, Kind::default());
    let mut late = list.reserve(b"k", Some(b"v"), kind).unwrap();
    put(&list, b"k", 2, Kind::default());
    assert_eq!(late.link_newest(3, Some(1)), Linked::Conflict);
    assert_eq!(late.link_newest(3, None), Linked::Conflict);
    put(&list, b"j", 4, Kind::default());
    put(&list, b"l", 5, Kind::default());
    assert_eq!(late.link_newest(6, Some(2)), Linked::Done, "other keys are no conflict");
}
