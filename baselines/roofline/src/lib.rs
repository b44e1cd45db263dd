//! The roofline: a pseudo-store whose numbers are what memory alone costs behind the same driver.
//!
//! Its layout is fixed when it opens. It has no concurrency control, no growth and no key
//! comparison:
//!
//! * The **index** has one 8-byte word for each expected key: the offset (40 bits, in words) and
//!   the length (24 bits) of the key's object. The bits of a key select its word, so two keys may
//!   share one, and a get then returns *another key's value*.
//! * **Object memory** is one region, written as a ring. A session takes a share of it, appends
//!   values until the share is full, and takes the next one; after the last share comes the first
//!   again. Nothing is collected: an old object is overwritten while the index still leads to it.
//!
//! A get costs one random index line plus the object's lines, copied out. A put costs a sequential
//! copy and one store to the index. A batch fetches all index lines, then the lines of all objects,
//! then copies. Any store pays at least this much; whatever it pays beyond that is the cost of
//! being a store.
//!
//! With as many keys as words, a fraction e⁻¹ of the words belongs to no key, and as many objects
//! are never read again. So nearly two thirds of the memory are in use, spread over all of it.
//!
//! | file | what it holds |
//! |---|---|
//! | `disk` | the roofline of disks |
//! | `place` | a word of the index |
//! | `session` | the operations |
#![forbid(unsafe_code)]

pub mod disk;
pub mod place;
mod session;

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::{
    EngineTraits, FullMeaning, KvEngine, MemoryBound, MemoryCensus, OpenError, SessionError,
    Setting, Statistic, Writes,
};
use place::{OBJECT_WORDS_MAX, Place, VALUE_BYTES_MAX};
use platform::Pages;
use platform::mapping::HUGE_PAGE_BYTES;
use platform::racy::{WORD_BYTES, Words};
pub use session::RooflineSession;

/// Size of a session's share of object memory; at least eight of the longest values.
const SHARE_BYTES: usize = 1 << 20;

/// Odd, with bits as good as random, so that neighbouring keys are far apart.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Settings of a [`Roofline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// The most keys expected, inserts included: 8 bytes of index each.
    pub slots: u64,
    /// The longest value, below 16 MiB.
    pub value_bytes_max: usize,
    /// Memory for objects; values take multiples of 8 bytes.
    pub object_memory_bytes: u64,
    /// Whether index and object memory are made resident on opening.
    pub resident: bool,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
}

/// The pseudo-store; see the crate's documentation.
#[derive(Debug)]
pub struct Roofline {
    config: Config,
    index: Words,
    objects: Words,
    share_words: usize,
    shares: usize,
    /// Shares taken so far, over all rounds.
    taken: AtomicUsize,
}

