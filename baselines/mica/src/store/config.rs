//! Settings of a store, and the sizes derived from them.

use std::fmt;
use std::str::FromStr;

use engine::OpenError;
use platform::racy::WORD_BYTES;

use super::bucket::{BUCKET_ENTRIES, SPARES_MAX};
use super::chunk::{CHUNK_WORDS_MAX, CHUNK_WORDS_MIN, HEADER_WORDS, VALUE_BYTES_MAX};
use super::classes::Classes;
use super::heap::usable_words;
use crate::keyhash::{BUCKETS_MAX, KeyHasher, PARTITIONS_MAX};

/// Records per main bucket when a partition holds all the records it is sized for. At this load one
/// main bucket in twelve overflows, so one spare bucket for every ten main buckets suffices.
const RECORDS_PER_BUCKET: f64 = 4.5;
const _: () = assert!(RECORDS_PER_BUCKET < BUCKET_ENTRIES as f64);
/// How many standard deviations above its share a partition is sized for.
const DEVIATIONS: f64 = 4.0;

/// Whose configuration a store follows, where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The thesis: the heap's classes start at the smallest chunk; a fast hash.
    #[default]
    Thesis,
    /// The system that the Nibble paper measured: classes offset by 256 bytes, with all smaller
    /// chunks in the first; `SipHash`; any thread may access any partition.
    NibblePaper,
}

impl Preset {
    /// The hash function.
    #[must_use]
    pub fn hasher(self) -> KeyHasher {
        match self {
            Self::Thesis => KeyHasher::Mix,
            Self::NibblePaper => KeyHasher::SipHash,
        }
    }

    pub(super) fn classes(self) -> Classes {
        Classes::from_words(match self {
            Self::Thesis => CHUNK_WORDS_MIN,
            Self::NibblePaper => 256 / WORD_BYTES,
        })
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Thesis => "thesis",
            Self::NibblePaper => "nibble-paper",
        })
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "thesis" => Ok(Self::Thesis),
            "nibble-paper" => Ok(Self::NibblePaper),
            _ => Err(format!("no preset is named `{name}`: there are thesis and nibble-paper")),
        }
    }
}

/// Settings of a [`Mica`](super::Mica) in store mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Memory for the items of all partitions; the index comes on top.
    pub object_memory_bytes: u64,
    /// Number of partitions, a power of two up to 4096. Each has an equal part of the object memory
    /// and of the index, a heap and, if any session may write, a lock.
    pub partitions: usize,
    /// Number of records that the index is sized for, at about 16 bytes each. More may fit; they
    /// are refused when spare buckets run out.
    pub records_max: u64,
    /// Whose configuration to follow.
    pub preset: Preset,
    /// Spare buckets, in percent of the main ones.
    pub spare_percent: u32,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
    /// Whether to make index and object memory resident on opening.
    pub resident: bool,
}

impl Config {
    /// 16 partitions, the thesis' preset, 10 % spare buckets, huge pages, memory touched on first
    /// use.
    #[must_use]
    pub fn new(object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            object_memory_bytes,
            partitions: 16,
            records_max,
            preset: Preset::Thesis,
            spare_percent: 10,
            huge_pages: true,
            resident: false,
        }
    }

    /// The object memory in use: what is left over in each partition is shorter than a word.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for settings that cannot be met.
    pub fn object_memory_in_use(&self) -> Result<u64, OpenError> {
        let sizes = Sizes::of(self)?;
        Ok((sizes.arena_words * self.partitions * WORD_BYTES) as u64)
    }
}

/// Sizes derived from a [`Config`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) partition_bits: u32,
    pub(super) arena_words: usize,
    pub(super) main_buckets: usize,
    pub(super) spare_buckets: usize,
    /// The longest value that fits into an empty partition.
    pub(super) value_bytes_max: usize,
}

