//! One thread of a soak: what it does follows from the seed, whatever is answered. Where windows
//! end does not.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use history::{Kind, Operation, Recorder, Ticks};
use nibble::{Answer, Buffers, Operation as Asked, Put, PutError};

use super::{Plan, THREADS};
use crate::common::Random;
use crate::fault;
use crate::kinds::{Opened, Sitting};
use crate::values::{name, write};

/// Bytes that a thread stores in a window, at most.
const WINDOW_BYTES_MAX: u64 = 16 << 20;
/// Where PUTs wait.
const WINDOW: Duration = Duration::from_millis(300);
/// A thread says how far it is after so many turns.
const TURNS: u64 = 64;
/// The most operations of a batch, and slots for their values.
const BATCH: u64 = 40;
const SLOT_BYTES_MAX: usize = 64 << 10;
/// Operations on one key in a batch, at most; each is known as a thread of its own. Where threads
/// meet at few keys there is one, because checking takes time exponential in what is in progress.
const REPEATS: usize = 3;
const KEYS_OF_REPEATS: u64 = 50;

pub(super) struct Client<'soak> {
    store: &'soak Opened,
    plan: &'soak Plan,
    ticks: &'soak Ticks,
    number: u64,
    random: Random,
    buffer: Vec<u8>,
    slots: Vec<u8>,
    /// PUTs so far: with the number of the thread, the name of a value.
    puts: u64,
    refused: u64,
}

/// An operation of a batch before it is answered.
enum Wanted {
    Get,
    Put { value: Vec<u8>, name: u64 },
    Delete,
}

impl<'soak> Client<'soak> {
    pub(super) fn new(
        store: &'soak Opened,
        plan: &'soak Plan,
        ticks: &'soak Ticks,
        number: u64,
        seed: u64,
    ) -> Self {
        let slots = vec![0; BATCH as usize * plan.lengths.most.min(SLOT_BYTES_MAX)];
        let (buffer, random) = (vec![0; plan.lengths.most], Random(seed ^ (number + 1) << 56));
        Self { store, plan, ticks, number, random, buffer, slots, puts: 0, refused: 0 }
    }

    /// What was done, and how many PUTs were refused. The window ends for all threads when they
    /// have done enough together, or one has spent its time or its bytes.
    pub(super) fn window(&mut self, done: &AtomicU64) -> (Vec<Operation>, u64) {
        let session = self.store.session().expect("a slot is free");
        let mut recorder = Recorder::new(self.ticks, self.number as u8);
        let (begin, mut bytes, mut told) = (Instant::now(), 0, 0);
        self.refused = 0;
        for turn in 1.. {
            bytes += match self.random.below(self.plan.batch_one_in) {
                0 => self.batch(&session, &mut recorder),
                _ => self.single(&session, &mut recorder),
            };
            if turn % TURNS == 0 || bytes > WINDOW_BYTES_MAX {
                let over = bytes > WINDOW_BYTES_MAX || begin.elapsed() > WINDOW;
                let new = recorder.operations.len() as u64 - told;
                told += new;
                // Relaxed: a count. It never wraps: half the range is beyond any window.
                let new = if over { u64::MAX / 16 } else { new };
                if done.fetch_add(new, Ordering::Relaxed) + new >= self.plan.window_operations {
                    break;
                }
            }
            if self.random.below(4_000) == 0 {
                self.disturb();
            }
        }
        (recorder.operations, self.refused)
    }

    /// What others may do to a store in use.
    fn disturb(&mut self) {
        match self.random.below(4) {
            0 => self.store.trim(),
            1 => drop(self.store.census()),
            2 => drop(self.store.statistics()),
            // A session that is opened and does nothing.
            _ => drop(self.store.session()),
        }
    }

    /// Every key once.
    pub(super) fn read_all(&mut self) -> Vec<Operation> {
        let session = self.store.session().expect("a slot is free");
        let mut recorder = Recorder::new(self.ticks, self.number as u8);
        for number in 0..self.plan.keys {
            let key = key_of(number);
            let (found, interval) = recorder.timed(|| session.get(key, &mut self.buffer));
            let found = found.expect("the buffer is long enough");
            let kind = Kind::Get(found.map(|length| name(key, &self.buffer[..length])));
            recorder.add(key, kind, interval);
        }
        recorder.operations
    }

    fn key(&mut self) -> u64 {
        let hot = self.random.below(2) == 0;
        key_of(self.random.below(if hot { self.plan.hot_keys } else { self.plan.keys }))
    }

    fn unique(&mut self) -> u64 {
        self.puts += 1;
        (self.number + 1) << 40 | self.puts
    }

