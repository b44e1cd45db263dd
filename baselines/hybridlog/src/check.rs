//! Walks log and index, and checks that they agree. No session may operate meanwhile.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use platform::racy::WORD_BYTES;

use crate::address::Address;
use crate::bucket::{BUCKET_ENTRIES, Entry, OVERFLOW};
use crate::counters::Counter;
use crate::guard::State;
use crate::hash::KeyHash;
use crate::record::{Record, gap_words, words_of};
use crate::store::Shared;

/// A record, as the log shows it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    key: u64,
    state: State,
    value_bytes: usize,
    previous: Address,
}

type Records = HashMap<Address, Seen>;

/// What lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Live {
    objects: u64,
    value_bytes: u64,
    paid_bytes: u64,
}

impl Live {
    fn add(&mut self, seen: &Seen) {
        self.objects += 1;
        self.value_bytes += seen.value_bytes as u64;
        self.paid_bytes += words_of(seen.value_bytes) * WORD_BYTES as u64;
    }
}

/// Checks every invariant.
///
/// # Errors
/// A description of the first violation.
pub(crate) fn check(shared: &Shared) -> Result<(), String> {
    // Held to the end, so that no worker compacts meanwhile.
    let _compaction = shared.compaction();
    let records = walk_log(shared)?;
    let mut in_log = Live::default();
    records.values().filter(|seen| seen.state == State::Live).for_each(|seen| in_log.add(seen));
    let in_chains = walk_index(shared, &records)?;
    if in_log != in_chains {
        return Err(format!("{in_log:?} in the log, {in_chains:?} in chains"));
    }
    let sums = shared.counters.sums();
    let counted = Live {
        objects: sums.get(Counter::LiveObjects),
        value_bytes: sums.get(Counter::LiveValueBytes),
        paid_bytes: sums.get(Counter::PaidBytes),
    };
    if counted != in_log {
        return Err(format!("{counted:?} counted, {in_log:?} found"));
    }
    check_bound(shared, counted.paid_bytes)
}

/// Checks that pool, credits and live data make up the bound.
fn check_bound(shared: &Shared, paid_bytes: u64) -> Result<(), String> {
    let (bound_bytes, pool_bytes) = (shared.pool.bound_bytes(), shared.pool.bytes());
    let held_bytes = pool_bytes + paid_bytes;
    // Open sessions have credit, which only they can read.
    let is_right = match shared.counters.open() {
        0 => held_bytes == bound_bytes,
        _ => held_bytes <= bound_bytes,
    };
    if is_right {
        return Ok(());
    }
    Err(format!("pool and live data are {held_bytes} of {bound_bytes} bytes"))
}

/// Walks from the begin to the tail, record by record.
fn walk_log(shared: &Shared) -> Result<Records, String> {
    let log = &shared.log;
    let (ring, words) = (log.ring(), log.words().all());
    if log.used_words() > ring.words() {
        return Err(format!("{} words in a ring of {}", log.used_words(), ring.words()));
    }
    let (mut at, tail) = (log.begin(), log.tail());
    let mut records = Records::new();
    while at < tail {
        let place = ring.place(at);
        let left = ring.words() - place as u64;
        // Relaxed: no session operates.
        let extent_words = match gap_words(words[place].load(Ordering::Relaxed)) {
            Some(words) => words,
            None => {
                let record = Record::at(words, place).filter(|it| !it.guard().is_locked());
                let record = record.ok_or_else(|| format!("no unlocked record at {at:?}"))?;
                let standing = record.standing();
                let seen = Seen {
                    key: record.key(),
                    state: standing.state,
                    value_bytes: standing.value_bytes,
                    previous: record.previous(),
                };
                records.insert(at, seen);
                standing.extent_words
            }
        };
        if extent_words == 0 || extent_words > left {
            return Err(format!("{extent_words} words at {at:?}, where {left} are left"));
        }
        at = ring.behind(at, extent_words);
    }
    if at != tail {
        return Err(format!("the last record ends at {at:?}, the log at {tail:?}"));
    }
    Ok(records)
}

/// Walks every bucket and every chain; returns what lives by them.
fn walk_index(shared: &Shared, records: &Records) -> Result<Live, String> {
    let mut live = Live::default();
    let mut overflow = HashSet::new();
    for number in 0..shared.index.main_buckets() {
        walk_bucket(shared, number, records, &mut overflow, &mut live)
            .map_err(|violation| format!("bucket {number}: {violation}"))?;
    }
    let (linked, used) = (overflow.len(), shared.index.overflow_used());
    if linked != used {
        return Err(format!("{linked} overflow buckets in chains, {used} in use"));
    }
    Ok(live)
}

