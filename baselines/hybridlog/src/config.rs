//! Settings of a store, and the sizes derived from them.

use std::fmt::Display;

use engine::{OpenError, Options, Rule, Setup};
use platform::racy::WORD_BYTES;

use crate::epoch::SESSIONS_MAX;
use crate::guard::VALUE_BYTES_MAX;
use crate::record::{HEADER_WORDS, words_of};

const OBJECT_MEMORY_BYTES_MIN: u64 = 1 << 20;
const OBJECT_MEMORY_BYTES_MAX: u64 = 1 << 42;
const RECORDS_MAX: u64 = 1 << 40;
const RESERVE_PERCENT_MAX: u32 = 50;
/// One compacts at a time: what is oldest is one place.
const COMPACTION_WORKERS_MAX: usize = 1;

/// The original's page of 32 MiB.
const PAGE_WORDS_MAX: u64 = (32 << 20) / WORD_BYTES as u64;
/// A ring has at least so many pages: in a small memory they are shorter.
const PAGES_MIN: u64 = 64;
/// A ring has room for at least so many of the longest records.
const RECORDS_MIN: u64 = 16;
/// Records per main bucket when a store holds all the records it is sized for. At this load one main
/// bucket in 37 overflows.
const RECORDS_PER_BUCKET: f64 = 3.5;
/// One overflow bucket for so many main ones, and some for stores with few.
const MAIN_PER_OVERFLOW: usize = 10;
const OVERFLOW_BUCKETS_MIN: usize = 64;

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;
/// The longest value that a store accepts whatever its workload says, unless its memory is small.
const VALUE_BYTES_USUAL: usize = 1 << 20;

/// Settings of a [`HybridLog`](crate::HybridLog).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Memory for the log, from 1 MiB to 4 TiB. The index comes on top.
    pub object_memory_bytes: u64,
    /// Number of records that the index is sized for, at about 20 bytes each. More may fit; they
    /// are refused when overflow buckets run out.
    pub records_max: u64,
    /// The longest value, at most what fits into a sixteenth of the memory. Compaction needs a
    /// reserve of some such values.
    pub value_bytes_max: usize,
    /// Part of the memory behind the tail in which values are overwritten in place, from 0 to 1.
    pub mutable_fraction: f64,
    /// Part of the memory that live records must leave free, in percent, from 1 to 50. Less holds
    /// more; more makes compaction cheaper.
    pub reserve_percent: u32,
    /// Threads that compact ahead of need: 0 or 1. Sessions that find no room compact in any case.
    pub compaction_workers: usize,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
    /// Whether to make log and index resident on opening.
    pub resident: bool,
}

impl Config {
    /// Values up to 1 MiB, nine tenths mutable, a reserve of 5 %, no thread of its own, huge pages,
    /// memory touched on first use.
    #[must_use]
    pub fn new(object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            object_memory_bytes,
            records_max,
            value_bytes_max: VALUE_BYTES_USUAL,
            mutable_fraction: 0.9,
            reserve_percent: 5,
            compaction_workers: 0,
            huge_pages: true,
            resident: false,
        }
    }

    /// The settings of a cell.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        check_sessions(setup)?;
        let ample = (setup.live_bytes / 100 * AMPLE_PERCENT).max(64 << 20);
        let memory = setup.object_memory_bytes.unwrap_or(ample);
        let mut config = Self::new(memory, setup.records_max.max(1));
        // In a small memory, reserves for values that nobody puts would leave little room.
        let usual = usize::try_from(memory / 256).unwrap_or(usize::MAX).min(VALUE_BYTES_USUAL);
        config.value_bytes_max = setup.value_bytes_max.max(usual);
        config.resident = setup.resident;
        options.decimal("mutable-fraction", &mut config.mutable_fraction, 1)?;
        let reserve = 1..=u64::from(RESERVE_PERCENT_MAX);
        options.whole("reserve-percent", &mut config.reserve_percent, reserve)?;
        let workers = 0..=COMPACTION_WORKERS_MAX as u64;
        options.whole("compaction-workers", &mut config.compaction_workers, workers)?;
        options.switch("huge-pages", &mut config.huge_pages)?;
        options.switch("resident", &mut config.resident)?;
        let limit_bytes = Sizes::of(&config)?.value_bytes_max;
        if limit_bytes < setup.value_bytes_max {
            options.tell(format!(
                "refuses values above {limit_bytes} bytes: a record takes at most a sixteenth of \
                 the object memory"
            ));
        }
        Ok(config)
    }
}

