//! Opens the store that keeps nothing.

use baseline_null::Null;
use engine::{OpenError, Setup};

pub(crate) fn open(setup: &Setup) -> Result<Null, OpenError> {
    setup.options().finish()?;
    Ok(Null::open(setup.value_bytes_max))
}
