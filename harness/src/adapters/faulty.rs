//! Opens the store that misbehaves on purpose, for tests of the harness.

use baseline_faulty::{Config, Faulty};
use engine::OpenError;

use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<Faulty, OpenError> {
    let mut config = Config::default();
    let mut options = Options::new(&setup.options);
    options.read("fault", &mut config.fault)?;
    options.read("after-puts", &mut config.after_puts)?;
    options.read("leak-kib", &mut config.leak_kib)?;
    options.finish()?;
    Ok(Faulty::open(config))
}
