//! The definition of a workload.

use std::error::Error;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Groups, Mix, MixError, Request, presets};
use crate::distribution::{ParseKeyDistributionError, ParseSizeDistributionError};
use crate::keys::KEY_BYTES;
use crate::value::HEADER_BYTES;
use crate::{KEY_BYTES_MAX, KeyDistribution, Seed, SizeDistribution, Spelling};

/// A mix of requests over records, and the sizes of their values.
///
/// Serialised as, for example:
///
/// ```toml
/// name        = "mine"
/// mix         = { get = 90, insert = 5, delete = 5 }   # per cent, together 100
/// keys        = "zipfian:0.99"
/// value-bytes = "100-1000"
/// key-bytes   = "16"               # optional: keys are byte strings
/// churn       = true               # optional, like everything below
/// churn-value-bytes = "1KiB"       # sizes of inserted values, where they differ
/// together    = 4                  # records of a group
/// lifetime-ms = 2000               # how long the values of write-expiring live
/// scan-entries = [1, 100]
/// modelled-key-bytes = 8
/// source      = "a guess"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// `remote`: the derived functions become associated ones, so that reading can validate.
#[serde(remote = "Self", rename_all = "kebab-case", deny_unknown_fields)]
pub struct Workload {
    /// A short name for rows and figures: letters, digits, `-` and `_`.
    pub name: String,
    /// The shares of the kinds of requests.
    pub mix: Mix,
    /// How popular the records are.
    pub keys: KeyDistribution,
    /// Sizes of loaded and written values, in bytes.
    pub value_bytes: SizeDistribution,
    /// Lengths of keys that are byte strings, in bytes; without them, keys are words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_bytes: Option<SizeDistribution>,
    /// Sizes of the values that churn inserts, if they differ from the loaded ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub churn_value_bytes: Option<SizeDistribution>,
    /// How many records belong to a group, for mixes that write or read groups ([`Groups`]).
    #[serde(default = "default_together", skip_serializing_if = "is_default_together")]
    pub together: usize,
    /// How long values live that `write-expiring` writes, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_ms: Option<u64>,
    /// The fewest and the most entries of a scan; scan lengths are uniform between them.
    #[serde(default = "default_scan_entries")]
    pub scan_entries: (usize, usize),
    /// With churn, the combined share of INSERT and DELETE consists of steps that keep live bytes
    /// constant: a DELETE if the next value would not fit into the loaded volume, else an INSERT. A
    /// thread's live bytes never exceed what it loaded, and before each DELETE they fall short of
    /// it by less than one value.
    #[serde(default)]
    pub churn: bool,
    /// The length of keys in the modelled system. Our keys have 8 bytes; presets add the difference
    /// to every value. 8 means nothing was added.
    #[serde(default = "default_key_bytes")]
    pub modelled_key_bytes: usize,
    /// Where the numbers come from, and how certain they are.
    #[serde(default)]
    pub source: String,
}

/// The longest lifetime: thirty days, which is the longest of some caches.
const LIFETIME_MS_MAX: u64 = 30 * 24 * 60 * 60 * 1000;

const fn default_together() -> usize {
    Groups::TOGETHER_USUAL
}

fn is_default_together(together: &usize) -> bool {
    *together == Groups::TOGETHER_USUAL
}

pub(super) const SCAN_ENTRIES: (usize, usize) = (1, 100);

const fn default_scan_entries() -> (usize, usize) {
    SCAN_ENTRIES
}

const fn default_key_bytes() -> usize {
    KEY_BYTES
}

impl Workload {
    /// The built-in workload with this name. Every `get-PERCENT` is one.
    pub fn by_name(name: &str) -> Option<Self> {
        presets::by_name(name)
    }

    /// The names of the built-in workloads, grouped by kinship.
    pub fn names() -> Vec<String> {
        presets::names()
    }

