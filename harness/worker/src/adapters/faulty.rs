//! Opens the store that misbehaves on purpose, for tests of the harness.

use baseline_faulty::{Config, Fault, Faulty};
use engine::{OpenError, Options, Setup};

use super::Opening;

const PUTS_MAX: u64 = 1 << 40;
const LEAK_KIB_MAX: u64 = 1 << 20;
const STALL_MS_MAX: u64 = 3_600_000;

pub(crate) fn open(_: &Setup, options: &mut Options) -> Result<Opening<Faulty>, OpenError> {
    let mut config = Config::default();
    options.one_of("fault", &mut config.fault, Fault::ALL)?;
    options.whole("after-puts", &mut config.after_puts, 0..=PUTS_MAX)?;
    options.whole("leak-kib", &mut config.leak_kib, 0..=LEAK_KIB_MAX)?;
    options.whole("stall-ms", &mut config.stall_ms, 0..=STALL_MS_MAX)?;
    Ok(Box::new(move || Ok(Faulty::open(config))))
}
