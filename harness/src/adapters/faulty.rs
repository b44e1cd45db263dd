//! Opens the store that misbehaves on purpose, for tests of the harness.

use baseline_faulty::{Config, Fault, Faulty};
use engine::OpenError;

use super::options::{Choice, Options, names};
use crate::registry::StoreSetup;

impl Choice for Fault {
    fn accepted() -> String {
        names(Self::ALL.map(Self::name))
    }
}

pub(crate) fn open(setup: &StoreSetup) -> Result<Faulty, OpenError> {
    let mut config = Config::default();
    let mut options = Options::new(&setup.options);
    options.read("fault", &mut config.fault)?;
    options.read("after-puts", &mut config.after_puts)?;
    options.read("leak-kib", &mut config.leak_kib)?;
    options.read("stall-ms", &mut config.stall_ms)?;
    options.finish()?;
    Ok(Faulty::open(config))
}