/// Refuses more threads than there are sessions for.
fn check_sessions(setup: &Setup) -> Result<(), OpenError> {
    if setup.sessions <= SESSIONS_MAX {
        return Ok(());
    }
    Err(OpenError::Refused {
        setting: "threads".to_owned(),
        value: setup.sessions.to_string(),
        rule: Rule::Whole((1..=SESSIONS_MAX as u64).into()),
    })
}

/// Sizes derived from a [`Config`]. Words have eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) ring_words: u64,
    /// A power of two: what compaction empties in one turn, and how often the read-only region
    /// follows the tail.
    pub(crate) page_words: u64,
    /// Words behind the tail that are mutable; `None` if none are.
    pub(crate) mutable_words: Option<u64>,
    /// What sessions leave to compaction; see [`Sizes::reserves`].
    pub(crate) reserve_words: u64,
    /// The most words that live records may take.
    pub(crate) bound_words: u64,
    /// Room that a worker keeps ahead of sessions.
    pub(crate) mark_words: u64,
    pub(crate) main_buckets: usize,
    pub(crate) overflow_buckets: usize,
    /// The longest value that it accepts.
    pub(crate) value_bytes_max: usize,
}

impl Sizes {
    /// # Errors
    /// [`OpenError::BadSetting`] for settings out of range.
    pub(crate) fn of(config: &Config) -> Result<Self, OpenError> {
        check(config)?;
        let ring_words = config.object_memory_bytes / WORD_BYTES as u64;
        let page_words = (1_u64 << (ring_words / PAGES_MIN).ilog2()).min(PAGE_WORDS_MAX);
        let longest_bytes = (ring_words / RECORDS_MIN) as usize * WORD_BYTES;
        let value_bytes_max = config
            .value_bytes_max
            .min(VALUE_BYTES_MAX)
            .min(longest_bytes - HEADER_WORDS * WORD_BYTES);
        let mutable_words = (config.mutable_fraction * ring_words as f64) as u64;
        let main_buckets = (config.records_max as f64 / RECORDS_PER_BUCKET).ceil() as usize;
        let overflow_buckets = main_buckets / MAIN_PER_OVERFLOW + OVERFLOW_BUCKETS_MIN;
        let sizes = Self {
            ring_words,
            page_words,
            mutable_words: (config.mutable_fraction > 0.0).then_some(mutable_words),
            reserve_words: 0,
            bound_words: 0,
            mark_words: 0,
            main_buckets,
            overflow_buckets,
            value_bytes_max,
        };
        Ok(sizes.reserves(config.reserve_percent))
    }

    /// Derives what must stay free, so that compaction always ends with room for a session.
    ///
    /// Let a record have at most *r* words. A turn empties one page and what a record has beyond
    /// it, and copies as much at most. Whatever goes around the ring's end leaves a gap below *r*,
    /// of which the log holds two at most and a turn makes one. So sessions that leave *page + 4 r*
    /// words free never leave a turn without room. When every page has had its turn, the log holds
    /// live records and two gaps. If those leave *4 r* more words free, a session finds room for a
    /// record and a gap.
    fn reserves(self, reserve_percent: u32) -> Self {
        let record_words = words_of(self.value_bytes_max);
        let reserve_words = self.page_words + 4 * record_words;
        let usable_words = self.ring_words - reserve_words;
        let kept_words = self.ring_words / 100 * u64::from(100 - reserve_percent);
        let bound_words = kept_words.min(usable_words - 4 * record_words);
        // Half of what is left when every page has had its turn.
        let mark_words = (usable_words - bound_words - 2 * record_words) / 2;
        Self { reserve_words, bound_words, mark_words, ..self }
    }
}

