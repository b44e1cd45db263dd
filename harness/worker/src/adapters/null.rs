//! Opens the store that keeps nothing.

use baseline_null::Null;
use engine::{OpenError, Options, Setup};

use super::Opening;

pub(crate) fn open(setup: &Setup, _: &mut Options) -> Result<Opening<Null>, OpenError> {
    let value_bytes = setup.value_bytes_max;
    Ok(Box::new(move || Ok(Null::open(value_bytes))))
}