    /// Checks that the workload can run. Reading a file checks this, and
    /// [`RequestStream::new`](super::RequestStream::new) checks it again, because the fields are
    /// public.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        let readable = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if self.name.is_empty() || !self.name.chars().all(readable) {
            return Err(WorkloadError::Name { name: self.name.clone() });
        }
        self.mix.validate().map_err(WorkloadError::Mix)?;
        self.keys.validate().map_err(WorkloadError::Keys)?;
        for sizes in self.sizes() {
            sizes.validate().map_err(WorkloadError::Sizes)?;
        }
        let bytes = self.value_bytes_max();
        if bytes > Request::SIZE_MAX {
            return Err(WorkloadError::ValueTooLarge { bytes });
        }
        let (from, to) = self.scan_entries;
        if from == 0 || from > to || to > Request::SIZE_MAX {
            return Err(WorkloadError::ScanEntries { from, to });
        }
        if self.modelled_key_bytes < KEY_BYTES {
            return Err(WorkloadError::KeyBytes { bytes: self.modelled_key_bytes });
        }
        self.validate_key_bytes()?;
        self.validate_groups()?;
        self.validate_lifetimes()?;
        self.validate_churn()
    }

    fn validate_groups(&self) -> Result<(), WorkloadError> {
        let (together, mix) = (self.together, &self.mix);
        if !(2..=Groups::TOGETHER_MAX).contains(&together) {
            return Err(WorkloadError::Together { together });
        }
        if !self.is_of_moments() {
            return Ok(());
        }
        if let Some(sizes) = &self.key_bytes {
            return Err(WorkloadError::GroupsOfWords { sizes: sizes.to_string() });
        }
        let comes_and_goes = self.inserts() || self.deletes();
        let written_alone = mix.update + mix.read_modify_write > 0.0;
        if comes_and_goes || (self.writes_together() && written_alone) {
            return Err(WorkloadError::GroupsWrittenApart { mix: *mix });
        }
        let bytes = self.value_bytes.min();
        if self.writes_together() && bytes < HEADER_BYTES {
            return Err(WorkloadError::GroupsUnstamped { bytes });
        }
        Ok(())
    }

    fn validate_lifetimes(&self) -> Result<(), WorkloadError> {
        match self.lifetime_ms {
            None if self.expires() => return Err(WorkloadError::LifetimeMissing),
            Some(lifetime_ms) if !self.expires() => {
                return Err(WorkloadError::LifetimeUnused { lifetime_ms });
            }
            Some(lifetime_ms) if !(1..=LIFETIME_MS_MAX).contains(&lifetime_ms) => {
                return Err(WorkloadError::Lifetime { lifetime_ms });
            }
            _ => {}
        }
        let mix = self.mix;
        if self.expires() && mix != (Mix { get: mix.get, ..Mix::expiring(mix.write_expiring) }) {
            return Err(WorkloadError::ExpiringWrittenApart { mix });
        }
        Ok(())
    }

    fn validate_key_bytes(&self) -> Result<(), WorkloadError> {
        let Some(sizes) = &self.key_bytes else { return Ok(()) };
        sizes.validate().map_err(WorkloadError::Sizes)?;
        let bytes = sizes.max();
        if bytes > KEY_BYTES_MAX {
            return Err(WorkloadError::KeyLength { bytes });
        }
        if self.modelled_key_bytes != KEY_BYTES {
            return Err(WorkloadError::KeysModelled { bytes: self.modelled_key_bytes });
        }
        Ok(())
    }

    fn validate_churn(&self) -> Result<(), WorkloadError> {
        match (&self.churn_value_bytes, self.churn) {
            (Some(sizes), false) => {
                Err(WorkloadError::SizesWithoutChurn { sizes: sizes.to_string() })
            }
            (_, true) if self.mix.insert + self.mix.delete == 0.0 => {
                Err(WorkloadError::ChurnWithoutShare { mix: self.mix })
            }
            (_, true) if self.sizes().any(|sizes| sizes.min() == 0) => {
                Err(WorkloadError::EmptyChurn)
            }
            _ => Ok(()),
        }
    }

    fn sizes(&self) -> impl Iterator<Item = &SizeDistribution> {
        [Some(&self.value_bytes), self.churn_value_bytes.as_ref()].into_iter().flatten()
    }

    /// The mean size of a loaded or updated value, in bytes.
    pub fn mean_value_bytes(&self) -> f64 {
        self.value_bytes.mean()
    }

    /// How keys are spelled, if they are byte strings.
    pub fn spelling(&self) -> Option<Spelling> {
        self.key_bytes.as_ref().map(Spelling::new)
    }

    /// The mean length of the keys of so many records, in bytes.
    pub fn mean_key_bytes(&self, records: u64) -> f64 {
        self.spelling().map_or(KEY_BYTES as f64, |spelling| spelling.mean_bytes(records))
    }

    /// The size of the largest value that is loaded or written, in bytes.
    pub fn value_bytes_max(&self) -> usize {
        self.sizes().map(SizeDistribution::max).max().unwrap_or(0)
    }

    /// The size of the value loaded for `record`, in bytes. `seed` is the seed of the run.
    pub fn loaded_value_bytes(&self, seed: Seed, record: u64) -> usize {
        match self.value_bytes {
            SizeDistribution::Constant(bytes) => bytes,
            ref sizes => sizes.sample(&mut seed.stream("loaded sizes").nth(record).rng()),
        }
    }

    /// Whether the workload may store records that were not loaded. A DELETE becomes an INSERT when
    /// there is nothing to delete.
    pub fn inserts(&self) -> bool {
        self.mix.insert > 0.0 || self.deletes()
    }

    /// Whether the workload reads records in key order.
    pub fn scans(&self) -> bool {
        self.mix.scan + self.mix.snapshot_scan > 0.0
    }

    /// Whether the workload reads records and overwrites them in one request.
    pub fn modifies(&self) -> bool {
        self.mix.read_modify_write > 0.0
    }

    /// Whether the workload writes all records of a group in one step.
    pub fn writes_together(&self) -> bool {
        self.mix.write_together > 0.0
    }

    /// Whether the workload takes snapshots.
    pub fn reads_at_one_moment(&self) -> bool {
        self.mix.snapshot_read + self.mix.snapshot_scan > 0.0
    }

    /// Whether the workload writes values that have a lifetime.
    pub fn expires(&self) -> bool {
        self.mix.write_expiring > 0.0
    }

    /// Whether the workload writes groups in one step or takes snapshots.
    pub fn is_of_moments(&self) -> bool {
        self.writes_together() || self.reads_at_one_moment()
    }

    /// The groups among `records` loaded records.
    pub fn groups(&self, records: u64) -> Groups {
        Groups::new(self.together, records)
    }

    /// Whether every request reads or updates one record that was loaded.
    pub fn only_gets_and_updates(&self) -> bool {
        let others = self.is_of_moments() || self.modifies() || self.expires();
        !self.inserts() && !self.scans() && !others
    }

    /// Whether the workload removes records.
    pub fn deletes(&self) -> bool {
        self.mix.delete > 0.0 || self.churn
    }
}

