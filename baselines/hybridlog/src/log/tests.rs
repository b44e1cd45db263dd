//! The log on its own: laps, gaps, the reserve and the regions.

use super::*;
use crate::config::Config;
use crate::record::words_of;

fn log(mutable_fraction: f64) -> Log {
    let config = Config { mutable_fraction, value_bytes_max: 1000, ..Config::new(1 << 20, 1000) };
    Log::map(&Sizes::of(&config).unwrap(), Pages::Small, false).unwrap()
}

fn append(log: &Log, key: u64, value: &[u8]) -> Option<Address> {
    let at = log.reserve(words_of(value.len()))?.at;
    log.record(at).write(key, value);
    Some(at)
}

#[test]
fn what_is_appended_is_walked_over_in_order_and_gaps_are_skipped() {
    let log = log(0.9);
    let mut expected: Vec<Address> = Vec::new();
    let mut first = 0;
    // Three laps.
    for key in 0..4000 {
        let at = append(&log, key, &[3; 777]).unwrap_or_else(|| {
            // Half of the log goes.
            let at = expected[expected.len() / 2];
            first += expected.len() as u64 / 2;
            expected.drain(..expected.len() / 2);
            log.set_begin(at);
            log.free_below(at);
            append(&log, key, &[3; 777]).expect("there is room")
        });
        expected.push(at);
        assert!(log.used_words() <= log.ring.words());
    }
    assert!(expected.is_sorted());
    let (mut at, mut key, mut gaps) = (log.begin(), first, 0);
    while at < log.tail() {
        let (record, next) = log.piece(at);
        if let Some(record) = record {
            assert_eq!((record.key(), at), (key, expected[(key - first) as usize]));
            key += 1;
        } else {
            gaps += 1;
        }
        at = next;
    }
    assert_eq!((at, key), (log.tail(), 4000));
    assert!(gaps <= 1);
}

#[test]
fn sessions_leave_the_reserve_to_compaction() {
    let log = log(0.9);
    while append(&log, 1, &[1; 1000]).is_some() {}
    assert!(!log.has_room(words_of(1000)));
    assert!(log.room_words() < words_of(1000));
    let (used, ring) = (log.used_words(), log.ring.words());
    assert!(used <= ring - log.reserve_words && used + words_of(1000) > ring - log.reserve_words);
    let mut reserved = 0;
    while log.reserve_for_compaction(words_of(1000)).is_some() {
        reserved += words_of(1000);
    }
    assert!(reserved + words_of(1000) > log.reserve_words - words_of(1000));
    assert!(log.used_words() <= ring);
}

#[test]
fn the_mutable_region_follows_the_tail_at_its_distance() {
    for (fraction, least, most) in [(0.0, 0, 0), (0.5, 45, 55), (1.0, 100, 100)] {
        let log = log(fraction);
        let mut appended = Vec::new();
        while let Some(at) = append(&log, 1, &[1; 1000]) {
            appended.push(at);
        }
        let mutable = appended.iter().filter(|&&at| log.is_mutable(at)).count();
        // Of the ring, not of what is appended.
        let percent = mutable as u64 * words_of(1000) * 100 / log.used_words();
        let (least, most) = (least * 100 / 105, most * 115 / 100);
        assert!((least..=most.max(least)).contains(&percent), "{fraction}: {percent} %");
    }
}
