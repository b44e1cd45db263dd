//! Page tables move: each window is mapped at a stay of its own, with its tables filled, and `mremap`
//! brings it to one place and takes it back.

use engine::{WindowsError, WindowsSetup};
use platform::segments::{Place, Stay};

use super::Opened;
use crate::table::{Table, cannot};
use crate::walk::{Alone, Reach, apply};

struct Move {
    place: Place,
    stays: Vec<Stay>,
    here: Option<usize>,
}

/// Opens the way.
pub(crate) fn move_(setup: &WindowsSetup<'_>) -> Opened {
    let table = Table::new(&setup.shape)?;
    let place = Place::claim(setup.shape.window_bytes);
    let place = place.map_err(|error| cannot("a place for windows", 0, error))?;
    let stays = table.windows.iter().map(Stay::of).collect::<Result<_, _>>();
    let stays = stays.map_err(|error| cannot("stays of windows", 0, error))?;
    Ok(Box::new(Alone::open(setup, table, Move { place, stays, here: None })?))
}

impl Reach for Move {
    fn go(&mut self, window: usize) -> Result<(), WindowsError> {
        if let Some(before) = self.here.take() {
            let taken = self.place.take_back(&mut self.stays[before]);
            taken.map_err(WindowsError::system(format!("moving window {before} away")))?;
        }
        let brought = self.place.bring(&mut self.stays[window]);
        brought.map_err(WindowsError::system(format!("moving window {window} in")))?;
        self.here = Some(window);
        Ok(())
    }

    #[inline]
    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError> {
        apply(self.place.words(), values);
        Ok(())
    }
}
