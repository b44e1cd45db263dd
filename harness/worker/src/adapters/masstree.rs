//! Opens Masstree on a heap.

use baseline_masstree::{Config, Masstree, SESSIONS_MAX};
use engine::{OpenError, Options, Setup};

use super::{Opening, check_sessions};

pub(crate) fn open(setup: &Setup, _: &mut Options) -> Result<Opening<Masstree>, OpenError> {
    check_sessions(setup, SESSIONS_MAX)?;
    let heap = setup.heap()?;
    let config = Config { object_memory_bytes: setup.object_memory_bytes, ..Config::new(heap) };
    Ok(Box::new(move || Masstree::open(config)))
}
