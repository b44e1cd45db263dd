//! Opens RAMCloud's log, as one or several instances.

use baseline_ramcloud::{Config, RamCloud};
use engine::{OpenError, Setup};

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;

pub(crate) fn open(setup: &Setup) -> Result<RamCloud, OpenError> {
    let mut options = setup.options();
    let mut ample_percent = AMPLE_PERCENT;
    options.read("ample-percent", &mut ample_percent)?;
    let ample = (setup.live_bytes / 100 * ample_percent).max(64 << 20);
    let memory = setup.object_memory_bytes.unwrap_or(ample);
    let mut config =
        Config { resident: setup.resident, ..Config::new(memory, setup.records_max.max(1)) };
    options.read("instances", &mut config.instances)?;
    options.read("cleaner-threads", &mut config.cleaner_threads)?;
    options.read("segment-bytes", &mut config.segment_bytes)?;
    options.read("seglet-bytes", &mut config.seglet_bytes)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("resident", &mut config.resident)?;
    options.finish()?;
    RamCloud::open(config)
}