    /// Answers the bytes that it was to store.
    fn single(&mut self, session: &Sitting<'_>, recorder: &mut Recorder<'_>) -> u64 {
        let (key, draw) = (self.key(), self.random.below(100));
        let mut stored = 0;
        let (kind, interval) = if draw < self.plan.puts {
            let bytes = self.plan.lengths.next(&mut self.random);
            let unique = self.unique();
            let value = write(&mut self.buffer[..bytes], key, unique);
            stored = bytes as u64;
            let (put, interval) = recorder.timed(|| session.put(key, &self.buffer[..bytes]));
            (self.kind_of_put(key, put, value, bytes), interval)
        } else if draw < self.plan.puts + self.plan.deletes {
            let (found, interval) = recorder.timed(|| session.delete(key));
            (Kind::Delete { found: found.expect("the store is open") }, interval)
        } else {
            let (found, interval) = recorder.timed(|| session.get(key, &mut self.buffer));
            let found = found.expect("the buffer is long enough");
            (Kind::Get(found.map(|length| name(key, &self.buffer[..length]))), interval)
        };
        recorder.add(key, kind, interval);
        stored
    }

    fn kind_of_put(
        &mut self,
        key: u64,
        put: Result<Put, PutError>,
        value: u64,
        bytes: usize,
    ) -> Kind {
        match put {
            Ok(put) => return Kind::Put { value, updated: put == Put::Updated },
            Err(PutError::Full | PutError::Stalled { .. }) => {}
            Err(PutError::ValueTooLarge { limit_bytes, .. }) => {
                let limit = self.store.value_limit(key);
                fault::unless(bytes > limit && limit_bytes == limit, || {
                    format!("{bytes} bytes are above {limit_bytes}; the limit is {limit}")
                });
            }
            Err(PutError::Closed) => panic!("the store has closed"),
        }
        self.refused += 1;
        Kind::Refused
    }

    /// As [`Self::single`], with many at once. All of them run from before the first to after the
    /// last, as far as histories know.
    fn batch(&mut self, session: &Sitting<'_>, recorder: &mut Recorder<'_>) -> u64 {
        let mut wanted: Vec<(u64, Wanted)> = Vec::new();
        let repeats = if self.plan.hot_keys < KEYS_OF_REPEATS { 1 } else { REPEATS };
        let mut stored = 0;
        for _ in 0..1 + self.random.below(BATCH) {
            let (key, draw) = (self.key(), self.random.below(100));
            let operation = if draw < self.plan.puts {
                let mut value = vec![0; self.plan.lengths.next(&mut self.random)];
                let unique = self.unique();
                let name = write(&mut value, key, unique);
                stored += value.len() as u64;
                Wanted::Put { value, name }
            } else if draw < self.plan.puts + self.plan.deletes {
                Wanted::Delete
            } else {
                Wanted::Get
            };
            if wanted.iter().filter(|(other, _)| *other == key).count() < repeats {
                wanted.push((key, operation));
            }
        }
        let mut answers = Vec::with_capacity(wanted.len());
        let slot_bytes = self.slots.len() / BATCH as usize;
        let invoked: Vec<u64> = wanted.iter().map(|_| self.ticks.next()).collect();
        let asked = wanted.iter().map(|(key, wanted)| match wanted {
            Wanted::Get => Asked::Get { key: *key },
            Wanted::Put { value, .. } => Asked::Put { key: *key, value },
            Wanted::Delete => Asked::Delete { key: *key },
        });
        let mut slots = Buffers::new(&mut self.slots, slot_bytes);
        session.execute(asked, &mut slots, |_, answer| answers.push(answer));
        fault::unless(answers.len() == wanted.len(), || {
            format!("{} answers to {} operations", answers.len(), wanted.len())
        });
        let returned: Vec<u64> = wanted.iter().map(|_| self.ticks.next()).collect();
        for (place, (key, wanted_here)) in wanted.iter().enumerate() {
            let slot = &self.slots[place * slot_bytes..][..slot_bytes];
            let kind = match (wanted_here, answers[place]) {
                (Wanted::Get, Answer::Found(length)) => {
                    Kind::Get(Some(name(*key, &slot[..length])))
                }
                (Wanted::Get, Answer::Absent) => Kind::Get(None),
                (Wanted::Get, Answer::TooShort { value_bytes }) => {
                    let right = slot_bytes < value_bytes && value_bytes <= self.plan.lengths.most;
                    fault::unless(right, || {
                        format!("{value_bytes} bytes are too long for {slot_bytes}")
                    });
                    Kind::Refused
                }
                (Wanted::Delete, Answer::Deleted(found)) => Kind::Delete { found },
                (Wanted::Put { name, .. }, Answer::Stored(put)) => {
                    Kind::Put { value: *name, updated: put == Put::Updated }
                }
                (Wanted::Put { value, name }, Answer::Refused(error)) => {
                    self.kind_of_put(*key, Err(error), *name, value.len())
                }
                (_, answer) => {
                    fault::found(format!("key {key}: not an answer to what was asked: {answer:?}"))
                }
            };
            let earlier = wanted[..place].iter().filter(|(other, _)| other == key).count() as u64;
            let thread = (self.number + (THREADS + 1) * earlier) as u8;
            let (invoked, returned) = (invoked[place], returned[place]);
            recorder.operations.push(Operation { key: *key, kind, invoked, returned, thread });
        }
        stored
    }
}

/// Small numbers, and keys all over the range.
fn key_of(number: u64) -> u64 {
    if number.is_multiple_of(2) {
        number
    } else {
        u64::MAX - number.wrapping_mul(0x9E37_79B9_7F4A_7C16)
    }
}
