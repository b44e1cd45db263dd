//! Many threads, little memory: own keys, shared keys, and compaction all the while, at any fill.

use std::thread;
use std::time::{Duration, Instant};

use super::common::variants::{disturb, knobs, some, tiny, within};
use super::common::{Random, check_refusal, fill, made, open, small, verified};
use nibble::{Compaction, Config, IndexLayout, Session, Store, Update};

/// More than this machine's cores, wherever it runs.
const THREADS: u64 = 6;
const SHARED_KEYS: u64 = 64;
const SHARED: u64 = 1 << 40;
/// Object header and key.
const HEADER_BYTES: u64 = 12;

/// What a storm is made of.
struct Storm {
    config: Config,
    /// How long it lasts, at least.
    lasts: Duration,
    /// Whether it lasts until every thread has been refused something.
    refuses: bool,
    /// Keys of each thread that nobody else touches.
    own_keys: u64,
    /// Values are at least 16 bytes and less than so much longer; few are long.
    bytes_max: u64,
    /// Live bytes of its own that a thread does not go beyond.
    budget_bytes: u64,
}

struct Client<'storm> {
    store: &'storm Store,
    storm: &'storm Storm,
    number: u64,
    /// What this thread's own keys hold: version and length.
    own: Vec<Option<(u64, usize)>>,
    live_bytes: u64,
    /// No version of a shared key may be older than one seen before from the same writer.
    seen: Vec<[u64; THREADS as usize]>,
    full: u64,
}

impl<'storm> Client<'storm> {
    fn new(store: &'storm Store, storm: &'storm Storm, number: u64) -> Self {
        let own = vec![None; storm.own_keys as usize];
        let seen = vec![[0; THREADS as usize]; SHARED_KEYS as usize];
        Self { store, storm, number, own, live_bytes: 0, seen, full: 0 }
    }

    /// Answers operations and refusals.
    fn run(mut self) -> (u64, u64) {
        let session = self.store.session().unwrap();
        let mut random = Random(self.number + 1);
        let mut buffer = vec![0; self.storm.bytes_max as usize + 16];
        let mut operations = 0;
        let begin = Instant::now();
        while operations % 64 != 0 || begin.elapsed() < self.storm.lasts || !self.has_raged() {
            operations += 1;
            // Most are a tenth as long as the longest.
            let most = self.storm.bytes_max / if random.below(8) == 0 { 1 } else { 10 };
            let bytes = 16 + random.below(most) as usize;
            let version = operations * THREADS + self.number;
            if random.below(4) == 0 {
                self.shared(&session, &mut random, &mut buffer, bytes, version);
            } else {
                self.own(&session, &mut random, &mut buffer, bytes, version);
            }
        }
        for slot in 0..self.own.len() {
            self.verify(&session, slot, &mut buffer);
        }
        (operations, self.full)
    }

    /// Whether what the storm is about has happened; on a busy machine that takes longer.
    fn has_raged(&self) -> bool {
        let refused = self.full > 0 || !self.storm.refuses;
        refused && self.store.statistics().segments_compacted > 3
    }

    fn shared(
        &mut self,
        session: &Session<'_>,
        random: &mut Random,
        buffer: &mut [u8],
        bytes: usize,
        version: u64,
    ) {
        let slot = random.below(SHARED_KEYS);
        let key = SHARED + slot;
        let seen = &mut self.seen[slot as usize];
        match random.below(8) {
            0..4 => {
                if let Some(length) = session.get(key, buffer).unwrap() {
                    let version = verified(key, &buffer[..length]);
                    let last = &mut seen[(version % THREADS) as usize];
                    assert!(version >= *last, "key {key} went back in time");
                    *last = version;
                }
            }
            4..7 => {
                fill(&mut buffer[..bytes], key, version);
                match session.put(key, &buffer[..bytes]) {
                    Ok(_) => seen[self.number as usize] = version,
                    Err(error) => {
                        check_refusal(error);
                        self.full += 1;
                    }
                }
            }
            _ => {
                session.delete(key).unwrap();
            }
        }
    }

    fn own(
        &mut self,
        session: &Session<'_>,
        random: &mut Random,
        buffer: &mut [u8],
        bytes: usize,
        version: u64,
    ) {
        let slot = random.below(self.storm.own_keys) as usize;
        let key = self.key(slot);
        let object_bytes = |own: Option<(u64, usize)>| {
            own.map_or(0, |(_, value_bytes)| value_bytes as u64 + HEADER_BYTES)
        };
        let before = object_bytes(self.own[slot]);
        match random.below(16) {
            0..6 => self.verify(session, slot, buffer),
            6..15 if self.live_bytes < self.storm.budget_bytes => {
                match session.put(key, &made(key, version, bytes)) {
                    Ok(_) => {
                        self.own[slot] = Some((version, bytes));
                        self.live_bytes = self.live_bytes + object_bytes(self.own[slot]) - before;
                    }
                    Err(error) => {
                        check_refusal(error);
                        self.full += 1;
                    }
                }
            }
            _ => {
                assert_eq!(session.delete(key), Ok(self.own[slot].take().is_some()), "key {key}");
                self.live_bytes -= before;
            }
        }
    }

    /// An own key holds what was stored last: nothing is lost, and nothing comes back.
    fn verify(&self, session: &Session<'_>, slot: usize, buffer: &mut [u8]) {
        let key = self.key(slot);
        let found = session.get(key, buffer).unwrap();
        let found = found.map(|length| (verified(key, &buffer[..length]), length));
        assert_eq!(found, self.own[slot], "key {key}");
    }

    fn key(&self, slot: usize) -> u64 {
        self.number * 1_000_000 + slot as u64
    }
}

