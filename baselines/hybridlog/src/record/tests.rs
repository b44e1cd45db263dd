//! Records on their own, without log and index.

use std::sync::atomic::AtomicBool;
use std::thread;

use kit::testing::{made, version_of};
use platform::Pages;
use platform::racy::Words;

use super::*;

fn memory(words: usize) -> Words {
    Words::map(words, Pages::Small, false).unwrap()
}

fn record(memory: &Words) -> Record<'_> {
    Record::at(memory.all(), 0).unwrap()
}

/// Overwrites the value if it fits.
fn overwrite(record: Record<'_>, value: &[u8]) -> bool {
    let mut locked = record.lock();
    let fits = locked.fits(value.len());
    if fits {
        locked.overwrite(value);
    }
    fits
}

fn value(record: Record<'_>, room_bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0; room_bytes];
    let Read::Copied(value_bytes) = record.read(&mut buffer, |_| ()) else {
        panic!("the record is live")
    };
    buffer.truncate(value_bytes);
    buffer
}

#[test]
fn what_is_written_is_read_and_its_room_stays() {
    let memory = memory(64);
    let record = record(&memory);
    record.write(7, b"seven");
    record.set_previous(Address::from_word(99));
    assert_eq!((record.key(), record.previous()), (7, Address::from_word(99)));
    assert_eq!(value(record, 10), b"seven");
    assert_eq!(record.read(&mut [0; 4], |_| ()), Read::TooLong(5));
    let extent_words = record.standing().extent_words;
    assert_eq!(extent_words, 4);
    for value_bytes in [0, 8, 3, 1] {
        let new = made(7, 1, value_bytes);
        assert!(overwrite(record, &new));
        assert_eq!(value(record, 10), new);
        let Standing { state, value_bytes: told, extent_words: extent } = record.standing();
        assert_eq!((state, told, extent), (State::Live, value_bytes, extent_words));
        assert_eq!(record.previous(), Address::from_word(99), "the chain stays");
    }
    assert!(!overwrite(record, &[1; 9]), "longer than its room");
    assert_eq!(value(record, 10), made(7, 1, 1), "a refused value changes nothing");
}

/// A record can describe no more slack than some kilobytes.
#[test]
fn a_value_that_shrinks_too_much_is_refused() {
    let room_bytes = (SLACK_WORDS_MAX as usize + 10) * WORD_BYTES;
    let memory = memory(room_bytes / WORD_BYTES + HEADER_WORDS);
    let record = record(&memory);
    record.write(1, &vec![5; room_bytes]);
    assert!(!overwrite(record, &[]));
    assert!(!overwrite(record, &[4; 9 * WORD_BYTES]));
    assert!(overwrite(record, &[4; 10 * WORD_BYTES]));
    assert_eq!(record.standing().extent_words, words_of(room_bytes));
    assert!(overwrite(record, &vec![3; room_bytes]), "its room is still there");
}

#[test]
fn states_are_told_and_a_lock_that_changes_nothing_leaves_the_guard() {
    let memory = memory(64);
    let record = record(&memory);
    record.write(1, b"one");
    let before = record.guard();
    drop(record.lock());
    assert_eq!(record.guard(), before);
    record.lock().set_state(State::Tombstone);
    assert_ne!(record.guard(), before);
    assert_eq!(record.read(&mut [], |_| ()), Read::Absent);
    record.abandon();
    assert_eq!(record.read(&mut [], |_| ()), Read::Dead);
    assert_eq!(record.standing().extent_words, 4, "it can still be stepped over");
}

#[test]
fn a_copy_has_no_slack() {
    let memory = memory(64);
    let (from, to) = (record(&memory), Record::at(memory.all(), 20).unwrap());
    from.write(3, &[9; 100]);
    assert!(overwrite(from, &made(3, 4, 50)));
    to.write_copy(&from.lock());
    assert_eq!((to.key(), value(to, 100)), (3, made(3, 4, 50)));
    assert_eq!(to.standing().extent_words, words_of(50));
    assert_eq!(to.previous(), Address::NONE);
}

#[test]
fn gaps_are_not_taken_for_links() {
    assert_eq!(gap_words(gap(5)), Some(5));
    let link = Link { previous: Address::from_word(u64::MAX), slack_words: SLACK_WORDS_MAX };
    assert_eq!(gap_words(link.word()), None);
}

/// Two writers and a reader: every value read is one that was written, of any length.
#[test]
fn readers_see_whole_values() {
    const UPDATES: u64 = 20_000;
    let memory = memory(600);
    let record = record(&memory);
    record.write(1, &made(1, 0, 4000));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                scope.spawn(move || {
                    for update in 1..=UPDATES {
                        let version = 2 * update + writer;
                        let value_bytes = 4000 - (version as usize * 37) % 3000;
                        assert!(overwrite(record, &made(1, version, value_bytes)));
                    }
                })
            })
            .collect();
        let done = &done;
        scope.spawn(move || {
            let mut reads = 0_u64;
            // Relaxed: it orders nothing.
            while !done.load(Ordering::Relaxed) || reads == 0 {
                version_of(1, &value(record, 4000));
                reads += 1;
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(record.standing().extent_words, words_of(4000));
}
