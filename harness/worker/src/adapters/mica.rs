//! Opens MICA, in each of its modes.

use baseline_mica::cache::{Config as CacheConfig, Eviction};
use baseline_mica::handover::Config as HandoverConfig;
use baseline_mica::keyhash::PARTITIONS_MAX;
use baseline_mica::store::{Config, Preset};
use baseline_mica::{Crcw, Mica, MicaCache, MicaHandover, Mode};
use engine::{KvEngine, OpenError, Options, Setup, Sharing, Whole};
use platform::mapping::HUGE_PAGE_BYTES;

use super::{Opening, tell_unused};

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;

fn memory(setup: &Setup) -> u64 {
    let ample = (setup.live_bytes / 100 * AMPLE_PERCENT).max(64 << 20);
    setup.object_memory_bytes.unwrap_or(ample)
}

/// Where any thread may use any partition: as many as cores, as MICA's authors have it, rounded up to what
/// keys can be dealt over. Many partitions of a small memory hold few large objects each, and the first
/// that is full ends the filling. Exclusive partitions keep their number, so that there is one for each
/// worker.
fn partitions(sharing: Sharing, otherwise: usize) -> usize {
    match sharing {
        Sharing::Shared => platform::cpu::allowed_cores().len().next_power_of_two(),
        Sharing::Partitioned | Sharing::PartitionedWrites => otherwise,
    }
}

fn read(setup: &Setup, options: &mut Options, sharing: Sharing) -> Result<Config, OpenError> {
    const SPARE_PERCENT_MAX: u64 = 1000;
    let mut config =
        Config { resident: setup.resident, ..Config::new(memory(setup), setup.records_max) };
    config.partitions = partitions(sharing, config.partitions);
    // Classes of the other one need writers that lock.
    let presets = [Preset::Thesis, Preset::NibblePaper];
    let presets = if sharing == Sharing::Shared { &presets[..] } else { &presets[..1] };
    options.one_of("preset", &mut config.preset, presets)?;
    let powers = Whole::powers_of_two(1..=PARTITIONS_MAX as u64);
    options.whole("partitions", &mut config.partitions, powers)?;
    options.whole("spare-percent", &mut config.spare_percent, 0..=SPARE_PERCENT_MAX)?;
    options.switch("huge-pages", &mut config.huge_pages)?;
    options.switch("resident", &mut config.resident)?;
    tell_unused(setup, options, config.object_memory_in_use()?);
    Ok(config)
}

pub(crate) fn store<M: Mode>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<Mica<M>>, OpenError> {
    let config = read(setup, options, <Mica<M>>::TRAITS.sharing)?;
    Ok(Box::new(move || Mica::<M>::open(config)))
}

/// Store mode in which any thread may write, with byte strings as keys.
pub(crate) fn store_of_bytes(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<Mica<Crcw, [u8]>>, OpenError> {
    let config = read(setup, options, Sharing::Shared)?;
    Ok(Box::new(move || Mica::open_for_byte_keys(config)))
}

/// Store mode, with threads that own the partitions, none shared, and receive requests from the callers.
pub(crate) fn handover(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<MicaHandover>, OpenError> {
    let mut config = HandoverConfig::new(read(setup, options, Sharing::Partitioned)?);
    options.whole("owners", &mut config.owners, 1..=config.store.partitions as u64)?;
    Ok(Box::new(move || MicaHandover::open(config)))
}

pub(crate) fn cache<M: Mode>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<MicaCache<M>>, OpenError> {
    let mut config = CacheConfig {
        resident: setup.resident,
        ..CacheConfig::new(memory(setup), setup.records_max)
    };
    config.partitions = partitions(MicaCache::<M>::TRAITS.sharing, config.partitions);
    // Each has a log of one large page at least.
    let most = (config.object_memory_bytes / HUGE_PAGE_BYTES as u64).min(PARTITIONS_MAX as u64);
    options.whole("partitions", &mut config.partitions, Whole::powers_of_two(1..=most))?;
    let evictions = [Eviction::Fifo, Eviction::Lru, Eviction::ApproximateLru];
    options.one_of("eviction", &mut config.eviction, evictions)?;
    options.switch("huge-pages", &mut config.huge_pages)?;
    options.switch("resident", &mut config.resident)?;
    tell_unused(setup, options, config.object_memory_in_use()?);
    Ok(Box::new(move || <MicaCache<M>>::open(config)))
}
