//! Test of objects that end by themselves.

use std::thread;
use std::time::{Duration, Instant};

use super::value::mix;
use super::{Opener, check, open_checked, session};
use crate::{FullMeaning, KvEngine, KvSession, PutOutcome};

/// A lifetime that ends while the test waits, at least.
const BRIEF: Duration = Duration::from_millis(20);
/// One that outlasts it, however busy the machine.
const LONG: Duration = Duration::from_secs(3600);
/// How long a store may take to notice that a lifetime has ended: servers count time by a timer of theirs,
/// which is late where processors are busy.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// What is put under a key, one after the other: values with their lifetimes, or without.
type Puts = &'static [Option<Lifetime>];

#[derive(Clone, Copy)]
enum Lifetime {
    Brief,
    Long,
}

/// Those that end: what is put last has a brief lifetime.
const ENDING: [Puts; 3] = [
    &[Some(Lifetime::Brief)],
    &[None, Some(Lifetime::Brief)],
    &[Some(Lifetime::Long), Some(Lifetime::Brief)],
];
/// Those that stay.
const STAYING: [Puts; 4] = [
    &[None],
    &[Some(Lifetime::Long)],
    &[Some(Lifetime::Brief), None],
    &[Some(Lifetime::Brief), Some(Lifetime::Long)],
];

/// An object with a lifetime is there until the lifetime ends, and then no longer: no GET finds it, a PUT that
/// tells inserts it, a DELETE that tells finds nothing. The last PUT of a key decides how long its object
/// stays. A store without lifetimes says so, and changes nothing.
///
/// # Panics
/// If the store behaves otherwise.
pub fn lifetimes_end<E: KvEngine>(open: Opener<'_, E>) {
    let engine = open_checked(open);
    match E::TRAITS.expiry.unit() {
        Some(unit) => expect_ends(&engine, unit),
        None => expect_none(&engine),
    }
    check(&engine);
}

fn expect_none<E: KvEngine>(engine: &E) {
    let mut session = session(engine);
    let told = session.put_for(mix(1), b"brief", LONG).expect("a short value");
    assert_eq!(told, None, "the store's traits know no lifetimes");
    let found = session.get(mix(1), &mut [0; 8]).expect("a short value");
    assert_eq!(found, None, "what was not put");
}

fn expect_ends<E: KvEngine>(engine: &E, unit: Duration) {
    let brief = BRIEF.max(unit);
    let (mut writer, mut reader) = (session(engine), session(engine));
    let sequences = || (0..).map(mix).zip(ENDING.into_iter().chain(STAYING));
    for (key, puts) in sequences() {
        for (version, lifetime) in puts.iter().enumerate() {
            let value = value_of(key, version);
            let put = match lifetime {
                None => writer.put(key, &value).map(Some),
                Some(Lifetime::Brief) => writer.put_for(key, &value, brief),
                Some(Lifetime::Long) => writer.put_for(key, &value, LONG),
            };
            assert!(put.is_ok_and(|put| put.is_some_and(PutOutcome::is_stored)), "{put:?}");
        }
        // A brief lifetime may have ended already.
        let found = find(&mut reader, key);
        let last = value_of(key, puts.len() - 1);
        assert!(found.is_none_or(|found| found == last), "another value than the last");
    }
    expect_staying(engine, &mut reader);
    thread::sleep(brief + unit);
    let patient_until = Instant::now() + PATIENCE;
    for key in (0..ENDING.len() as u64).map(mix) {
        while find(&mut reader, key).is_some() {
            let told = "an object was found when its lifetime had ended";
            assert!(Instant::now() < patient_until, "{told}: {brief:?}, in units of {unit:?}");
            thread::sleep(PAUSE);
        }
    }
    expect_staying(engine, &mut reader);
    let [first, second] = [0, 1].map(mix);
    assert!(!writer.delete(first).was_present(), "a DELETE found what had ended");
    let put = writer.put(second, b"again");
    assert!(put.is_ok_and(PutOutcome::is_stored), "{put:?}");
    assert_ne!(put, Ok(PutOutcome::Updated), "a PUT found what had ended");
    sequences().for_each(|(key, _)| _ = writer.delete(key));
}

fn expect_staying<E: KvEngine>(engine: &E, reader: &mut E::Session<'_>) {
    let first = ENDING.len() as u64;
    for (key, puts) in (first..).map(mix).zip(STAYING) {
        let found = find(reader, key);
        assert!(
            found.is_some() || E::TRAITS.full == FullMeaning::Evict,
            "an object ended before its lifetime: {:?}",
            engine.settings()
        );
        let last = value_of(key, puts.len() - 1);
        assert!(found.is_none_or(|found| found == last), "another value than the last");
    }
}

fn value_of(key: u64, version: usize) -> Vec<u8> {
    let mut value = key.to_le_bytes().to_vec();
    value.resize(40, version as u8);
    value
}

fn find(session: &mut impl KvSession, key: u64) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 64];
    let value_bytes = session.get(key, &mut buffer).expect("a buffer for the longest value")?;
    buffer.truncate(value_bytes);
    Some(buffer)
}