/// Answers operations and refusals of all threads.
fn rage(storm: &Storm) -> (u64, u64) {
    disturb();
    println!("{:?}", storm.config);
    let store = open(storm.config.clone());
    let totals = within(120, "a storm", || {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|number| {
                    let client = Client::new(&store, storm, number);
                    scope.spawn(move || client.run())
                })
                .collect();
            let totals: Result<Vec<_>, _> = threads.into_iter().map(|one| one.join()).collect();
            totals.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    store.check().unwrap();
    store.settle();
    let report = store.check().unwrap();
    let (statistics, census) = (store.statistics(), store.census());
    let fill = 100 * census.live_object_bytes / census.object_memory_bytes;
    println!("{totals:?}\n{fill} % live, {statistics:?}\n{report:?}");
    totals.iter().fold((0, 0), |sum, &(operations, full)| (sum.0 + operations, sum.1 + full))
}

/// Keys and updates of random lengths; memory is never near full.
fn roomy(config: Config, bytes_max: u64) {
    const STORM: Duration = Duration::from_millis(if cfg!(debug_assertions) { 400 } else { 1000 });
    let budget_bytes = u64::MAX;
    let storm =
        Storm { config, lasts: STORM, refuses: false, own_keys: 400, bytes_max, budget_bytes };
    let (operations, full) = rage(&storm);
    assert!(full * 20 < operations, "{full} of {operations} refused");
}

#[test]
fn small_values() {
    for config in some(&small(5 << 18, 64 << 10), 0) {
        roomy(config, 480);
    }
}

#[test]
fn values_of_several_blocks() {
    for config in some(&small(32 << 20, 1 << 20), 1) {
        roomy(config, 14_000);
    }
}

/// `fill_percent` of object memory is live, in values of all sizes; at 100 every PUT is tried.
fn filled(update: Update, compaction: Compaction, fill_percent: u64, row: usize) {
    const MEMORY: u64 = 2 << 20;
    const STORM: Duration = Duration::from_millis(if cfg!(debug_assertions) { 600 } else { 2000 });
    let index = IndexLayout::ALL[row % 3];
    let mut config = knobs(&tiny(MEMORY, update, compaction, index), row);
    // What cannot be had is refused soon, so that more is tried.
    config.full_wait_ms = 50;
    let budget_bytes = match fill_percent {
        100 => u64::MAX,
        percent => MEMORY * percent / 100 / THREADS,
    };
    // Enough that all of them together would be twice too large for memory.
    // It takes a while to be full.
    let lasts = if fill_percent == 100 { 2 * STORM } else { STORM };
    let refuses = fill_percent == 100;
    let storm = Storm { config, lasts, refuses, own_keys: 6_000, bytes_max: 1_000, budget_bytes };
    let (operations, full) = rage(&storm);
    if fill_percent <= 80 {
        assert!(full * 20 < operations, "{full} of {operations} refused");
    }
}

macro_rules! fills {
    ($($name:ident: $row:literal, $update:ident, $compaction:ident, $percent:literal;)+) => {
        $(#[test]
        fn $name() {
            // Of the 27 rows, all are stormed at one fill or another.
            for row in [$row, $row + 11] {
                filled(Update::$update, Compaction::$compaction, $percent, row);
            }
        })+
    };
}

fills! {
    nibble_at_20_percent: 0, Append, Background, 20;
    nibble_at_80_percent: 1, Append, Background, 80;
    nibble_at_95_percent: 2, Append, Background, 95;
    nibble_at_100_percent: 3, Append, Background, 100;
    nibble_inline_at_20_percent: 4, Append, Inline, 20;
    nibble_inline_at_80_percent: 5, Append, Inline, 80;
    nibble_inline_at_95_percent: 6, Append, Inline, 95;
    nibble_inline_at_100_percent: 7, Append, Inline, 100;
    nibble_2_at_20_percent: 8, InPlace, Background, 20;
    nibble_2_at_80_percent: 9, InPlace, Background, 80;
    nibble_2_at_95_percent: 10, InPlace, Background, 95;
    nibble_2_at_100_percent: 11, InPlace, Background, 100;
    nibble_2_inline_at_20_percent: 12, InPlace, Inline, 20;
    nibble_2_inline_at_80_percent: 13, InPlace, Inline, 80;
    nibble_2_inline_at_95_percent: 14, InPlace, Inline, 95;
    nibble_2_inline_at_100_percent: 15, InPlace, Inline, 100;
}

#[test]
fn one_partition_growing_under_load() {
    disturb();
    for config in some(&small(16 << 20, 512 << 10), 2).into_iter().step_by(2) {
        growing_under_load(Config { index_partitions: 1, ..config });
    }
}

fn growing_under_load(config: Config) {
    println!("{config:?}");
    let store = open(config);
    const KEYS: u64 = 12_000;
    thread::scope(|scope| {
        for number in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let session = store.session().unwrap();
                let mut buffer = [0; 64];
                let mut random = Random(number);
                for step in 0..KEYS {
                    let key = step * 4 + number;
                    session.put(key, &made(key, key, 24)).unwrap();
                    // Something this thread stored before must be there, whatever is splitting.
                    let earlier = random.below(step + 1) * 4 + number;
                    let length = session.get(earlier, &mut buffer).unwrap().expect("not lost");
                    assert_eq!(verified(earlier, &buffer[..length]), earlier);
                    assert_eq!(session.get(key + (1 << 50), &mut buffer), Ok(None));
                }
            });
        }
    });
    let report = store.check().unwrap();
    assert_eq!(report.live_objects, 4 * KEYS);
    assert!(report.index_slots >= 4 * KEYS, "{report:?}");
}
