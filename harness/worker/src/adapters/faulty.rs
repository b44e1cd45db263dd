//! Opens the store that misbehaves on purpose, for tests of the harness.

use baseline_faulty::{Config, Fault, Faulty};
use engine::{OpenError, Setup};

pub(crate) fn open(setup: &Setup) -> Result<Faulty, OpenError> {
    let mut config = Config::default();
    let mut options = setup.options();
    options.read_one_of("fault", &mut config.fault, Fault::ALL)?;
    options.read("after-puts", &mut config.after_puts)?;
    options.read("leak-kib", &mut config.leak_kib)?;
    options.read("stall-ms", &mut config.stall_ms)?;
    options.finish()?;
    Ok(Faulty::open(config))
}
