//! Nibble behind the contract. The engine knows nothing of this crate; its natural interface is
//! wrapped here.

use engine::{
    EngineTraits, FullMeaning, GetError, KvEngine, KvSession, MemoryBound, MemoryCensus, OpenError,
    PutError, PutOutcome, SessionError, Setting, Statistic,
};
use nibble::{Config, Store};

use super::options::Options;
use crate::registry::StoreSetup;

/// A Nibble store.
#[derive(Debug)]
pub(crate) struct NibbleEngine {
    store: Store,
    config: Config,
}

/// Object memory over live bytes where memory is to be no limit, in percent.
const AMPLE_PERCENT: u64 = 400;

pub(crate) fn open(setup: &StoreSetup) -> Result<NibbleEngine, OpenError> {
    let mut options = Options::new(&setup.options);
    let mut ample_percent = AMPLE_PERCENT;
    options.read("ample-percent", &mut ample_percent)?;
    let object_memory_bytes =
        setup.object_memory_bytes.unwrap_or(setup.live_bytes / 100 * ample_percent);
    let mut config =
        Config { resident: setup.resident, ..Config::with_object_memory(object_memory_bytes) };
    options.read("segment-bytes", &mut config.segment_bytes)?;
    options.read("block-bytes", &mut config.block_bytes)?;
    options.read("compaction-workers", &mut config.compaction_workers)?;
    options.read("heads", &mut config.heads)?;
    options.read("free-low-percent", &mut config.free_low_percent)?;
    options.read("reserve-percent", &mut config.reserve_percent)?;
    options.read("index-partitions", &mut config.index_partitions)?;
    options.read("resident", &mut config.resident)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.finish()?;
    let store = Store::open(config.clone()).map_err(|error| OpenError::BadSetting {
        setting: "configuration".to_owned(),
        value: error.to_string(),
        accepted: "see the documentation of nibble::Config".to_owned(),
    })?;
    Ok(NibbleEngine { store, config })
}

impl KvEngine for NibbleEngine {
    const TRAITS: EngineTraits = EngineTraits {
        name: "nibble",
        description: "log-structured, per-core heads, epochs, background compaction (append)",
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Soft,
        background_threads: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = NibbleSession<'engine>;

    fn session(&self) -> Result<NibbleSession<'_>, SessionError> {
        match self.store.session() {
            Ok(session) => Ok(NibbleSession { session }),
            Err(error) => Err(SessionError::TooManySessions { limit: error.limit }),
        }
    }

    fn settle(&self) {
        self.store.settle();
    }

    fn trim(&self) {
        self.store.trim();
    }

    fn memory(&self) -> MemoryCensus {
        let census = self.store.census();
        MemoryCensus {
            live_objects: census.live_objects,
            live_value_bytes: census.live_value_bytes,
            live_object_bytes: census.live_object_bytes,
            dead_object_bytes: census.dead_object_bytes,
            free_object_bytes: census.free_object_bytes,
            object_memory_bytes: census.object_memory_bytes,
            index_bytes: census.index_bytes,
            table_bytes: census.table_bytes,
            capacity_bytes: Some(
                census.object_memory_bytes + census.index_bytes + census.table_bytes,
            ),
            complete: true,
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let statistics = self.store.statistics();
        let named = [
            ("appended_bytes", statistics.appended_bytes),
            ("copied_bytes", statistics.copied_bytes),
            ("segments_compacted", statistics.segments_compacted),
            ("compaction_rounds", statistics.compaction_rounds),
            ("put_waits", statistics.put_waits),
        ];
        named.into_iter().map(|(name, value)| Statistic::new(name, value as f64)).collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let config = &self.config;
        vec![
            Setting::new("object-memory-bytes", config.object_memory_bytes),
            Setting::new("segment-bytes", config.segment_bytes),
            Setting::new("block-bytes", config.block_bytes),
            Setting::new("compaction-workers", config.compaction_workers),
            Setting::new("heads", config.heads),
            Setting::new("free-low-percent", config.free_low_percent),
            Setting::new("reserve-percent", config.reserve_percent),
            Setting::new("index-partitions", config.index_partitions),
            Setting::new("resident", config.resident),
            Setting::new("huge-pages", config.huge_pages),
            Setting::new("full-wait-ms", config.full_wait_ms),
        ]
    }

    fn check(&self) -> Result<(), String> {
        self.store.check().map(|_| ())
    }
}

/// One thread's use of a Nibble store.
#[derive(Debug)]
pub(crate) struct NibbleSession<'store> {
    session: nibble::Session<'store>,
}

impl KvSession for NibbleSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.session.get(key, buffer).map_err(|error| GetError::BufferTooShort {
            value_bytes: error.value_bytes,
            buffer_bytes: error.buffer_bytes,
        })
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        match self.session.put(key, value) {
            Ok(nibble::Put::Inserted) => Ok(PutOutcome::Inserted),
            Ok(nibble::Put::Updated) => Ok(PutOutcome::Updated),
            Err(nibble::PutError::Full) => Ok(PutOutcome::Full),
            Err(nibble::PutError::ValueTooLarge { value_bytes, limit_bytes }) => {
                Err(PutError::ValueTooLarge { value_bytes, limit_bytes })
            }
        }
    }

    #[inline]
    fn delete(&mut self, key: u64) -> bool {
        self.session.delete(key)
    }
}
