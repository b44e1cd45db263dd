//! Opens MICA, in each of its modes.

use baseline_mica::cache::{Config as CacheConfig, Eviction};
use baseline_mica::handover::Config as HandoverConfig;
use baseline_mica::store::{Config, Preset};
use baseline_mica::{Mica, MicaCache, MicaHandover, Mode};
use engine::{OpenError, Options, Setup};

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;

fn memory(setup: &Setup) -> u64 {
    let ample = (setup.live_bytes / 100 * AMPLE_PERCENT).max(64 << 20);
    setup.object_memory_bytes.unwrap_or(ample)
}

fn read(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
    let mut config =
        Config { resident: setup.resident, ..Config::new(memory(setup), setup.records_max) };
    let presets = [Preset::Thesis, Preset::NibblePaper];
    options.read_one_of("preset", &mut config.preset, presets)?;
    options.read("partitions", &mut config.partitions)?;
    options.read("spare-percent", &mut config.spare_percent)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("resident", &mut config.resident)?;
    Ok(config)
}

pub(crate) fn store<M: Mode>(setup: &Setup) -> Result<Mica<M>, OpenError> {
    let mut options = setup.options();
    let config = read(setup, &mut options)?;
    options.finish()?;
    Mica::open(config)
}

/// Store mode, with threads that own the partitions and receive requests from the callers.
pub(crate) fn handover(setup: &Setup) -> Result<MicaHandover, OpenError> {
    let mut options = setup.options();
    let mut config = HandoverConfig::new(read(setup, &mut options)?);
    options.read("owners", &mut config.owners)?;
    options.finish()?;
    MicaHandover::open(config)
}

pub(crate) fn cache<M: Mode>(setup: &Setup) -> Result<MicaCache<M>, OpenError> {
    let mut config = CacheConfig {
        resident: setup.resident,
        ..CacheConfig::new(memory(setup), setup.records_max)
    };
    let mut options = setup.options();
    options.read("partitions", &mut config.partitions)?;
    let evictions = [Eviction::Fifo, Eviction::Lru, Eviction::ApproximateLru];
    options.read_one_of("eviction", &mut config.eviction, evictions)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("resident", &mut config.resident)?;
    options.finish()?;
    MicaCache::open(config)
}
