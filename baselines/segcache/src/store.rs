//! The cache, and what is known about it.

use std::fmt;

use engine::{
    EngineTraits, Expiry, FullMeaning, KvEngine, MemoryCensus, OpenError, OpenStore, Options,
    SessionError, Setting, Setup, Statistic, Writes,
};

use crate::config::{Config, ITEM_OVERHEAD_BYTES};
use crate::counters::Sums;
use crate::session::SegcacheSession;

/// A cache in segments; see the crate's documentation.
pub struct Segcache {
    pub(crate) cache: segcache::Segcache,
    pub(crate) config: Config,
    pub(crate) sums: Sums,
}

impl fmt::Debug for Segcache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Segcache").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Segcache {
    /// An empty cache, whose memory is resident.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] for an impossible configuration; [`OpenError::Unusable`] with the
    /// crate's own reason, such as memory that the system does not give.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        config.check()?;
        let unusable = |reason: String| OpenError::Unusable { what: "segcache".to_owned(), reason };
        let size = |bytes: u64| usize::try_from(bytes).map_err(|error| unusable(error.to_string()));
        let segment_bytes = i32::try_from(config.segment_bytes);
        let cache = segcache::Segcache::builder()
            .heap_size(size(config.heap_bytes())?)
            .segment_size(segment_bytes.map_err(|error| unusable(error.to_string()))?)
            .hash_power(config.hash_power())
            .eviction(config.eviction.policy())
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { cache, config, sums: Sums::default() })
    }
}

impl KvEngine for Segcache {
    const TRAITS: EngineTraits = EngineTraits {
        name: "segcache",
        description: "Segcache: segments of a log, merged or dropped whole: evicts",
        full: FullMeaning::Evict,
        value_bytes_max: (8 << 20) - ITEM_OVERHEAD_BYTES,
        writes: Writes::Blind,
        expiry: Expiry::Seconds,
        ..EngineTraits::BASE
    };

    type Session<'engine> = SegcacheSession<'engine>;

    fn session(&self) -> Result<SegcacheSession<'_>, SessionError> {
        Ok(SegcacheSession::new(self))
    }

    fn writes(&self) -> Writes {
        Writes::telling_if(self.config.ask_presence)
    }

    /// Sizes, which are fixed when the cache opens. The crate does not tell what is live.
    fn memory(&self) -> MemoryCensus {
        let (index_bytes, table_bytes) = (self.config.index_bytes(), self.config.table_bytes());
        let object_memory_bytes = self.config.heap_bytes();
        MemoryCensus {
            object_memory_bytes,
            index_bytes,
            table_bytes,
            capacity_bytes: Some(object_memory_bytes + index_bytes + table_bytes),
            ..MemoryCensus::default()
        }
    }

    /// Of sessions that have ended.
    fn statistics(&self) -> Vec<Statistic> {
        self.sums.counts().statistics()
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        vec![
            Setting::new("object-memory-bytes", config.heap_bytes()),
            Setting::new("records-max", config.records_max),
            Setting::new("segment-bytes", config.segment_bytes),
            Setting::new("segments", config.segments()),
            Setting::new("eviction", config.eviction),
            Setting::new("slots-per-record", config.slots_per_record),
            Setting::new("hash-power", config.hash_power()),
            Setting::new("time-to-live", "of each PUT, or 97 days"),
            Setting::new("access", "shared by all threads"),
            Setting::new("checksums", "of each item, written by PUT"),
            Setting::new("ask-presence", config.ask_presence),
            Setting::new("resident", true),
        ]
    }
}

impl OpenStore for Segcache {
    type Config = Config;

    fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        Config::read(setup, options)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(config)
    }
}
