//! A record of the log: how it is laid out, read, locked and overwritten.
//!
//! | word | contents |
//! |---|---|
//! | 0 | link: the previous record of the chain (48 bits), and the words by which the room exceeds the value (12) |
//! | 1 | key |
//! | 2 | [guard](crate::guard): version, lock, state, length of the value |
//! | 3 … | value, then unused room |
//!
//! All words are atomics, and values are copied by [`platform::racy`], so a race is never undefined.
//! A record's place, its room and its key never change once it is published. The rest changes only
//! under the record's lock:
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | HLOG-VALUE | `Record::lock`, fence | `Record::is_still`, fence | who copied any word of a new value finds another guard |
//! | HLOG-RECORD | `Locked::drop` | `Record::guard` | an unlocked guard shows all that was written before |

use std::sync::atomic::{AtomicU64, Ordering, fence};

use kit::spin::Spin;
use platform::racy::{WORD_BYTES, copy_in, copy_out};

use crate::address::{ADDRESS_BITS, Address};
use crate::guard::{Guard, State};

/// Words of a record before its value.
pub(crate) const HEADER_WORDS: usize = 3;
/// Bytes of a record before its value.
pub(crate) const HEADER_BYTES: u64 = (HEADER_WORDS * WORD_BYTES) as u64;

const LINK: usize = 0;
const KEY: usize = 1;
const GUARD: usize = 2;

const SLACK_BITS: u32 = 12;
/// The most words by which a record's room may exceed its value.
pub(crate) const SLACK_WORDS_MAX: u64 = (1 << SLACK_BITS) - 1;
/// Marks the first word of a gap, in which there is no record.
const GAP: u64 = 1 << 63;

const _: () = assert!(ADDRESS_BITS + SLACK_BITS < u64::BITS);

/// Words of a record whose room is as long as the value.
#[inline]
pub(crate) fn words_of(value_bytes: usize) -> u64 {
    (HEADER_WORDS + value_bytes.div_ceil(WORD_BYTES)) as u64
}

/// The first word of a gap of `words` words.
pub(crate) fn gap(words: u64) -> u64 {
    GAP | words
}

/// The length of the gap that begins with this word, if one does.
#[inline]
pub(crate) fn gap_words(word: u64) -> Option<u64> {
    (word & GAP != 0).then_some(word & !GAP)
}

/// A record's first word.
#[derive(Clone, Copy, Debug)]
struct Link {
    previous: Address,
    slack_words: u64,
}

impl Link {
    fn from_word(word: u64) -> Self {
        Self {
            previous: Address::from_word(word),
            slack_words: (word >> ADDRESS_BITS) & SLACK_WORDS_MAX,
        }
    }

    fn word(self) -> u64 {
        debug_assert!(self.slack_words <= SLACK_WORDS_MAX);
        self.previous.word() | (self.slack_words << ADDRESS_BITS)
    }
}

/// A record, or the place of one. It stays what it is as long as the caller is inside an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'log> {
    header: &'log [AtomicU64; HEADER_WORDS],
    /// All words behind the header, up to the ring's end.
    room: &'log [AtomicU64],
}

/// What a record is and how long, read in one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) state: State,
    pub(crate) value_bytes: usize,
    /// Words that the record takes in the log, which never change.
    pub(crate) extent_words: u64,
}

/// The result of a read, small enough for registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// The value's length; the value is in the buffer.
    Copied(usize),
    /// The length of a value that does not fit into the buffer.
    TooLong(usize),
    /// The key is deleted.
    Absent,
    /// Another record has taken its place: look again.
    Dead,
}

impl<'log> Record<'log> {
    /// The record at a place; `None` if none can begin there.
    #[inline]
    pub(crate) fn at(words: &'log [AtomicU64], place: usize) -> Option<Self> {
        let (header, room) = words.get(place..)?.split_first_chunk()?;
        Some(Self { header, room })
    }

    #[inline]
    pub(crate) fn key(self) -> u64 {
        // Relaxed: it was written before the record was published, and never changes.
        self.header[KEY].load(Ordering::Relaxed)
    }

    /// The record before this one in its chain.
    #[inline]
    pub(crate) fn previous(self) -> Address {
        self.link().previous
    }

    #[inline]
    fn link(self) -> Link {
        // Relaxed: as the key; its slack is validated by the guard, or read under the lock.
        Link::from_word(self.header[LINK].load(Ordering::Relaxed))
    }

