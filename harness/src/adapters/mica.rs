//! Opens MICA, in each of its modes.

use baseline_mica::cache::{Config as CacheConfig, Eviction};
use baseline_mica::handover::Config as HandoverConfig;
use baseline_mica::store::{Config, Preset};
use baseline_mica::{Mica, MicaCache, MicaHandover, Mode};
use engine::OpenError;

use super::options::{Choice, Options, names};
use crate::registry::StoreSetup;

impl Choice for Preset {
    fn accepted() -> String {
        names([Self::Thesis, Self::NibblePaper])
    }
}

impl Choice for Eviction {
    fn accepted() -> String {
        names([Self::Fifo, Self::Lru, Self::ApproximateLru])
    }
}

/// Object memory over live bytes where memory is to be no limit, in percent.
const AMPLE_PERCENT: u64 = 400;

fn memory(setup: &StoreSetup) -> u64 {
    let ample = (setup.live_bytes / 100 * AMPLE_PERCENT).max(64 << 20);
    setup.object_memory_bytes.unwrap_or(ample)
}

fn read(setup: &StoreSetup, options: &mut Options) -> Result<Config, OpenError> {
    let mut config =
        Config { resident: setup.resident, ..Config::new(memory(setup), setup.records_max) };
    options.read("preset", &mut config.preset)?;
    options.read("partitions", &mut config.partitions)?;
    options.read("spare-percent", &mut config.spare_percent)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("resident", &mut config.resident)?;
    Ok(config)
}

/// Store mode.
pub(crate) fn store<M: Mode>(setup: &StoreSetup) -> Result<Mica<M>, OpenError> {
    let mut options = Options::new(&setup.options);
    let config = read(setup, &mut options)?;
    options.finish()?;
    Mica::open(config)
}

/// Store mode behind threads that own its partitions.
pub(crate) fn handover(setup: &StoreSetup) -> Result<MicaHandover, OpenError> {
    let mut options = Options::new(&setup.options);
    let mut config = HandoverConfig::new(read(setup, &mut options)?);
    options.read("owners", &mut config.owners)?;
    options.finish()?;
    MicaHandover::open(config)
}

/// Cache mode.
pub(crate) fn cache<M: Mode>(setup: &StoreSetup) -> Result<MicaCache<M>, OpenError> {
    let mut config = CacheConfig {
        resident: setup.resident,
        ..CacheConfig::new(memory(setup), setup.records_max)
    };
    let mut options = Options::new(&setup.options);
    options.read("partitions", &mut config.partitions)?;
    options.read("eviction", &mut config.eviction)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("resident", &mut config.resident)?;
    options.finish()?;
    MicaCache::open(config)
}
