//! The engine contract for the cache: traits, sessions, statistics and settings.

use engine::{
    EngineTraits, FullMeaning, KvEngine, MemoryBound, MemoryCensus, Presence, SessionError,
    Setting, Sharing, Statistic,
};
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};

use super::item::VALUE_BYTES_MAX;
use super::{MicaCache, MicaCacheSession, RECORDS_PER_BUCKET};
use crate::claims::{Claim, Claims};
use crate::{Access, Mode};

impl<M: Mode, const BITS: u32> MicaCache<M, BITS> {
    fn session_with<'store>(
        &'store self,
        claim: impl FnOnce() -> Result<Claim<'store>, SessionError>,
    ) -> Result<MicaCacheSession<'store, M, BITS>, SessionError> {
        let claim = match M::WRITES {
            Access::Owner => Some(claim()?),
            Access::Anyone => None,
        };
        Ok(MicaCacheSession::new(self, claim, self.registry.register()))
    }

    /// Bytes of logs and indexes on 2 MiB pages, if the system tells.
    fn huge_bytes(&self) -> Option<u64> {
        let logs = self.partitions.iter().map(|one| one.log.huge_bytes()).sum::<Option<u64>>()?;
        Some(logs + self.partitions[0].index.huge_bytes_of_all()?)
    }
}

impl<M: Mode, const BITS: u32> KvEngine for MicaCache<M, BITS> {
    const TRAITS: EngineTraits = EngineTraits {
        name: match M::SHARING {
            Sharing::Shared => "mica-cache",
            Sharing::PartitionedWrites => "mica-cache-crew",
            Sharing::Partitioned => "mica-cache-erew",
        },
        description: "partitions of a circular log and a lossy index: evicts what it has no room for",
        sharing: M::SHARING,
        full: FullMeaning::Evict,
        memory_bound: MemoryBound::Hard,
        value_bytes_max: VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        batches: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = MicaCacheSession<'engine, M, BITS>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        self.session_with(|| self.claims.claim(0, 1))
    }

    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<Self::Session<'_>, SessionError> {
        self.session_with(|| self.claims.claim(worker, workers))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        let owner = || Claims::worker_of(self.partition_of(self.hash(key)), workers);
        M::SHARING.is_partitioned().then(owner)
    }

    fn presence(&self) -> Presence {
        let page_bytes = if self.config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        Presence { page_bytes, threads: 0, servers: 0 }
    }

    /// Counts live objects by walking the index; exact while writers are quiet.
    fn memory(&self) -> MemoryCensus {
        self.census()
    }

    fn statistics(&self) -> Vec<Statistic> {
        let counts: Vec<_> = self.registry.named().collect();
        let count = |name| counts.iter().find(|(other, _)| *other == name).map_or(0, |(_, n)| *n);
        let (hits, misses) = (count("get_hits"), count("get_misses"));
        // Without GETs nothing has missed.
        let hit_rate = if hits + misses == 0 { 1.0 } else { hits as f64 / (hits + misses) as f64 };
        counts
            .iter()
            .map(|&(name, count)| Statistic::new(name, count as f64))
            .chain([Statistic::new("hit_rate", hit_rate)])
            .chain(self.huge_bytes().map(|bytes| Statistic::new("huge_page_bytes", bytes as f64)))
            .collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let first = &self.partitions[0];
        let log_bytes = first.log.offsets().log_bytes();
        let shared_memory = platform::huge::shared_memory_setting();
        vec![
            Setting::new("access-mode", M::LABEL),
            Setting::new("object-memory-bytes", log_bytes * self.partitions.len() as u64),
            Setting::new("partitions", self.config.partitions),
            Setting::new("log-bytes-per-partition", log_bytes),
            Setting::new("offset-bits", BITS),
            Setting::new("records-max", self.config.records_max),
            Setting::new("records-per-bucket", RECORDS_PER_BUCKET),
            Setting::new("buckets-per-partition", first.index.buckets()),
            Setting::new("eviction", self.config.eviction),
            Setting::new("hash", self.config.hasher),
            Setting::new("huge-pages", self.config.huge_pages),
            Setting::new(
                "huge-pages-of-shared-memory",
                format!("{}; asked for one by one", shared_memory.as_deref().unwrap_or("unknown")),
            ),
            Setting::new("resident", self.config.resident),
        ]
    }

    fn check(&self) -> Result<(), String> {
        self.walk()
    }
}