impl fmt::Display for Workload {
    /// `ycsb-a: get 50 %, update 50 %; keys zipfian:0.99; values 1000`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, mix, keys, value_bytes, .. } = self;
        write!(f, "{name}: {mix}; keys {keys}; values {value_bytes}")?;
        if let Some(sizes) = &self.key_bytes {
            write!(f, "; keys of {sizes} B")?;
        }
        if let Some(sizes) = &self.churn_value_bytes {
            write!(f, ", inserted {sizes}")?;
        }
        if self.writes_together() || mix.snapshot_read > 0.0 {
            write!(f, "; groups of {}", self.together)?;
        }
        if let Some(lifetime_ms) = self.lifetime_ms {
            write!(f, "; lifetimes of {lifetime_ms} ms")?;
        }
        Ok(())
    }
}

impl Serialize for Workload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Workload {
    /// Rejects what [`Workload::validate`] rejects.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let workload = Self::deserialize(deserializer)?;
        workload.validate().map(|()| workload).map_err(de::Error::custom)
    }
}

/// Why a workload cannot run.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadError {
    /// The name is empty or contains a character that is unsafe in file names.
    Name { name: String },
    /// The shares do not form a mix.
    Mix(MixError),
    /// A parameter of the key distribution is out of its range.
    Keys(ParseKeyDistributionError),
    /// A parameter of a size distribution is out of its range.
    Sizes(ParseSizeDistributionError),
    /// A size does not fit into a [`Request`].
    ValueTooLarge {
        /// The size of the largest value.
        bytes: usize,
    },
    /// The range of scan lengths is empty, starts at zero or does not fit into a [`Request`].
    ScanEntries {
        /// The fewest entries.
        from: usize,
        /// The most entries.
        to: usize,
    },
    /// Modelled keys are shorter than the keys actually used.
    KeyBytes {
        /// The modelled length.
        bytes: usize,
    },
    /// A key has too many bytes.
    KeyLength {
        /// The length.
        bytes: usize,
    },
    /// Keys are byte strings, and values are longer to make up for other keys.
    KeysModelled {
        /// The modelled length.
        bytes: usize,
    },
    /// A group has too few or too many records.
    Together { together: usize },
    /// Keys are byte strings, and groups are written and read by words.
    GroupsOfWords { sizes: String },
    /// The records of a group would be written, inserted or deleted one by one.
    GroupsWrittenApart { mix: Mix },
    /// Values of groups are too short for a stamp.
    GroupsUnstamped {
        /// The size of the smallest value.
        bytes: usize,
    },
    /// Values have lifetimes, and nobody says which.
    LifetimeMissing,
    /// A lifetime was given, but no value has one.
    LifetimeUnused { lifetime_ms: u64 },
    /// A lifetime is none, or longer than stores know.
    Lifetime { lifetime_ms: u64 },
    /// Values with lifetimes would be written without, deleted or scanned.
    ExpiringWrittenApart { mix: Mix },
    /// Sizes for churn were given, but no churn.
    SizesWithoutChurn { sizes: String },
    /// Churn was given, but the mix has no INSERTs or DELETEs.
    ChurnWithoutShare { mix: Mix },
    /// Churn would insert values of zero bytes.
    EmptyChurn,
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => {
                write!(f, "name = \"{name}\": use letters, digits, '-' and '_', at least one")
            }
            Self::Mix(error) => error.fmt(f),
            Self::Keys(error) => error.fmt(f),
            Self::Sizes(error) => error.fmt(f),
            Self::ValueTooLarge { bytes } => write!(
                f,
                "values of {bytes} B: a request holds at most {} B; use smaller values",
                Request::SIZE_MAX
            ),
            Self::ScanEntries { from, to } => write!(
                f,
                "scan-entries = [{from}, {to}]: the smaller number comes first, from 1 to {}, as \
                 in [1, 100]",
                Request::SIZE_MAX
            ),
            Self::KeyBytes { bytes } => write!(
                f,
                "modelled-key-bytes = {bytes}: keys here have {KEY_BYTES}; use {KEY_BYTES} or more"
            ),
            Self::KeyLength { bytes } => write!(
                f,
                "key-bytes of {bytes}: keys have at most {KEY_BYTES_MAX} bytes; use such lengths, or \
                 leave key-bytes out for words"
            ),
            Self::KeysModelled { bytes } => write!(
                f,
                "key-bytes with modelled-key-bytes = {bytes}: values would make up for bytes that \
                 keys have; drop one of the two"
            ),
            Self::Together { together } => write!(
                f,
                "together = {together}: a group has 2 to {} records; the nearest is {}",
                Groups::TOGETHER_MAX,
                (*together).clamp(2, Groups::TOGETHER_MAX)
            ),
            Self::GroupsOfWords { sizes } => write!(
                f,
                "key-bytes = {sizes} with groups or snapshots: stores write and read them by words; leave \
                 key-bytes out"
            ),
            Self::GroupsWrittenApart { mix } => write!(
                f,
                "a mix of {mix}: groups keep their records, and values that are written together are \
                 written by nothing else; beside write-together use get, scan, snapshot-read and \
                 snapshot-scan, and beside the last two alone update and read-modify-write, too"
            ),
            Self::GroupsUnstamped { bytes } => write!(
                f,
                "write-together with values of {bytes} B: values below {HEADER_BYTES} B carry no stamp, so \
                 nobody could see a group in parts; use {HEADER_BYTES} B or more"
            ),
            Self::LifetimeMissing => write!(
                f,
                "write-expiring without lifetime-ms: say how long its values live, as in lifetime-ms = 1000"
            ),
            Self::LifetimeUnused { lifetime_ms } => write!(
                f,
                "lifetime-ms = {lifetime_ms} without write-expiring: no value has a lifetime; give the mix \
                 a share of write-expiring, or leave it out"
            ),
            Self::Lifetime { lifetime_ms } => write!(
                f,
                "lifetime-ms = {lifetime_ms}: must be 1 to {LIFETIME_MS_MAX}, which is 30 days; the nearest \
                 is {}",
                (*lifetime_ms).clamp(1, LIFETIME_MS_MAX)
            ),
            Self::ExpiringWrittenApart { mix } => write!(
                f,
                "a mix of {mix}: it could not be told which value has ended; beside write-expiring use get \
                 alone"
            ),
            Self::SizesWithoutChurn { sizes } => write!(
                f,
                "churn-value-bytes = \"{sizes}\" without churn: add churn = true, or leave it out"
            ),
            Self::ChurnWithoutShare { mix } => write!(
                f,
                "churn in a mix of {mix}: give insert and delete a share, or leave churn out"
            ),
            Self::EmptyChurn => {
                write!(f, "churn of values of 0 B: live bytes never reach the cap; use 1 or more")
            }
        }
    }
}

impl Error for WorkloadError {}

#[cfg(test)]
mod tests;
