//! One place in the address space, to which the window is mapped that is needed next.

use engine::{WindowsError, WindowsSetup};
use platform::segments::{Place, Segment};

use super::Opened;
use crate::table::{Table, cannot};
use crate::walk::{Alone, Reach, apply};

/// How a window takes the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapped {
    /// It is mapped over the other.
    Over,
    /// It is mapped after the other was unmapped.
    AfterUnmap,
    /// It is mapped over the other, with page tables filled.
    Populated,
}

struct Map {
    place: Place,
    windows: Vec<Segment>,
    how: Mapped,
}

/// Opens the way.
pub(crate) fn map(setup: &WindowsSetup<'_>, how: Mapped) -> Opened {
    let table = Table::new(&setup.shape)?;
    let place = Place::claim(setup.shape.window_bytes);
    let place = place.map_err(|error| cannot("a place for windows", 0, error))?;
    let windows = table.again()?;
    Ok(Box::new(Alone::open(setup, table, Map { place, windows, how })?))
}

impl Reach for Map {
    fn go(&mut self, window: usize) -> Result<(), WindowsError> {
        let segment = &self.windows[window];
        let mapped = match self.how {
            Mapped::Over => self.place.map_over(segment, false),
            Mapped::AfterUnmap => self.place.unmap_then_map(segment),
            Mapped::Populated => self.place.map_over(segment, true),
        };
        mapped.map_err(WindowsError::system(format!("mapping window {window}")))
    }

    fn begin(&mut self, window: usize) -> Result<(), WindowsError> {
        let mapped = self.place.map_over(&self.windows[window], true);
        mapped.map_err(WindowsError::system(format!("mapping window {window}")))
    }

    #[inline]
    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError> {
        apply(self.place.words(), values);
        Ok(())
    }
}
