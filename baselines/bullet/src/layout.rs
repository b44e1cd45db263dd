//! What lies where in persistent memory, and the header that says so.
//!
//! ```text
//! header │ bump │ log heads and tails │ redo areas │ arenas │ buckets │ log bodies │ blocks
//! ```

use platform::persist::{LINE_WORDS, Region};

use crate::digest::digest;
use crate::heap::ARENA_WORDS;
use crate::rung::Rung;

/// `NIBULLET`, as a number.
const MAGIC: u64 = u64::from_be_bytes(*b"NIBULLET");
/// The version of everything that this crate lays out in persistent memory.
pub(crate) const VERSION: u64 = 1;

/// Words of the header.
const MAGIC_AT: u64 = 0;
const VERSION_AT: u64 = 1;
const DIGEST_AT: u64 = 2;
const FIELDS_AT: u64 = 3;
const FIELDS: usize = 7;
/// Alone in its line: it changes with every recovery.
const GENERATION_AT: u64 = 2 * LINE_WORDS;
const BUMP_AT: u64 = 3 * LINE_WORDS;
const HEADER_WORDS: u64 = 4 * LINE_WORDS;

/// Head and tail have lines of their own: each is the commit point of something.
pub(crate) const LOG_STATE_WORDS: u64 = 2 * LINE_WORDS;
/// Words that a transaction may write.
pub(crate) const REDO_ENTRIES: u64 = 96;
const REDO_WORDS: u64 = LINE_WORDS + 2 * REDO_ENTRIES;
pub(crate) const BUCKET_WORDS: u64 = 2;

/// Sizes of a region, from which everything's place follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Of the whole region.
    pub(crate) words: u64,
    pub(crate) logs: u64,
    /// Of one log's body, whole lines.
    pub(crate) log_words: u64,
    pub(crate) buckets: u64,
    /// Redo areas, and arenas: one for each thread that runs transactions.
    pub(crate) slots: u64,
    pub(crate) rung: Rung,
    /// What live pairs may take.
    pub(crate) object_bytes: u64,
}

/// Why a region is not one of this layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    NotOurs,
    Version(u64),
    Header,
    Truncated { words: u64, wanted_words: u64 },
}

impl Layout {
    pub(crate) fn bump_at(&self) -> u64 {
        BUMP_AT
    }

    pub(crate) fn log_state_at(&self, log: u64) -> u64 {
        HEADER_WORDS + log * LOG_STATE_WORDS
    }

    pub(crate) fn redo_at(&self, slot: u64) -> u64 {
        self.log_state_at(self.logs) + slot * REDO_WORDS
    }

    pub(crate) fn arenas_at(&self) -> u64 {
        self.redo_at(self.slots)
    }

    pub(crate) fn buckets_at(&self) -> u64 {
        self.arenas_at() + self.slots * ARENA_WORDS
    }

    pub(crate) fn log_body_at(&self, log: u64) -> u64 {
        let buckets = (self.buckets * BUCKET_WORDS).next_multiple_of(LINE_WORDS);
        self.buckets_at() + buckets + log * self.log_words
    }

    /// Where blocks begin.
    pub(crate) fn heap_at(&self) -> u64 {
        self.log_body_at(self.logs)
    }

    fn fields(&self) -> [u64; FIELDS] {
        let rung = Rung::ALL.iter().position(|&rung| rung == self.rung).unwrap_or(0) as u64;
        let Self { words, logs, log_words, buckets, slots, object_bytes, .. } = *self;
        [words, logs, log_words, buckets, slots, rung, object_bytes]
    }

    /// Writes the header of an empty store into a region of zeros. The magic word persists last.
    pub(crate) fn format(&self, region: &Region) {
        region.store(VERSION_AT, VERSION);
        region.store(DIGEST_AT, digest(&self.fields()));
        region.store_all(FIELDS_AT, &self.fields());
        region.store(GENERATION_AT, 1);
        region.store(BUMP_AT, self.heap_at());
        region.flush(0, HEADER_WORDS);
        region.fence();
        region.store(MAGIC_AT, MAGIC);
        region.flush(MAGIC_AT, 1);
        region.fence();
    }

    /// Reads the header.
    pub(crate) fn of(region: &Region) -> Result<Self, Unreadable> {
        let truncated =
            |wanted_words| Unreadable::Truncated { words: region.length(), wanted_words };
        if region.length() < HEADER_WORDS {
            return Err(truncated(HEADER_WORDS));
        }
        if region.load(MAGIC_AT) != MAGIC {
            return Err(Unreadable::NotOurs);
        }
        match region.load(VERSION_AT) {
            VERSION => {}
            other => return Err(Unreadable::Version(other)),
        }
        let fields: [u64; FIELDS] = std::array::from_fn(|at| region.load(FIELDS_AT + at as u64));
        if region.load(DIGEST_AT) != digest(&fields) {
            return Err(Unreadable::Header);
        }
        let [words, logs, log_words, buckets, slots, rung, object_bytes] = fields;
        let rung = *Rung::ALL.get(rung as usize).ok_or(Unreadable::Header)?;
        if region.length() < words {
            return Err(truncated(words));
        }
        Ok(Self { words, logs, log_words, buckets, slots, rung, object_bytes })
    }

    pub(crate) fn generation(region: &Region) -> u64 {
        region.load(GENERATION_AT)
    }

    /// Begins a new generation, in which every lock is free; it is durable on return.
    pub(crate) fn next_generation(region: &Region) -> u64 {
        let next = region.load(GENERATION_AT) + 1;
        region.store(GENERATION_AT, next);
        region.flush(GENERATION_AT, 1);
        region.fence();
        next
    }
}
