//! Cache mode: one circular log and one lossy index per partition. It drops what it has no room
//! for, and says so through [`FullMeaning::Evict`](engine::FullMeaning::Evict) and a hit rate among
//! its statistics.
//!
//! | file | contents |
//! |---|---|
//! | `offsets` | offsets wider than the log, and when one dangles |
//! | `item` | the layout of an item |
//! | `log` | the log, as seen by readers |
//! | `writer` | appending, updating in place, evicting at the head; the edge MICA-OVERWRITE |
//! | `bucket` | 15 entries and their version; the edges MICA-VERSION and MICA-CHANGE |
//! | `index` | all buckets |
//! | `scrub` | removes stale entries before they would seem valid again |
//! | `eviction` | FIFO, LRU, approximate LRU |
//! | `partition` | a log, an index, and the operations on them |
//! | `session` | one thread's use: access checks, single operations, batches |
//! | `counters` | counters of sessions |
//! | `wait` | waiting for a bucket's writer |
//! | `store` | the engine contract: traits, statistics, settings |
//! | `walk` | the census and the check, by walking everything |

mod bucket;
mod counters;
mod eviction;
mod index;
mod item;
mod log;
mod offsets;
mod partition;
mod scrub;
mod session;
mod store;
mod wait;
mod walk;
mod writer;

use std::io;
use std::marker::PhantomData;

use engine::OpenError;
use platform::Pages;

pub use eviction::Eviction;
pub use session::MicaCacheSession;

use crate::Mode;
use crate::claims::Claims;
use crate::keyhash::{BUCKETS_MAX, KeyHash, KeyHasher, PARTITIONS_MAX};
use counters::Registry;
use index::Index;
use log::Log;
use offsets::{GRANULE_BYTES, Offsets};
use partition::Partition;

/// Records that a bucket of 15 entries is meant for. With records spread at random, 2 in 1000 find
/// no place in their bucket.
const RECORDS_PER_BUCKET: u64 = 8;

/// Settings of a [`MicaCache`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Total size of all logs; each log is a multiple of 2 MiB, and at least that.
    pub object_memory_bytes: u64,
    /// Number of partitions, a power of two up to 4096.
    pub partitions: usize,
    /// The most records expected: 16 bytes of index each. Further records may find no place in the
    /// index.
    pub records_max: u64,
    /// Which items to keep.
    pub eviction: Eviction,
    /// How keys are hashed.
    pub hasher: KeyHasher,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
    /// Whether to make logs and indexes resident on opening.
    pub resident: bool,
}

impl Config {
    /// 16 partitions, approximate LRU, the fast hash, huge pages, memory touched on first use.
    #[must_use]
    pub fn new(object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            object_memory_bytes,
            partitions: 16,
            records_max,
            eviction: Eviction::default(),
            hasher: KeyHasher::default(),
            huge_pages: true,
            resident: false,
        }
    }

    /// The object memory in use: what is left over in each partition is shorter than the granule of
    /// its log, 2 MiB.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for settings that cannot be met.
    pub fn object_memory_in_use(&self) -> Result<u64, OpenError> {
        self.sizes::<48>().map(|(log_bytes, _)| log_bytes * self.partitions as u64)
    }

    /// Bytes of a log, and buckets of an index.
    fn sizes<const BITS: u32>(&self) -> Result<(u64, usize), OpenError> {
        let Self { object_memory_bytes, partitions, records_max, .. } = *self;
        if !partitions.is_power_of_two() || partitions > PARTITIONS_MAX {
            let accepted = format!("powers of two from 1 to {PARTITIONS_MAX}");
            return Err(refused("partitions", partitions, accepted));
        }
        let log_bytes = object_memory_bytes / partitions as u64 / GRANULE_BYTES * GRANULE_BYTES;
        if !(GRANULE_BYTES..=Offsets::<BITS>::LOG_BYTES_MAX).contains(&log_bytes) {
            let least = GRANULE_BYTES * partitions as u64;
            let most = Offsets::<BITS>::LOG_BYTES_MAX.saturating_mul(partitions as u64);
            let accepted = format!("{least} to {most} bytes with {partitions} partitions");
            return Err(refused("object_memory_bytes", object_memory_bytes, accepted));
        }
        let buckets = records_max.div_ceil(RECORDS_PER_BUCKET).div_ceil(partitions as u64);
        let buckets =
            usize::try_from(buckets).ok().filter(|buckets| (1..=BUCKETS_MAX).contains(buckets));
        let Some(buckets) = buckets else {
            let most = BUCKETS_MAX as u64 * RECORDS_PER_BUCKET * partitions as u64;
            let accepted = format!("1 to {most} records with {partitions} partitions");
            return Err(refused("records_max", records_max, accepted));
        };
        Ok((log_bytes, buckets))
    }
}

/// MICA in cache mode, in one of the access modes; see the module's documentation.
///
/// Offsets have 48 bits. Tests use fewer, to see offsets wrap around.
#[derive(Debug)]
pub struct MicaCache<M: Mode, const OFFSET_BITS: u32 = 48> {
    config: Config,
    partitions: Box<[Partition<OFFSET_BITS>]>,
    partition_bits: u32,
    claims: Claims,
    registry: Registry,
    mode: PhantomData<M>,
}

impl<M: Mode, const BITS: u32> MicaCache<M, BITS> {
    /// An empty cache.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if the number of partitions is not a power of two up to 4096, if a
    /// partition's log would be below 2 MiB or above 64 TiB, or if no records or more than 2^35 per
    /// partition are expected; [`OpenError::OutOfMemory`] if the system refuses the mappings.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let (log_bytes, buckets) = config.sizes::<BITS>()?;
        let wanted_bytes = (log_bytes + (buckets * bucket::BUCKET_BYTES) as u64)
            .saturating_mul(config.partitions as u64);
        let partitions = Self::map(config, log_bytes, buckets)
            .map_err(|_| OpenError::OutOfMemory { wanted_bytes })?;
        Ok(Self {
            config,
            partition_bits: partitions.len().trailing_zeros(),
            claims: Claims::new(partitions.len()),
            partitions,
            registry: Registry::default(),
            mode: PhantomData,
        })
    }

    fn map(config: Config, log_bytes: u64, buckets: usize) -> io::Result<Box<[Partition<BITS>]>> {
        let Config { partitions, huge_pages, resident, .. } = config;
        let pages = if huge_pages { Pages::Huge } else { Pages::Small };
        let indexes = Index::open(partitions, buckets, pages, resident)?;
        let open = |index| Ok(Partition::new(Log::open(log_bytes, pages, resident)?, index));
        indexes.into_iter().map(open).collect()
    }

    #[inline]
    fn hash(&self, key: u64) -> KeyHash {
        self.config.hasher.hash(key)
    }

    #[inline]
    fn partition_of(&self, hash: KeyHash) -> usize {
        hash.partition(self.partition_bits)
    }

    #[inline]
    fn partition(&self, number: usize) -> &Partition<BITS> {
        &self.partitions[number]
    }

    #[inline]
    fn eviction(&self) -> Eviction {
        self.config.eviction
    }
}

fn refused(setting: &str, value: impl std::fmt::Display, accepted: String) -> OpenError {
    OpenError::BadSetting { setting: setting.to_owned(), value: value.to_string(), accepted }
}
