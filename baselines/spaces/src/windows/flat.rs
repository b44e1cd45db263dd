//! All windows are mapped at once: no switch at all, as long as memory fits the address bits.

use engine::{WindowsError, WindowsSetup};
use platform::segments::Attached;

use super::Opened;
use crate::table::Table;
use crate::walk::{Alone, Reach, apply};

struct Flat {
    windows: Vec<Attached>,
    here: usize,
}

/// Opens the way.
pub(crate) fn flat(setup: &WindowsSetup<'_>) -> Opened {
    let table = Table::new(&setup.shape)?;
    let windows = table.attach_all()?;
    Ok(Box::new(Alone::open(setup, table, Flat { windows, here: 0 })?))
}

impl Reach for Flat {
    #[inline]
    fn go(&mut self, window: usize) -> Result<(), WindowsError> {
        self.here = window;
        Ok(())
    }

    #[inline]
    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError> {
        apply(self.windows[self.here].words(), values);
        Ok(())
    }
}