    fn set_link(self, link: Link) {
        // Relaxed: published with the record, or by the guard.
        self.header[LINK].store(link.word(), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn guard(self) -> Guard {
        // HLOG-RECORD, to: an unlocked guard shows the value that belongs to it.
        Guard::from_word(self.header[GUARD].load(Ordering::Acquire))
    }

    /// Whether nothing was written since the guard was read, unlocked.
    #[inline]
    fn is_still(self, before: Guard) -> bool {
        // HLOG-VALUE, to: if a word came from a writer, the guard below is a later one.
        fence(Ordering::Acquire);
        // Relaxed: ordered by the fence.
        self.header[GUARD].load(Ordering::Relaxed) == before.word()
    }

    #[inline]
    fn value(self, value_bytes: usize) -> &'log [AtomicU64] {
        &self.room[..value_bytes.div_ceil(WORD_BYTES)]
    }

    /// Copies the value out. `ahead` is told the value's length before the copy.
    #[inline]
    pub(crate) fn read(self, buffer: &mut [u8], ahead: impl Fn(usize)) -> Read {
        let mut spin = Spin::default();
        loop {
            let guard = self.guard();
            if !guard.is_locked() {
                match guard.state() {
                    State::Live => {}
                    State::Tombstone => return Read::Absent,
                    State::Dead => return Read::Dead,
                }
                let value_bytes = guard.value_bytes();
                let Some(front) = buffer.get_mut(..value_bytes) else {
                    return Read::TooLong(value_bytes);
                };
                ahead(value_bytes);
                copy_out(self.value(value_bytes), front);
                if self.is_still(guard) {
                    return Read::Copied(value_bytes);
                }
            }
            spin.wait();
        }
    }

    /// What it is and how long, while nobody writes it.
    #[inline]
    pub(crate) fn standing(self) -> Standing {
        let mut spin = Spin::default();
        loop {
            let guard = self.guard();
            let slack_words = self.link().slack_words;
            if !guard.is_locked() && self.is_still(guard) {
                let value_bytes = guard.value_bytes();
                let extent_words = words_of(value_bytes) + slack_words;
                return Standing { state: guard.state(), value_bytes, extent_words };
            }
            spin.wait();
        }
    }

    /// Waits until nobody else writes the record, and keeps all others from doing so.
    ///
    /// A thread locks one record at a time and waits for nobody while it does, so no two can wait
    /// for each other.
    #[inline]
    pub(crate) fn lock(self) -> Locked<'log> {
        let mut spin = Spin::default();
        loop {
            let guard = self.guard();
            let word = &self.header[GUARD];
            // Acquire: pairs with the release of the last lock's drop. Relaxed on failure: nothing
            // follows.
            let exchange = |to: Guard| {
                word.compare_exchange_weak(
                    guard.word(),
                    to.word(),
                    Ordering::Acquire,
                    Ordering::Relaxed,
                )
            };
            if !guard.is_locked() && exchange(guard.locked()).is_ok() {
                // HLOG-VALUE, from: the lock is seen before anything that is written under it.
                fence(Ordering::Release);
                return Locked { record: self, before: guard, after: guard };
            }
            spin.wait();
        }
    }

    /// Writes a record that is not yet published.
    #[inline]
    pub(crate) fn write(self, key: u64, value: &[u8]) {
        self.begin(key, value.len());
        copy_in(self.value(value.len()), value);
    }

    /// Writes a copy of a locked record, without slack. It is not yet published.
    pub(crate) fn write_copy(self, from: &Locked<'_>) {
        let value_bytes = from.value_bytes();
        self.begin(from.record.key(), value_bytes);
        for (to, from) in self.value(value_bytes).iter().zip(from.record.value(value_bytes)) {
            // Relaxed: the lock keeps writers away, and publishing shows the copy.
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    #[inline]
    fn begin(self, key: u64, value_bytes: usize) {
        self.set_previous(Address::NONE);
        // Relaxed, here and below: published later.
        self.header[KEY].store(key, Ordering::Relaxed);
        self.header[GUARD].store(Guard::new(value_bytes).word(), Ordering::Relaxed);
    }

    /// Links a record that is not yet published to what will be behind it.
    #[inline]
    pub(crate) fn set_previous(self, previous: Address) {
        self.set_link(Link { previous, slack_words: 0 });
    }

    /// Gives up a record that was never published.
    #[cold]
    pub(crate) fn abandon(self) {
        let guard = self.guard();
        let dead = guard.next(State::Dead, guard.value_bytes());
        // Relaxed: nobody else knows the record until everything around it is written.
        self.header[GUARD].store(dead.word(), Ordering::Relaxed);
    }
}

/// A record that nobody else writes until this is dropped.
#[derive(Debug)]
pub(crate) struct Locked<'log> {
    record: Record<'log>,
    before: Guard,
    /// The guard from the drop on: as before, if nothing is changed.
    after: Guard,
}

impl Locked<'_> {
    #[inline]
    pub(crate) fn state(&self) -> State {
        self.before.state()
    }

    #[inline]
    pub(crate) fn value_bytes(&self) -> usize {
        self.before.value_bytes()
    }

    /// Words that the record takes in the log.
    #[inline]
    pub(crate) fn extent_words(&self) -> u64 {
        words_of(self.value_bytes()) + self.record.link().slack_words
    }

    /// The slack beside a value of another length; `None` if the value does not fit the record's
    /// room, or would leave more slack than can be described.
    fn slack_words(&self, value_bytes: usize) -> Option<u64> {
        let slack_words = self.extent_words().checked_sub(words_of(value_bytes));
        slack_words.filter(|&slack| slack <= SLACK_WORDS_MAX)
    }

    /// Whether the record can take a value of this length.
    #[inline]
    pub(crate) fn fits(&self, value_bytes: usize) -> bool {
        value_bytes == self.value_bytes() || self.slack_words(value_bytes).is_some()
    }

    /// Overwrites the value with one that fits. At most one change per lock.
    #[inline]
    pub(crate) fn overwrite(&mut self, value: &[u8]) {
        if value.len() != self.value_bytes() {
            let slack_words = self.slack_words(value.len()).expect("a value that fits");
            let previous = self.record.previous();
            self.record.set_link(Link { previous, slack_words });
        }
        copy_in(self.record.value(value.len()), value);
        self.after = self.before.next(State::Live, value.len());
    }

    /// Changes what the record is; the value stays. At most one change per lock.
    #[inline]
    pub(crate) fn set_state(&mut self, state: State) {
        self.after = self.before.next(state, self.value_bytes());
    }
}

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        // HLOG-RECORD, from: everything written under the lock, and every entry exchanged.
        self.record.header[GUARD].store(self.after.word(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
