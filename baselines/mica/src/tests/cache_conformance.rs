//! The suite every store passes: cache mode in every access mode, with every policy.

use baseline_mica::cache::{Config, Eviction};
use baseline_mica::{Crcw, Crew, Erew, MicaCache, Mode};
use engine::OpenError;

fn cache<M: Mode>(object_memory_bytes: u64, eviction: Eviction) -> Result<MicaCache<M>, OpenError> {
    MicaCache::open(Config { eviction, ..Config::new(object_memory_bytes, 100_000) })
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
