//! The suite every store passes: cache mode in every access mode, with every policy.

use baseline_mica::cache::{Config, Eviction};
use baseline_mica::{Crcw, Crew, Erew, MicaCache, Mode};
use engine::OpenError;

fn cache<M: Mode>(object_memory_bytes: u64, eviction: Eviction) -> Result<MicaCache<M>, OpenError> {
    MicaCache::open(Config {
        object_memory_bytes,
        partitions: 16,
        records_max: 100_000,
        eviction,
        hasher: baseline_mica::keyhash::KeyHasher::Mix,
        huge_pages: true,
        resident: false,
    })
}

engine::conformance_tests!(erew_fifo, MicaCache<Erew>, |bytes| cache(bytes, Eviction::Fifo));
engine::conformance_tests!(erew_lru, MicaCache<Erew>, |bytes| cache(bytes, Eviction::Lru));
engine::conformance_tests!(erew_approximate_lru, MicaCache<Erew>, |bytes| {
    cache(bytes, Eviction::ApproximateLru)
});
engine::conformance_tests!(crew_fifo, MicaCache<Crew>, |bytes| cache(bytes, Eviction::Fifo));
engine::conformance_tests!(crew_lru, MicaCache<Crew>, |bytes| cache(bytes, Eviction::Lru));
engine::conformance_tests!(crew_approximate_lru, MicaCache<Crew>, |bytes| {
    cache(bytes, Eviction::ApproximateLru)
});
engine::conformance_tests!(crcw_fifo, MicaCache<Crcw>, |bytes| cache(bytes, Eviction::Fifo));
engine::conformance_tests!(crcw_lru, MicaCache<Crcw>, |bytes| cache(bytes, Eviction::Lru));
engine::conformance_tests!(crcw_approximate_lru, MicaCache<Crcw>, |bytes| {
    cache(bytes, Eviction::ApproximateLru)
});