fn check(config: &Config) -> Result<(), OpenError> {
    let Config { object_memory_bytes, records_max, mutable_fraction, .. } = *config;
    let memory = OBJECT_MEMORY_BYTES_MIN..=OBJECT_MEMORY_BYTES_MAX;
    if !memory.contains(&object_memory_bytes) {
        let accepted = format!("{OBJECT_MEMORY_BYTES_MIN} to {OBJECT_MEMORY_BYTES_MAX}");
        return Err(refused("object_memory_bytes", object_memory_bytes, accepted));
    }
    if !(1..=RECORDS_MAX).contains(&records_max) {
        return Err(refused("records_max", records_max, format!("1 to {RECORDS_MAX}")));
    }
    if !(0.0..=1.0).contains(&mutable_fraction) {
        return Err(refused("mutable_fraction", mutable_fraction, "0 to 1".to_owned()));
    }
    if !(1..=RESERVE_PERCENT_MAX).contains(&config.reserve_percent) {
        let accepted = format!("1 to {RESERVE_PERCENT_MAX}");
        return Err(refused("reserve_percent", config.reserve_percent, accepted));
    }
    if config.compaction_workers > COMPACTION_WORKERS_MAX {
        let accepted = format!("0 to {COMPACTION_WORKERS_MAX}: one compacts at a time");
        return Err(refused("compaction_workers", config.compaction_workers, accepted));
    }
    Ok(())
}

fn refused(setting: &str, value: impl Display, accepted: String) -> OpenError {
    OpenError::BadSetting { setting: setting.to_owned(), value: value.to_string(), accepted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let good = Config::new(64 << 20, 1000);
        let cases = [
            (Config { object_memory_bytes: 1 << 19, ..good }, "object_memory_bytes"),
            (Config { object_memory_bytes: u64::MAX, ..good }, "object_memory_bytes"),
            (Config { records_max: 0, ..good }, "records_max"),
            (Config { records_max: u64::MAX, ..good }, "records_max"),
            (Config { mutable_fraction: -0.1, ..good }, "mutable_fraction"),
            (Config { mutable_fraction: 1.1, ..good }, "mutable_fraction"),
            (Config { mutable_fraction: f64::NAN, ..good }, "mutable_fraction"),
            (Config { reserve_percent: 0, ..good }, "reserve_percent"),
            (Config { reserve_percent: 51, ..good }, "reserve_percent"),
            (Config { compaction_workers: 2, ..good }, "compaction_workers"),
        ];
        for (config, name) in cases {
            match Sizes::of(&config) {
                Err(OpenError::BadSetting { setting, .. }) => assert_eq!(setting, name),
                other => panic!("{config:?} gave {other:?}"),
            }
        }
        assert!(Sizes::of(&good).is_ok());
    }

    #[test]
    fn large_memories_have_the_originals_pages_and_small_ones_shorter() {
        let of = |bytes| Sizes::of(&Config::new(bytes, 1000)).unwrap();
        assert_eq!(of(8 << 30).page_words * 8, 32 << 20);
        assert_eq!(of(64 << 20).page_words * 8, 1 << 20);
        assert_eq!(of(100 << 20).page_words * 8, 1 << 20);
        assert_eq!(of(1 << 20).page_words * 8, 16 << 10);
    }

    #[test]
    fn live_data_leaves_what_is_said_and_what_compaction_needs() {
        for bytes in [1 << 20, 10 << 20, 64 << 20, 4 << 30] {
            for value_bytes_max in [0, 100, 1 << 20, usize::MAX] {
                for reserve_percent in [1, 5, 50] {
                    let config =
                        Config { value_bytes_max, reserve_percent, ..Config::new(bytes, 1000) };
                    let sizes = Sizes::of(&config).unwrap();
                    let record_words = words_of(sizes.value_bytes_max);
                    assert!(sizes.bound_words >= 2 * record_words, "{sizes:?}");
                    let most = sizes.ring_words * u64::from(100 - reserve_percent) / 100;
                    assert!(sizes.bound_words <= most, "{sizes:?}");
                    let left = sizes.ring_words - sizes.bound_words;
                    assert!(left >= sizes.reserve_words + 4 * record_words, "{sizes:?}");
                    assert!(sizes.mark_words >= record_words, "{sizes:?}");
                }
            }
        }
        let sizes =
            Sizes::of(&Config { value_bytes_max: 1024, ..Config::new(4 << 30, 1) }).unwrap();
        let percent = sizes.bound_words * 100 / sizes.ring_words;
        assert_eq!(percent, 94, "of a usual memory, nothing but the stated reserve is lost");
    }

    #[test]
    fn an_index_takes_about_twenty_bytes_a_record() {
        let sizes = Sizes::of(&Config::new(64 << 20, 1 << 20)).unwrap();
        let bytes = 64.0 * (sizes.main_buckets + sizes.overflow_buckets) as f64;
        let bytes_per_record = bytes / f64::from(1 << 20);
        assert!((19.0..21.0).contains(&bytes_per_record), "{bytes_per_record}");
    }
}