impl Roofline {
    /// An empty pseudo-store.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if there are no slots, if the longest value is 16 MiB or more, or
    /// if object memory cannot hold such a value or exceeds 8 TiB; [`OpenError::OutOfMemory`] if
    /// the system has no address space for it.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let Config { slots, value_bytes_max, object_memory_bytes, resident, huge_pages } = config;
        let value_words = value_bytes_max.div_ceil(WORD_BYTES).max(1);
        let slots = usize::try_from(slots).ok().filter(|&slots| slots > 0).ok_or_else(|| {
            refused("slots", slots, "the number of keys expected, at least 1".to_owned())
        })?;
        if value_bytes_max > VALUE_BYTES_MAX {
            let accepted = format!("lengths up to {VALUE_BYTES_MAX} bytes");
            return Err(refused("value_bytes_max", value_bytes_max, accepted));
        }
        let object_words = usize::try_from(object_memory_bytes / WORD_BYTES as u64)
            .ok()
            .filter(|words| (value_words..=OBJECT_WORDS_MAX).contains(words))
            .ok_or_else(|| {
                let least = value_words * WORD_BYTES;
                let accepted = format!("{least} (one value) to {OBJECT_WORDS_MAX} * 8 bytes");
                refused("object_memory_bytes", object_memory_bytes, accepted)
            })?;
        let shares = (object_words / (SHARE_BYTES / WORD_BYTES).max(8 * value_words)).max(1);
        let pages = if huge_pages { Pages::Huge } else { Pages::Small };
        let map = |length: usize| {
            let out_of_memory = |_: io::Error| OpenError::OutOfMemory {
                wanted_bytes: (length as u64).saturating_mul(WORD_BYTES as u64),
            };
            Words::map(length, pages, resident).map_err(out_of_memory)
        };
        Ok(Self {
            config,
            index: map(slots)?,
            objects: map(object_words)?,
            share_words: object_words / shares,
            shares,
            taken: AtomicUsize::new(0),
        })
    }

    /// The word of a key: its upper bits, spread and scaled to the index.
    #[inline]
    fn slot_of(&self, key: u64) -> usize {
        let spread = u128::from(key.wrapping_mul(FACTOR));
        ((spread * self.index.all().len() as u128) >> 64) as usize
    }

    /// The next share of object memory, in words. If there are fewer shares than sessions, two
    /// sessions have the same one and overwrite each other.
    fn take_share(&self) -> Range<usize> {
        // Relaxed: a count orders nothing.
        let share = self.taken.fetch_add(1, Ordering::Relaxed) % self.shares;
        share * self.share_words..(share + 1) * self.share_words
    }
}

fn refused(setting: &str, value: impl std::fmt::Display, accepted: String) -> OpenError {
    OpenError::BadSetting { setting: setting.to_owned(), value: value.to_string(), accepted }
}

impl KvEngine for Roofline {
    const TRAITS: EngineTraits = EngineTraits {
        name: "roofline",
        description: "fixed layout, no keys compared, nothing synchronised: prices memory alone",
        full: FullMeaning::Evict,
        memory_bound: MemoryBound::Hard,
        value_bytes_max: VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        keeps_values: false,
        writes: Writes::Blind,
        ..EngineTraits::BASE
    };

    type Session<'engine> = RooflineSession<'engine>;

    fn session(&self) -> Result<RooflineSession<'_>, SessionError> {
        Ok(RooflineSession::new(self))
    }

    /// It does not know which objects are live, because old ones are overwritten without notice.
    fn memory(&self) -> MemoryCensus {
        let (object_memory_bytes, index_bytes) = (self.objects.bytes(), self.index.bytes());
        MemoryCensus {
            object_memory_bytes,
            index_bytes,
            capacity_bytes: Some(object_memory_bytes + index_bytes),
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        // Relaxed: a count orders nothing.
        let taken = self.taken.load(Ordering::Relaxed);
        let huge = self.objects.huge_bytes().zip(self.index.huge_bytes());
        let huge = huge
            .map(|(objects, index)| Statistic::new("huge_page_bytes", (objects + index) as f64));
        [Statistic::new("rounds", taken as f64 / self.shares as f64)]
            .into_iter()
            .chain(huge)
            .collect()
    }

    fn settings(&self) -> Vec<Setting> {
        vec![
            Setting::new("slots", self.config.slots),
            Setting::new("value-bytes-max", self.config.value_bytes_max),
            Setting::new("object-memory-bytes", self.config.object_memory_bytes),
            Setting::new("resident", self.config.resident),
            Setting::new("huge-pages", self.config.huge_pages),
        ]
    }

    /// Checks that every word of the index leads into object memory.
    fn check(&self) -> Result<(), String> {
        let object_words = self.objects.all().len();
        for (slot, word) in self.index.all().iter().enumerate() {
            // Relaxed: pairs with nothing; any word ever stored will do.
            let Some(place) = Place::of(word.load(Ordering::Relaxed)) else { continue };
            if place.at + place.words() > object_words {
                return Err(format!("slot {slot} leads to {place:?}, beyond {object_words} words"));
            }
        }
        Ok(())
    }
}
