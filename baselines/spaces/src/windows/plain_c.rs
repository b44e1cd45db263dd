//! What one would write in C: a loop over windows that are all mapped, or, where a set has no updates,
//! two threads on one core that hand over by futexes.

use std::sync::atomic::AtomicU64;

use engine::{Applied, Limits, Setting, Windows, WindowsError, WindowsSetup};
use platform::clock::ticks;
use platform::segments::Attached;

use super::Opened;
use crate::plain;
use crate::table::Table;
use crate::walk::{Clock, Sets};

/// Sets between two looks at the clock.
const SETS_AT_ONCE: usize = 1024;
/// Hand-overs between two looks at the clock.
const ROUNDS_AT_ONCE: u64 = 10_000;

struct PlainC {
    windows: Vec<Attached>,
    table: Table,
    sets: Sets,
    core: usize,
}

/// Opens the way.
pub(crate) fn plain_c(setup: &WindowsSetup<'_>) -> Opened {
    let table = Table::new(&setup.shape)?;
    let windows = table.attach_all()?;
    let (sets, core) = (Sets::of(setup), setup.cores[0]);
    Ok(Box::new(PlainC { windows, table, sets, core }))
}

impl PlainC {
    /// Applies sets; returns how many.
    fn walk(&mut self, sets: u64, until: u64) -> u64 {
        let mut done = 0;
        while done < sets {
            let (from, stream) = (self.sets.next, self.sets.order.len());
            let left = usize::try_from(sets - done).unwrap_or(usize::MAX);
            let to = stream.min(from + SETS_AT_ONCE.min(left));
            plain::updates(&self.windows, &self.sets, from..to);
            self.sets.next = to % stream;
            done += (to - from) as u64;
            if ticks() >= until {
                break;
            }
        }
        done
    }

    /// Hands over and back; returns how many hand-overs that were.
    fn ping_pong(&self, sets: u64, until: u64) -> Result<u64, WindowsError> {
        let mut done = 0;
        while done < sets {
            let rounds = ROUNDS_AT_ONCE.min((sets - done).div_ceil(2));
            let handed = plain::ping_pong(rounds, self.core);
            handed.map_err(WindowsError::system("the second thread of the C loop"))?;
            done += 2 * rounds;
            if ticks() >= until {
                break;
            }
        }
        Ok(done)
    }
}

impl Windows for PlainC {
    fn apply(&mut self, limits: Limits) -> Result<Applied, WindowsError> {
        let pinned = platform::cpu::pin_to(self.core);
        pinned.map_err(WindowsError::system(format!("pinning to core {}", self.core)))?;
        let clock = Clock::start(Vec::new(), limits.within_ns);
        let (sets, switches) = if self.sets.updates > 0 {
            (self.walk(limits.sets, clock.until_ticks), 0)
        } else {
            let handed = self.ping_pong(limits.sets, clock.until_ticks)?;
            (handed, handed)
        };
        // It times no single set.
        Ok(Applied { switches, set_ns: Vec::new(), ..clock.stop(sets, |_| 0) })
    }

    fn show(&self, window: usize, see: &mut dyn FnMut(&[AtomicU64])) -> Result<(), WindowsError> {
        self.table.show(window, see)
    }

    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }
}
