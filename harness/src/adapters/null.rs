//! Opens the store that stores nothing.

use baseline_null::Null;
use engine::OpenError;

use super::options::Options;
use crate::registry::StoreSetup;

pub(crate) fn open(setup: &StoreSetup) -> Result<Null, OpenError> {
    Options::new(&setup.options).finish()?;
    Ok(Null::open(setup.value_bytes_max))
}