fn walk_bucket(
    shared: &Shared,
    number: usize,
    records: &Records,
    overflow: &mut HashSet<u64>,
    live: &mut Live,
) -> Result<(), String> {
    let index = &shared.index;
    let mut tags = HashSet::new();
    for bucket in index.buckets(index.main(number)) {
        for word in &bucket[..BUCKET_ENTRIES] {
            // Relaxed, here and below: no session operates.
            let entry = Entry::from_word(word.load(Ordering::Relaxed));
            if entry.is_empty() {
                continue;
            }
            if entry.is_tentative() || !tags.insert(entry.tag()) {
                return Err(format!("{entry:?} is tentative, or its tag is there twice"));
            }
            walk_chain(shared, number, entry, records, live)
                .map_err(|violation| format!("{entry:?}: {violation}"))?;
        }
        let next = bucket[OVERFLOW].load(Ordering::Relaxed);
        let exists = next <= index.overflow_used() as u64;
        if next != 0 && (!exists || !overflow.insert(next)) {
            return Err(format!("overflow bucket {next} is none, or linked twice"));
        }
    }
    Ok(())
}

fn walk_chain(
    shared: &Shared,
    number: usize,
    entry: Entry,
    records: &Records,
    live: &mut Live,
) -> Result<(), String> {
    let begin = shared.log.begin();
    let mut keys = HashSet::new();
    let mut at = entry.address();
    while at >= begin {
        let seen = records.get(&at).ok_or_else(|| format!("no record begins at {at:?}"))?;
        let hash = KeyHash::of(seen.key);
        let belongs = (hash.bucket(shared.index.main_buckets()), hash.tag());
        if belongs != (number, entry.tag()) {
            return Err(format!("the key of {seen:?} belongs to {belongs:?}"));
        }
        if seen.previous >= at {
            return Err(format!("{seen:?} at {at:?} leads to a newer one"));
        }
        // The newest record of a key says what the key is; older ones are dead.
        if keys.insert(seen.key) == (seen.state == State::Dead) {
            return Err(format!("{seen:?} at {at:?} has the wrong state"));
        }
        if seen.state == State::Live {
            live.add(seen);
        }
        at = seen.previous;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use engine::{KvEngine, KvSession};

    use super::*;
    use crate::store::Target;
    use crate::{Config, HybridLog};

    /// A store with two keys, and the record of one.
    fn violated(violate: impl Fn(&Shared, Record<'_>)) -> String {
        let store = HybridLog::open(Config::new(1 << 20, 100)).unwrap();
        let mut session = store.session().unwrap();
        for key in 1..=2 {
            assert!(session.put(key, b"value").unwrap().is_stored());
        }
        drop(session);
        store.check().unwrap();
        let (_, record) = store.shared.chain(Target::of(1)).unwrap().newest.unwrap();
        violate(&store.shared, record);
        store.check().unwrap_err()
    }

    /// A check that cannot fail would prove nothing.
    #[test]
    fn what_is_wrong_is_found() {
        let dead = violated(|_, record| record.lock().set_state(State::Dead));
        assert!(dead.contains("wrong state"), "{dead}");
        let deleted = violated(|_, record| record.lock().set_state(State::Tombstone));
        assert!(deleted.contains("objects: 2") && deleted.contains("found"), "{deleted}");
        let resized = violated(|_, record| record.lock().overwrite(b"val"));
        assert!(resized.contains("value_bytes: 10"), "{resized}");
        let foreign = violated(|shared, record| {
            let (at, _) = shared.chain(Target::of(2)).unwrap().newest.unwrap();
            record.set_previous(at);
        });
        assert!(foreign.contains("newer") || foreign.contains("belongs"), "{foreign}");
        let unlinked = violated(|shared, _| {
            assert!(shared.index.find(KeyHash::of(1)).unwrap().clear());
        });
        assert!(unlinked.contains("in chains"), "{unlinked}");
        let unpaid = violated(|shared, _| shared.pool.give(8));
        assert!(unpaid.contains("pool and live data"), "{unpaid}");
        let locked = violated(|_, record| std::mem::forget(record.lock()));
        assert!(locked.contains("no unlocked record"), "{locked}");
    }
}
