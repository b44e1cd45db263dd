//! Opens Masstree on a heap.

use baseline_masstree::{Config, Masstree, SESSIONS_MAX};
use engine::{OpenError, Options, Setup};

use super::{Opening, check_sessions};

pub(crate) fn open(setup: &Setup, options: &mut Options) -> Result<Opening<Masstree>, OpenError> {
    check_sessions(setup, SESSIONS_MAX)?;
    let heap = setup.heap()?;
    let mut config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    options.switch("huge-pages", &mut config.huge_pages)?;
    Ok(Box::new(move || Masstree::open(config)))
}
