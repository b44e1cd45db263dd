//! Opens RAMCloud's log, as one or several instances.

use baseline_ramcloud::{Config, RamCloud};
use engine::{OpenError, Options, Setup};

use super::{Opening, tell_unused};

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;

pub(crate) fn open(setup: &Setup, options: &mut Options) -> Result<Opening<RamCloud>, OpenError> {
    let ample = (setup.live_bytes / 100 * AMPLE_PERCENT).max(64 << 20);
    let memory = setup.object_memory_bytes.unwrap_or(ample);
    let mut config =
        Config { resident: setup.resident, ..Config::new(memory, setup.records_max.max(1)) };
    config.read(options)?;
    tell_unused(setup, options, config.object_memory_in_use()?);
    Ok(Box::new(move || RamCloud::open(config)))
}