impl Sizes {
    /// # Errors
    /// [`OpenError::BadSetting`], as for [`Mica::open`](super::Mica::open).
    pub(super) fn of(config: &Config) -> Result<Self, OpenError> {
        let Config { object_memory_bytes, partitions, records_max, spare_percent, .. } = *config;
        if !partitions.is_power_of_two() || partitions > PARTITIONS_MAX {
            let accepted = format!("powers of two up to {PARTITIONS_MAX}");
            return Err(refused("partitions", partitions, accepted));
        }
        let arena_words_min = usable_words(CHUNK_WORDS_MIN + 2);
        let arena_words = usize::try_from(object_memory_bytes).ok();
        let arena_words = arena_words
            .map(|bytes| bytes / WORD_BYTES / partitions)
            .filter(|words| (arena_words_min..=CHUNK_WORDS_MAX).contains(words))
            .ok_or_else(|| {
                let unit = partitions * WORD_BYTES;
                let accepted = format!("{unit} times {arena_words_min} to {CHUNK_WORDS_MAX}");
                refused("object_memory_bytes", object_memory_bytes, accepted)
            })?;
        let main_buckets = main_buckets(records_max, partitions);
        if records_max == 0 || main_buckets > BUCKETS_MAX {
            let accepted = format!("1 to about 4 * {BUCKETS_MAX} for each partition");
            return Err(refused("records_max", records_max, accepted));
        }
        let spare_buckets = (main_buckets * spare_percent as usize).div_ceil(100);
        if spare_buckets > SPARES_MAX || spare_percent > 1000 {
            let accepted = format!("0 to 1000, at most {SPARES_MAX} buckets of a partition");
            return Err(refused("spare_percent", spare_percent, accepted));
        }
        let room_bytes = (usable_words(arena_words) - HEADER_WORDS) * WORD_BYTES;
        Ok(Self {
            partition_bits: partitions.trailing_zeros(),
            arena_words,
            main_buckets,
            spare_buckets,
            value_bytes_max: room_bytes.min(VALUE_BYTES_MAX),
        })
    }
}

/// Main buckets of a partition. It is sized for more than its share of the records, because hashes
/// distribute records unevenly over partitions and buckets.
fn main_buckets(records_max: u64, partitions: usize) -> usize {
    let share = records_max as f64 / partitions as f64;
    let buckets = (share + DEVIATIONS * share.sqrt()) / RECORDS_PER_BUCKET;
    (buckets + buckets.sqrt()).ceil() as usize
}

pub(super) fn refused(
    setting: &str,
    value: impl fmt::Display,
    accepted: impl Into<String>,
) -> OpenError {
    OpenError::BadSetting {
        setting: setting.to_owned(),
        value: value.to_string(),
        accepted: accepted.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(change: impl Fn(&mut Config)) -> Result<Sizes, OpenError> {
        let mut config = Config::new(1 << 20, 1 << 20);
        change(&mut config);
        Sizes::of(&config)
    }

    #[test]
    fn settings_that_cannot_be_met_are_refused_by_name() {
        let refused = |setting: &str, change: fn(&mut Config)| {
            let error = sizes(change).expect_err("it is refused");
            assert!(
                matches!(&error, OpenError::BadSetting { setting: name, .. } if name == setting),
                "{error}"
            );
        };
        refused("partitions", |config| config.partitions = 0);
        refused("partitions", |config| config.partitions = 3);
        refused("partitions", |config| config.partitions = 8192);
        refused("object_memory_bytes", |config| config.object_memory_bytes = 16 * 32);
        refused("object_memory_bytes", |config| config.object_memory_bytes = u64::MAX);
        refused("records_max", |config| config.records_max = 0);
        refused("records_max", |config| config.records_max = u64::MAX);
        refused("spare_percent", |config| config.spare_percent = 1001);
    }

    #[test]
    fn sizes_are_within_reason() {
        let sizes = sizes(|_| ()).unwrap();
        assert_eq!(sizes.arena_words, (1 << 17) / 16);
        assert_eq!(sizes.value_bytes_max, (8192 - 3) * 8);
        let bytes = 64.0 * 16.0 * (sizes.main_buckets + sizes.spare_buckets) as f64;
        let bytes_per_record = bytes / f64::from(1 << 20);
        assert!((15.0..17.0).contains(&bytes_per_record), "{bytes_per_record}");
    }

    #[test]
    fn presets_are_read_as_they_are_written() {
        for preset in [Preset::Thesis, Preset::NibblePaper] {
            assert_eq!(preset.to_string().parse(), Ok(preset));
        }
        assert!("paper".parse::<Preset>().unwrap_err().contains("nibble-paper"));
    }
}
