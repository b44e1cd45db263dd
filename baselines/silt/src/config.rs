//! Settings as cells carry them, and the parameters that follow from a workload.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use engine::{OpenError, Options, Setup};

use crate::cuckoo::BUCKET_BITS_MAX;
use crate::params::{Acknowledge, Params};

/// Keys of an instance for each that its LogStore holds (table 2.4: 25 M and 122 k).
const KEYS_PER_LOG_KEY: u64 = 200;
/// Below this GETs would read others' records too often.
const TAG_BITS_USUAL_MIN: u32 = 10;
/// Keys of an instance for ten entries that start a merge (table 2.4: 25 M and 7.5 M).
const MERGE_SHARE_PERCENT: u64 = 30;
const MERGE_ENTRIES_MIN: u64 = 1000;
const ACKNOWLEDGE: [Acknowledge; 3] =
    [Acknowledge::Buffered, Acknowledge::Written, Acknowledge::Synced];

/// Settings of a [`Silt`](crate::Silt).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Parameters of the store.
    pub params: Params,
    /// Whether PUT and DELETE report what was there: each looks the key up then.
    pub tells_updates: bool,
    /// Where the folder of the store is made.
    pub private_parent: PathBuf,
}

impl fmt::Display for Acknowledge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Buffered => "buffered",
            Self::Written => "written",
            Self::Synced => "synced",
        })
    }
}

impl FromStr for Acknowledge {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        ACKNOWLEDGE.into_iter().find(|acknowledge| acknowledge.to_string() == text).ok_or(())
    }
}

impl Config {
    /// Four instances, with logs and merges in the proportions of table 2.4.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let mut params = Params::new(setup.value_bytes_max);
        if let Err(error) = params.check() {
            return Err(OpenError::BadSetting {
                setting: "value-bytes-max".to_owned(),
                value: setup.value_bytes_max.to_string(),
                accepted: error.to_string(),
            });
        }
        options.whole("instances", &mut params.instances, 1..=1024)?;
        let keys = setup.records_max.div_ceil(params.instances as u64);
        params.tag_bits = tag_bits(keys);
        params.merge_entries = (keys / 100 * MERGE_SHARE_PERCENT).max(MERGE_ENTRIES_MIN);
        options.whole("tag-bits", &mut params.tag_bits, 4..=u64::from(BUCKET_BITS_MAX))?;
        options.whole("merge-entries", &mut params.merge_entries, 1..=u64::from(u32::MAX))?;
        options.whole("displacements", &mut params.displacements, 0..=65_536)?;
        let bucket_keys = engine::Whole::powers_of_two(2..=16_384);
        options.whole("index-bucket-keys", &mut params.index_bucket_keys, bucket_keys)?;
        options.one_of("acknowledge", &mut params.acknowledge, ACKNOWLEDGE)?;
        options.switch("threads", &mut params.threads)?;
        options.whole("convert-per-s", &mut params.convert_per_s, 0..=u64::from(u32::MAX))?;
        options.whole("merge-per-s", &mut params.merge_per_s, 0..=u64::from(u32::MAX))?;
        let private_parent = setup.files_below();
        // It passes the page cache by, and sizes nothing by a limit, which is then that of its process.
        kit::disk::OwnMemory::limited(options, &private_parent)?;
        if params.acknowledge == Acknowledge::Synced {
            kit::folder::fit_for_files(&private_parent)?;
        }
        if let Some(told) = kit::folder::told_in_memory(&private_parent) {
            options.tell(told);
        }
        let mut tells_updates = setup.tells_updates;
        options.switch("ask-presence", &mut tells_updates)?;
        Ok(Self { params, tells_updates, private_parent })
    }
}

/// The table that holds its share of `keys`.
fn tag_bits(keys: u64) -> u32 {
    let buckets = (keys / KEYS_PER_LOG_KEY / 4).max(1);
    buckets.next_power_of_two().trailing_zeros().clamp(TAG_BITS_USUAL_MIN, BUCKET_BITS_MAX)
}
